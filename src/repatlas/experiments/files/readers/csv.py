"""Comma-separated tables, with the names of the columns in the first line."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from repatlas.experiments.files.columns import listed, refuse_equal_names, typed
from repatlas.record import Refused


def keys(path: Path) -> None:
    """Return None: the file is one array."""


def columns(path: Path) -> dict[str, list]:
    """Return the columns: whole numbers where all cells are, else numbers, else texts, which stay
    as they are written ("NA" and "none" may be names); None for an empty cell. Raises Refused."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = [line for line in csv.reader(file, strict=True) if line]
    except UnicodeDecodeError:
        raise Refused(f"{path}: found another encoding, allowed: UTF-8") from None
    if len(lines) < 2:
        raise Refused(f"{path}: found {len(lines)} lines, allowed: names of columns and rows")
    names, rows = [name.strip() for name in lines[0]], lines[1:]
    if len(names) == 1 and (sign := next((s for s in ";\t" if s in names[0]), None)):
        raise Refused(f"{path}: found columns separated by {sign!r}, allowed: ','")
    refuse_equal_names(path, "columns", names)
    for number, row in enumerate(rows, start=2):
        if len(row) != len(names):
            raise Refused(
                f"{path}: found {len(row)} cells in line {number}, allowed: {len(names)}, one for"
                " each column"
            )
    return {name: _cells([row[n] for row in rows]) for n, name in enumerate(names)}


def _cells(texts: list[str]) -> list:
    filled = iter(typed([text for text in texts if text]))
    return [next(filled) if text else None for text in texts]


def array(path: Path, key: None) -> np.ndarray:
    """Return all columns as one array, (rows, columns); an empty cell is NaN. Raises Refused for a
    column of texts."""
    return as_array(path, columns(path))


def as_array(path: Path, table: dict[str, list]) -> np.ndarray:
    """Return the columns of a table side by side."""
    if texts := [name for name, cells in table.items() if any(type(c) is str for c in cells)]:
        raise Refused(
            f"{path}: found texts in column {listed(texts)}, allowed in an array: numbers;"
            " put columns that describe rows into the table `rows`"
        )
    return np.array(list(table.values()), dtype=float).T  # None becomes nan
