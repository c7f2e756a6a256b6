"""Parquet tables."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pyarrow.types as kinds

from repatlas.experiments.files.columns import refuse_equal_names
from repatlas.experiments.files.declared import check_stored
from repatlas.experiments.files.readers.csv import as_array
from repatlas.record import Refused

CELL_BYTES = 64
"""Memory of a cell while a table is read."""


def keys(path: Path) -> None:
    """Return None: the file is one array."""


def columns(path: Path) -> dict[str, list]:
    """Return the columns, of whole numbers, numbers, true and false, or texts; None for an empty
    cell. What pandas stores as the index is no column. Raises Refused."""
    # One thread and no pre_buffer: pyarrow's other threads may abort Python when it ends.
    file = pq.ParquetFile(path, pre_buffer=False, page_checksum_verification=True)
    declared = (file.metadata.num_rows, file.metadata.num_columns)
    check_stored(str(path), declared, CELL_BYTES, path.stat().st_size)
    names = [name for name in file.schema_arrow.names if not name.startswith("__index_level_")]
    if not names or not file.metadata.num_rows:
        raise Refused(f"{path}: found {len(names)} columns and {declared[0]} rows, allowed: some")
    refuse_equal_names(path, "columns", names)
    table = file.read(use_threads=False)
    found = {}
    for name in names:
        column = table[name]
        if kinds.is_dictionary(column.type):  # pandas' categories
            column = column.cast(column.type.value_type)
        kind = column.type
        if not any(is_kind(kind) for is_kind in ALLOWED):
            raise Refused(f"{path}: column {name!r} is {kind}, allowed: numbers and texts")
        found[name] = column.to_pylist()
    return found


ALLOWED = (kinds.is_integer, kinds.is_floating, kinds.is_boolean, kinds.is_string)
ALLOWED += (kinds.is_large_string, kinds.is_null)


def array(path: Path, key: None) -> np.ndarray:
    """Return all columns as one array, (rows, columns); an empty cell is NaN.

    Raises Refused for a column of texts. Raises Refused also for an index that pandas stored: the
    names of rows would be ignored, and the rows matched by position.
    """
    found = columns(path)
    metadata = pq.ParquetFile(path, pre_buffer=False).schema_arrow.pandas_metadata or {}
    # An index is a column, or a range, which counts 0, 1, 2 ... where no other was given.
    stored = [
        index if isinstance(index, str) else f"a range from {index['start']} by {index['step']}"
        for index in metadata.get("index_columns", [])
        if isinstance(index, str) or (index["start"], index["step"]) != (0, 1)
    ]
    if stored:
        raise Refused(
            f"{path}: has an index of pandas ({', '.join(stored)}), and an array has no names of"
            " rows. Save it with index=False. Save the names in a column of the table `rows`, and"
            " name this column in `item`"
        )
    return as_array(path, found)
