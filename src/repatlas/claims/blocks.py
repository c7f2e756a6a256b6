"""Rows by blocks of seeds: one block is in memory; several are in files without a name, of which
memory holds what is being read."""

from typing import IO, NamedTuple

import numpy as np

ROW = np.dtype([("kind", np.int32), ("seed", np.int32), ("place", np.int64), ("value", np.float64)])
"""The number of its kind, that of its seed in the block, its place in the table, and its value."""


class Block(NamedTuple):
    """All rows of some seeds; in the first block those without a seed, too."""

    seeds: np.ndarray
    """(seeds,), in ascending order"""
    rows: np.ndarray
    """(rows,) of ROW: each kind's together, in the order of the table"""
    starts: np.ndarray
    """(kinds + 1,): where the rows of each kind begin, and the last end"""
    run_of: np.ndarray
    """(kinds,): the number of each one's run"""
    networks: np.ndarray | None = None
    """(runs, seeds): whether the rows of a network count; None where all do"""

    def of(self, kinds: np.ndarray) -> np.ndarray:
        """The rows of these kinds that count, each kind's together."""
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
        """The same in the order of the table."""
        rows = self.of(kinds)
        return rows if len(kinds) == 1 else rows[np.argsort(rows["place"], kind="stable")]


class Pile:
    """The rows of a block as they come, in a file or, without one, in memory. Until all have come
    their kinds have other numbers."""

    def __init__(self, file: IO[bytes] | None):
        self._file = file
        self._parts: list[np.ndarray] = []

    def add(self, rows: np.ndarray) -> None:
        if self._file is None:
            self._parts.append(rows)
        else:
            rows.tofile(self._file)

    def by_kind(self, numbers: np.ndarray) -> np.ndarray:
        """All of them. numbers: those of kinds, by the numbers that they had until now."""
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
        # They stay there when the file is closed, until nothing needs them.
        return np.asarray(np.memmap(self._file, ROW, "r"))
