"""The networks that a run has stored, and everything that was measured, as tables."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.compute as pc
import pyarrow.dataset as ds

from repatlas.artifacts.digests import digest
from repatlas.artifacts.files import ESTIMATES_SCHEMA, read_header

ONE = ["run", "seed", "step"]
"""The columns that name a checkpoint."""
FIRST = ["experiment", "task", "data_set", "network", "activation"]
"""Settings that stand first in the table."""
LAST = ["seed", "step", "diverged_step", "accuracy", "target_alignment", "run", "path", "digest"]
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
    networks.

    folder: the results of a config, such as "results", "results/preview" or "results/own/mine".
    Raises FileNotFoundError where no network is stored, and Unreadable for a damaged file.
    """
    files = sorted(Path(folder, "runs").rglob("*.safetensors"))
    if not files:
        raise FileNotFoundError(
            f"{folder}: found no networks, expected {folder}/runs/**/*.safetensors;"
            " start `make figures` or `make preview` first"
        )
    found = _frame([row for path in files for row in _rows(path)])
    found = found.merge(_scores(folder), on=ONE, how="left")
    settings = [name for name in found if name not in {*FIRST, *LAST}]
    return found[[name for name in FIRST if name in found] + settings + LAST]


def results(folder: str | Path = "results") -> ds.Dataset:
    """Return all metrics of a folder of results as one pyarrow dataset.

    The dataset has a row for each network, step, measure and layer. `networks` has the same columns
    run, seed and step, so that the two can be joined. Rows stay on disk until they are asked for:
    `results().to_table(filter=...)` reads the rows that fit. polars opens the dataset with
    `pl.scan_pyarrow_dataset(results())`, and DuckDB by the name of a variable:
    `found = results(); duckdb.sql("select * from found")`.

    folder: the results of a config, as for `networks`. Raises FileNotFoundError where nothing was
    measured.
    """
    files = sorted(str(path) for path in Path(folder, "metrics").rglob("*.parquet"))
    if not files:
        raise FileNotFoundError(
            f"{folder}: found no metrics, expected {folder}/metrics/**/*.parquet;"
            " start `make figures` or `make preview` first"
        )
    return ds.dataset(files, schema=ESTIMATES_SCHEMA, format="parquet")


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


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield a row for each checkpoint in a file of networks."""
    header = read_header(path, "runs")
    seed = header["job"]["seed"]
    digests: dict[str, list[str]] = {}
    for name, of_array in header["digests"].items():
        digests.setdefault(name.partition("/")[0], []).append(of_array)
    for key, about in header["runs"].items():
        common = settings_of(about["spec"]) | {
            "seed": seed,
            "diverged_step": about["diverged_step"],
            "run": key,
            "path": str(path),
            "digest": digest(*(each.encode() for each in digests.get(key, []))),
        }
        for step in about["steps"]:
            yield common | {"step": step}


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
