"""Arrays and tables in a user's files, as `repatlas.own.read` reads them. What is wrong with one is
Refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from repatlas.own.annotated import has_axes, matrix_of, row_names, table_of
from repatlas.own.read import arrays_in, read
from repatlas.own.result import DataFrame
from repatlas.own.tables import numbers_of
from repatlas.record import Refused

TABLES = ("csv", "tsv", "parquet", "h5ad", "nc", "zarr")
"""The suffixes of what may say what rows are: of .h5ad obs, of .nc and .zarr the coordinates."""


class Opened(NamedTuple):
    """An array in a file."""

    stored: Any
    """Has `shape`, `dtype` and slices of rows"""
    names: list[Any] | None
    """What the file calls its rows; None where it does not"""
    axis: str | None
    """What the file calls its first axis"""


def opened(path: Path, key: str | None = None) -> Opened:
    """Return an array with the names of its rows. Raises Refused for anything but real numbers."""
    found = _refused(lambda: read(path, key))
    names, axis = row_names(found), None
    if has_axes(found) and not str(found.dims[0]).startswith("phony_dim"):
        axis = str(found.dims[0])
    if hasattr(found, "iloc"):
        found = _refused(lambda: numbers_of(found, str(path)))
    stored = found if has_axes(found) else matrix_of(found)
    if stored.dtype.kind not in "fiub":
        where = array_name(path, key)
        raise Refused(f"{where}: is of type {stored.dtype}, allowed: real numbers")
    if getattr(stored, "is_virtual", False) or getattr(stored, "external", None):
        raise Refused(f"{path}: has its numbers in other files; allowed: all in this file")
    return Opened(stored, None if names is None else [*map(item_name, names)], axis)


def array_name(path: Path | str, key: str | None) -> str:
    """Return what messages call an array."""
    return str(path) if key is None else f"{path}/{key}"


def keys_of(path: Path) -> list[str] | None:
    """Return the names of the arrays in a file, in its own order; None where a file is one
    array."""
    return _refused(lambda: arrays_in(path))


def table_in(path: Path) -> DataFrame:
    """Return what a file says of rows. An index with names is a column, too, called "index" where
    it has no name."""
    found = _refused(lambda: table_of(read(path)))
    if found is None:
        raise Refused(f"{path}: is no table, allowed: {', '.join(TABLES)}")
    if row_names(found) is None or {*found.index.names} & {*found.columns}:
        return found
    return found.reset_index().set_axis(found.index, axis=0)


def columns_of(path: Path) -> dict[str, list]:
    """Return the columns of a table by name; None for an empty cell."""
    table = table_in(path)
    return {str(name): cells(table.iloc[:, n]) for n, name in enumerate(table.columns)}


def cells(column: Any) -> list:
    """Return the cells of a column, None for an empty one."""
    empty = column.isna().tolist()
    values = [None if no else cell for cell, no in zip(column.tolist(), empty, strict=True)]
    return [cell.decode() if isinstance(cell, bytes) else cell for cell in values]


def item_name(value: Any) -> Any:
    """Return the name of an item. The name of a whole number is its digits, whatever type a file
    gives it; of several coordinates, all their names.

    >>> item_name(7), item_name(7.0), item_name("face 7")
    ('7', '7', 'face 7')
    """
    if isinstance(value, tuple):
        return tuple(map(item_name, value))
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def _refused(function: Callable[[], Any]) -> Any:
    try:
        return function()
    except ValueError as error:
        raise Refused(str(error)) from error
