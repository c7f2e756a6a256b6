"""The networks that a run has stored, and everything that was measured, as tables."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from repatlas.artifacts.digests import digest
from repatlas.artifacts.files import ESTIMATES_SCHEMA, read_header, read_table
from repatlas.artifacts.layout import STORE
from repatlas.workflow.results import MADE, read_json

ONE = ["run", "seed", "step"]
"""The columns that name a checkpoint."""
FIRST = ["experiment", "task", "data_set", "network", "activation"]
"""Settings that stand first in the table."""
LAST = ["seed", "step", "diverged_step", "accuracy", "target_alignment", "run", "path", "identity"]
LAST += ["digest", "data"]
"""Columns that are no settings, at the end of the table."""
SCORES = {"accuracy": ["test"], "target_alignment": ["centres", "class means", "items"]}
"""The measures that the table shows, and their variants."""


def networks(folder: str | Path = "results") -> pd.DataFrame:
    """Return a row for each stored checkpoint: a network at a training step, or epoch.

    Each setting of task, network and training is a column with its name in the config: `delta`,
    `width`, `learning_rate`. The kind of a task or network is in the column `task` or `network`. A
    setting that a network does not have is missing (NaN).

    The other columns: `diverged_step` is the step at which numbers stopped being finite, if they
    did. A network that was measured has its `accuracy` on test samples, and the `target_alignment`
    of its last layer. The key `run` is the same for all seeds. The `digest` has 32 digits, which
    differ where weights differ at any step. There is no column for the study, since studies share
    networks. A network is in the checkpoint file `path` under its `identity`, and `data` is the
    identity of its data.

    folder: the results of a config, such as "results", "results/preview" or "results/own/mine".
    Raises FileNotFoundError where no network is stored, and Unreadable for a damaged file.
    """
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for path in _files(folder, "runs", "json"):
        for row in _rows(read_json(path), store_of(folder)):
            found.setdefault((row["identity"], row["step"]), row)
    table = _frame([*found.values()]).merge(_scores(folder), on=ONE, how="left")
    settings = [name for name in table if name not in {*FIRST, *LAST}]
    return table[[name for name in FIRST if name in table] + settings + LAST]


def results(folder: str | Path = "results") -> ds.Dataset:
    """Return all metrics of a folder of results as one pyarrow dataset.

    The dataset has a row for each network, step, measure and layer, with the settings of the
    network as columns. `networks` has the same columns run, seed and step, so that the two can be
    joined. `results().to_table(filter=...)` returns the rows that fit. polars opens the dataset
    with `pl.scan_pyarrow_dataset(results())`, and DuckDB by the name of a variable:
    `found = results(); duckdb.sql("select * from found")`.

    folder: the results of a config, as for `networks`. Raises FileNotFoundError where nothing was
    measured, and Unreadable for a damaged file.
    """
    tables, known = [], pa.array([], pa.string())
    for path in _files(folder, "metrics", "parquet"):
        rows = read_table(path, "metrics")[1]
        # Sweeps share networks, and rows that were made from the same are the same.
        tables.append(rows.filter(pc.invert(pc.is_in(rows[MADE], known))))
        known = pa.concat_arrays([known, pc.unique(rows[MADE])])
    found = pa.concat_tables(tables, promote_options="permissive").drop_columns([MADE])
    for field in ESTIMATES_SCHEMA:
        if field.name not in found.column_names:
            found = found.append_column(field.name, pa.nulls(len(found), field.type))
    return ds.dataset(found)


def store_of(folder: str | Path) -> Path:
    """Return the store of a folder of results, which is in it or, for a preview or a config of the
    user's, in a folder above."""
    own = Path(folder).absolute()
    above = [each / STORE for each in (own, *own.parents)]
    return next(filter(Path.is_dir, above), above[0])


def _files(folder: str | Path, part: str, suffix: str) -> list[Path]:
    """Return the files of a part of the results that are there."""
    found = sorted(path for path in Path(folder, part).rglob(f"*.{suffix}") if path.is_file())
    if not found:
        raise FileNotFoundError(
            f"{folder}: found no {part}, expected {folder}/{part}/**/*.{suffix};"
            " start `make figures` or `make preview` first"
        )
    return found


def _frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return rows as a table. Whole numbers stay whole where some rows have none."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    whole = [
        name
        for name, values in columns.items()
        if {type(value) for value in values} in ({int}, {int, type(None)}, {type(None)})
    ]
    return pd.DataFrame(columns).astype(dict.fromkeys(whole, "Int64"))


def _rows(listed: dict[str, Any], store: Path) -> Iterator[dict[str, Any]]:
    """Yield a row for each checkpoint of the networks in a list."""
    (data,) = listed["job"]["inputs"]["data"]
    for name, place in listed["content"]["networks"].items():
        key, _, seed = name.rpartition("/")
        path, identity = store / place["file"], place["identity"]
        header, digests = _opened(path)
        about = header["runs"][identity]
        common = settings_of(about["spec"]) | {
            "seed": int(seed),
            "diverged_step": about["diverged_step"],
            "run": key,
            "path": str(path),
            "identity": identity,
            "digest": digest(*digests[identity]),
            "data": data,
        }
        for step in about["steps"]:
            yield common | {"step": step}


@cache
def _opened(path: Path) -> tuple[dict[str, Any], dict[str, list[bytes]]]:
    """Return the header of a checkpoint file, which never changes, and the digests of the arrays of
    each network."""
    header, digests = read_header(path, "networks"), {}
    for name, of_array in header["digests"].items():
        digests.setdefault(name.partition("/")[0], []).append(of_array.encode())
    return header, digests


def settings_of(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a network by their names. A name that two sections have is preceded by
    its section: task.width and network.width.

    >>> settings_of({"experiment": "clusters", "task": {"kind": "separable", "delta": 0.5}})
    {'experiment': 'clusters', 'task': 'separable', 'delta': 0.5}
    """
    sections = {name: each for name, each in spec.items() if isinstance(each, dict)}
    times = Counter(name for each in sections.values() for name in each)
    found = {name: value for name, value in spec.items() if name not in sections}
    for section, each in sections.items():
        for name, value in each.items():
            spelled = name if times[name] == 1 else f"{section}.{name}"
            value = tuple(value) if isinstance(value, list) else value
            found[section if name == "kind" else spelled] = value
    return found


def _scores(folder: str | Path) -> pd.DataFrame:
    """Return the scores of each checkpoint: run, seed, step, and a column for each of SCORES."""
    try:
        measured = results(folder)
    except FileNotFoundError:  # nothing measured yet
        return pd.DataFrame(columns=[*ONE, *SCORES])
    is_score = pc.field("measure").isin(list(SCORES))
    columns = [*ONE, "measure", "variant", "layer", "value"]
    rows = measured.to_table(columns, filter=is_score).to_pandas()
    rows = rows[[v in SCORES[m] for m, v in zip(rows["measure"], rows["variant"], strict=True)]]
    last = rows.sort_values("layer", na_position="first").drop_duplicates(
        [*ONE, "measure"], keep="last"
    )
    wide = last.pivot(index=ONE, columns="measure", values="value")
    return wide.reindex(columns=list(SCORES)).reset_index()
