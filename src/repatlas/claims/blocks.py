"""Rows of a table, in blocks of seeds. A single block is in memory. Several blocks are in files
without a name, and memory holds only what is being read."""

from typing import IO, NamedTuple

import numpy as np

ROW = np.dtype([("kind", np.int32), ("seed", np.int32), ("place", np.int64), ("value", np.float64)])
"""The number of the row type, the number of the seed within the block, the position in the table,
and the value."""


class Block(NamedTuple):
    """All rows of some seeds. The first block also has the rows without a seed."""

    seeds: np.ndarray
    """(seeds,), in ascending order"""
    rows: np.ndarray
    """(rows,) of ROW: the rows of each type together, in the order of the table"""
    starts: np.ndarray
    """(kinds + 1,): where the rows of each type begin, and where the last ones end"""
    run_of: np.ndarray
    """(kinds,): the number of the run of each row type"""
    networks: np.ndarray | None = None
    """(runs, seeds): whether the rows of a network count; None where all do"""

    def of(self, kinds: np.ndarray) -> np.ndarray:
        """Return the rows of these types that count, with the rows of each type together."""
        first, number = self.starts[kinds], self.starts[kinds + 1] - self.starts[kinds]
        if len(kinds) == 1:
            rows = self.rows[first[0] : first[0] + number[0]]
        else:
            within = np.arange(number.sum()) - np.repeat(number.cumsum() - number, number)
            rows = self.rows[np.repeat(first, number) + within]
        if self.networks is None:
            return rows
        return rows[self.networks[self.run_of[rows["kind"]], rows["seed"]]]

    def in_order(self, kinds: np.ndarray) -> np.ndarray:
        """Return the rows of these types that count, in the order of the table."""
        rows = self.of(kinds)
        return rows if len(kinds) == 1 else rows[np.argsort(rows["place"], kind="stable")]


class SpillFile:
    """The rows of a block as they arrive, in a file or, without a file, in memory. Row types have
    preliminary numbers until all rows have arrived."""

    def __init__(self, file: IO[bytes] | None):
        self._file = file
        self._parts: list[np.ndarray] = []

    def add(self, rows: np.ndarray) -> None:
        if self._file is None:
            self._parts.append(rows)
        else:
            rows.tofile(self._file)

    def by_kind(self, numbers: np.ndarray) -> np.ndarray:
        """Return all rows, sorted by their final type, and write them sorted into the file.

        numbers: the final number of each type, by its preliminary number.
        """
        if self._file is None:
            rows = np.concatenate([np.empty(0, ROW), *self._parts])
        else:
            self._file.seek(0)
            rows = np.fromfile(self._file, ROW)
        rows["kind"] = numbers[rows["kind"]]
        rows = rows[np.argsort(rows["kind"], kind="stable")]
        if self._file is None:
            return rows
        self._file.seek(0)
        rows.tofile(self._file)
        # The rows stay readable after the file is closed, until the array is deleted.
        return np.asarray(np.memmap(self._file, ROW, "r"))
