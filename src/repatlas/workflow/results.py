"""Results as files: tables of rows, and JSON. Each has a header, and a digest of its content."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from repatlas.artifacts.digests import digest
from repatlas.artifacts.drawings import read_drawing
from repatlas.artifacts.files import (
    ESTIMATES_SCHEMA,
    Arrays,
    Unreadable,
    open_file,
    read_table,
    whole_file,
    write_table,
)
from repatlas.artifacts.pages import read_page
from repatlas.workflow import code
from repatlas.workflow.store import NETWORKS, set_aside

MADE = "made"
"""The column with what a row was made from: rows with the same are the same."""
OF_NETWORK = ("run", "seed", "diverged_step", "converged_step")
"""The columns that all rows of a network share, in addition to its settings."""
OF_MADE = pa.field(MADE, pa.string(), nullable=False)
MEASURED = pa.schema(
    [*(field for field in ESTIMATES_SCHEMA if field.name not in OF_NETWORK), OF_MADE]
)
"""The columns of metrics that differ within a network."""


def write_json(path: Path, header: dict[str, Any], content: dict[str, Any]) -> None:
    """Write a mapping, with the header of a result."""
    # First the identity, which is looked for before the rest is read.
    whole = {"identity": header["identity"]} | header | {"content": content}
    whole["digest"] = digest(json.dumps(whole, sort_keys=True).encode())
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps(whole), encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """Return the header and the content of a result. Raises Unreadable."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        stated = found.pop("digest")
        if digest(json.dumps(found, sort_keys=True).encode()) == stated:
            return found
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Unreadable(path, f"damaged, or no JSON of ours ({error})") from error
    raise Unreadable(path, "damaged, it is not what was written")


def write_rows(path: Path, kind: str, header: dict[str, Any], tables: list[pa.Table]) -> None:
    """Write rows as one table, without the columns that have no value."""
    rows = pa.concat_tables(tables, promote_options="default").combine_chunks()
    names = rows.column_names
    kept = [name for name in names if rows[name].null_count < len(rows) or not len(rows)]
    write_table(path, kind, header, rows.select(kept))


KINDS = {
    "measure": "metrics",
    "compare_networks": "pairs",
    "compare_files": "pairs",
    "plot": "table",
    "judge": "claims",
    "multiverse": "multiverse",
}
"""The kinds of the tables of stages"""


def read_whole(path: Path, stage: str) -> dict[str, Any]:
    """Return the header of a result of a stage, and its content if that is JSON, after all of it
    was read and checked. Raises Unreadable."""
    open_file(path).close()  # raises for what is no file
    match path.suffix:
        case ".json":
            return read_json(path)
        case ".parquet":
            return read_table(path, KINDS[stage])[0]
        case ".md" | ".html":
            return read_page(path)
        case ".pdf" | ".png":
            return read_drawing(path)
    arrays = Arrays(path, "data")
    arrays.check()
    return arrays.header


def check_result(store: Path, path: Path, result: Any) -> None:
    """Read all of a file of a result, and the checkpoint files that a list names. Renames those
    that are damaged. Raises Unreadable, and FileNotFoundError for what is gone."""
    header = read_whole(path, result.stage)
    if not header.get("identity") == code.key(header.get("job")) == result.identity:
        raise Unreadable(path, "is not what its name says")
    networks = header["content"]["networks"] if result.stage == "train" else {}
    for about in networks.values():
        there, reason = _networks_in(store / about["file"])
        if about["identity"] not in there:
            raise Unreadable(path, f"{about['file']}: {reason}")


@cache
def _networks_in(path: Path) -> tuple[set[str], str]:
    """Return the networks of a checkpoint file, and why it lacks others. Renames a damaged file."""
    try:
        (file := Arrays(path, NETWORKS)).check()
    except Unreadable as error:
        return set(), f"{error.reason}; {set_aside(path)}"
    return {*file.header["runs"]}, "has other networks"


def pieces_of(path: Path, kind: str, schema: pa.Schema) -> dict[str, pa.Table]:
    """Return the rows of a table, by what they were made from, in the columns of a schema."""
    header, rows = read_table(path, kind)
    settings = header.get("settings", [])  # a user's may have the name of a column
    rows = rows.drop_columns([n for n in settings if n in rows.column_names])
    lacking = [name for name in schema.names if name not in rows.column_names]
    for name in lacking:
        rows = rows.append_column(name, pa.nulls(len(rows), schema.field(name).type))
    return split(rows.select(schema.names).cast(schema))


def split(rows: pa.Table) -> dict[str, pa.Table]:
    """Return rows by what they were made from. Rows that were made from the same follow one
    another."""
    rows = rows.combine_chunks()
    made = rows[MADE].combine_chunks().dictionary_encode()
    numbers = made.indices.to_numpy()
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    ends = [*starts, len(numbers)][1:]
    return {
        made.dictionary[numbers[start]].as_py(): rows.slice(start, end - start)
        for start, end in zip(starts, ends, strict=True)
    }


def with_comparison(key: str, tables: list[pa.Table]) -> pa.Table:
    """Return the rows of pairs with the key of their comparison."""
    rows = pa.concat_tables(tables)
    return rows.append_column("comparison", pa.repeat(key, len(rows)))


def with_columns(
    rows: pa.Table, shared: dict[str, Any], settings: dict[str, Any], kinds: dict[str, pa.DataType]
) -> pa.Table:
    """Return rows of a network with what all of them share as columns. kinds: of its settings, but
    of those whose values tell it."""
    types = {name: ESTIMATES_SCHEMA.field(name).type for name in OF_NETWORK} | kinds
    columns = {
        name: pa.repeat(pa.scalar(value, types.get(name)), len(rows))
        for name, value in (shared | settings).items()
    }
    # A setting of a user's arrays may have the name of a column that says nothing of them.
    own = {name: rows[name] for name in rows.column_names if name not in columns}
    return pa.table(columns | own)
