"""An array of a file as a matrix with a row for each of its rows."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from repatlas.experiments.files.opened import array_name, opened
from repatlas.named import named, names
from repatlas.record import Refused

BLOCK_BYTES = 16 * 2**20
"""The number of bytes of an array that are read at a time."""
PACKAGE = "own.reductions"
REDUCTIONS = names(PACKAGE)
CHANNELS = ("first", "last")


class Matrix:
    """Rows and features of an array, in blocks or by number. What is read at a time is bounded. The
    file is open only while it is read: a process may have few open."""

    def __init__(self, path: str, key: str | None, reduction: str | None, channels: str | None):
        """Look at the array of this name in a file. Raises Refused for an array with more than two
        axes and no reduction, and where it is not certain which axis the channels are."""
        self.name = name = array_name(path, key)
        self._place = Path(path), key
        found = opened(*self._place)
        self.names, self.first_axis = found.names, found.axis
        self.dtype_in_file, self.shape_in_file = np.dtype(found.stored.dtype), found.stored.shape
        shape = tuple(self.shape_in_file)
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
        self.features = self._reduction.reduced(np.zeros((1, *shape[1:])), self._axis).shape[1]
        kind, size = self.dtype_in_file.kind, self.dtype_in_file.itemsize
        own = self.dtype_in_file.newbyteorder("=") if kind == "f" and size in (4, 8) else float
        self.dtype = np.dtype(np.float32 if (kind, size) == ("f", 2) else own)
        """The type of its values: float32 if the file has no more digits"""

    def raw_blocks(self) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the rows of the file as they are stored, some 16 MB at a time: the number of the
        first row, and the block."""
        row = max(math.prod(self.shape_in_file[1:]) * self.dtype_in_file.itemsize, 1)
        step, stored = max(BLOCK_BYTES // row, 1), opened(*self._place).stored
        for start in range(0, self.rows, step):
            try:
                block = np.asarray(stored[start : start + step])
            except Exception as error:  # what libraries raise for damaged chunks has many types
                said = f"{type(error).__name__}: {error}"
                raise Refused(
                    f"{self.name}: cannot be read from row {start} on ({said})"
                ) from error
            yield start, block

    def reduced(self, block: np.ndarray) -> np.ndarray:
        """Return (m, features) of (m, ...) as stored."""
        return self._reduction.reduced(block, self._axis).astype(self.dtype, copy=False)

    def take(self, rows: np.ndarray, features: np.ndarray | None = None) -> np.ndarray:
        """Return (m, features) of these rows of the file, (m,), in any order, and of
        these features, or of all. An array that is taken whole stays mapped into memory where it
        can."""
        stored = np.asarray(opened(*self._place).stored)
        if not np.array_equal(rows, np.arange(self.rows)):
            stored = stored[rows]
        found = self.reduced(stored)
        return np.ascontiguousarray(found if features is None else found[:, features])


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
