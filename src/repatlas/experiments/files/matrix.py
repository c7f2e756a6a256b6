"""An array of a file as a matrix: one row for each item, or for each position of it."""

import math
from collections.abc import Iterator

import numpy as np

from repatlas.experiments.files.opened import Stored
from repatlas.experiments.files.reading import reading
from repatlas.named import named, names
from repatlas.record import Refused

BLOCK_BYTES = 16 * 2**20
"""The number of bytes of an array that are read at a time."""
PACKAGE = "experiments.files.reductions"
REDUCTIONS = names(PACKAGE)
CHANNELS = ("first", "last")


class Matrix:
    """Rows and features of an array, in blocks or by number. What is read at a time is bounded."""

    def __init__(self, name: str, stored: Stored, reduction: str | None, channels: str | None):
        """name: as sentences name it. Raises Refused for an array with more than two axes and no
        reduction, and where it is not certain which axis the channels are."""
        self.name, self.stored = name, stored
        shape = tuple(stored.shape)
        self.rows = shape[0]
        self._axis = None
        if len(shape) <= 2:
            self._reduction = named(PACKAGE, "flat")
        elif reduction is None:
            raise Refused(
                f"{name}: has {len(shape)} axes, {shape}: say how features are made of them,"
                f" allowed: reduction: {', '.join(REDUCTIONS)}; flat is x.reshape(len(x), -1)"
            )
        else:
            self._reduction = named(PACKAGE, reduction)
            if self._reduction.NEEDS_CHANNELS:
                self._axis = channel_axis(name, shape, channels)
        self.positions, self.features = self._reduction.sizes((1, *shape[1:]), self._axis)
        kept = stored.dtype.kind == "f" and stored.dtype.itemsize in (4, 8)
        narrow = stored.dtype.kind == "f" and stored.dtype.itemsize == 2
        own = np.dtype(stored.dtype).newbyteorder("=") if kept else np.dtype(np.float64)
        self.dtype = np.dtype(np.float32) if narrow else own
        """The type of its values: float32 if the file has no more digits"""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, positions among them, and features."""
        return self.rows * self.positions, self.features

    def raw_blocks(self) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the rows of the file as they are stored, some 16 MB at a time: the number of the
        first row, and the block."""
        for start, stop in self._bounds():
            yield start, self._read(start, stop)

    def reduced(self, block: np.ndarray) -> np.ndarray:
        """Return (m * positions, features) of (m, ...) as stored."""
        return self._reduction.reduced(block, self._axis).astype(self.dtype, copy=False)

    def taken(self, rows: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield rows of the file by their numbers, (m,), in any order: in blocks, which of them a
        block has, (b,), and their values, (b * positions, features)."""
        order = np.argsort(rows, kind="stable")
        ordered = rows[order]
        for start, stop in self._bounds():
            low, high = np.searchsorted(ordered, (start, stop))
            if low < high:
                block = self._read(start, stop)
                yield order[low:high], self.reduced(block[ordered[low:high] - start])

    def take(self, rows: np.ndarray, features: np.ndarray | None = None) -> np.ndarray:
        """Return (m * positions, features) of these rows of the file, (m,), and of these features,
        or of all. An array that is taken whole stays mapped into memory where it can."""
        whole = features is None and np.array_equal(rows, np.arange(self.rows))
        if whole and self._axis is None and self._is_plain():
            return self.stored.reshape(self.rows, -1)
        chosen = slice(None) if features is None else features
        number = self.features if features is None else len(features)
        found = np.empty((len(rows), self.positions, number), self.dtype)
        for places, block in self.taken(rows):
            found[places] = block[:, chosen].reshape(len(places), self.positions, number)
        return found.reshape(-1, number)

    def _is_plain(self) -> bool:
        """Return True if the array is in memory, or mapped into it, with its values as they are
        needed."""
        stored = self.stored
        is_array = isinstance(stored, np.ndarray) and stored.dtype == self.dtype
        return is_array and stored.flags.c_contiguous

    def _read(self, start: int, stop: int) -> np.ndarray:
        """Return rows of the file. Raises Refused, also where the library gives another shape."""
        with reading(self.name):
            block = np.asarray(self.stored[start:stop])
        if block.shape != (stop - start, *self.stored.shape[1:]):
            raise Refused(f"{self.name}: damaged, rows {start} to {stop} have shape {block.shape}")
        return block

    def _bounds(self) -> Iterator[tuple[int, int]]:
        row = max(math.prod(self.stored.shape[1:]) * np.dtype(self.stored.dtype).itemsize, 1)
        step = max(BLOCK_BYTES // row, 1)
        for start in range(0, self.rows, step):
            yield start, min(start + step, self.rows)


def channel_axis(name: str, shape: tuple[int, ...], channels: str | None) -> int:
    """Return the axis of the channels. The config names it; otherwise it follows from square maps
    with four axes. torch has (items, channels, side, side), TensorFlow (items, side, side,
    channels). Raises Refused if neither decides.

    >>> channel_axis("a", (100, 64, 7, 7), None), channel_axis("a", (100, 7, 7, 64), None)
    (1, 3)
    """
    if channels is not None:
        return {"first": 1, "last": len(shape) - 1}[channels]
    if len(shape) == 4:
        first, last = shape[2] == shape[3], shape[1] == shape[2]
        if first != last:
            return 1 if first else 3
    raise Refused(
        f"{name}: has shape {shape}: say which axis after the items the channels are, allowed:"
        f" channels: {', '.join(CHANNELS)}"
    )
