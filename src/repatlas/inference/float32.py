"""Patterns in single precision, and sums of their products in double precision."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry.kernels import Centred
from repatlas.geometry.patterns import parts, release

CHUNK = 2**13
"""Numbers that are added up in single precision."""
IN_CACHE = 2**17
"""Numbers that are in double precision at a time: in a processor's cache that takes a third of the
time."""
LARGEST_EXPONENT = 100
"""The largest power of two that numbers in single precision are divided or multiplied by. Larger
ones are infinite in it."""
ROUNDING = 1e-5
"""What is below this share of a kernel's squared norm is rounding, in single precision."""
INEXACT = 1e-2
"""The share of a kernel's squared norm that is off its diagonal. Sums are in double precision if it
is less: single precision would have an error of more than 1e-5."""
CANCELLED = 1e-8
"""What is below this share of it is not known in double precision, either."""


def product_float64(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    """Return x y^T, (len(x), len(y)). Only CHUNK products at a time are summed in single precision.

    x: (m, n); y: (m', n).

    >>> product_float64(np.full((1, 2**20), 3, np.float32), np.full((1, 2**20), 1 / 3, np.float32))
    array([[1048576.]])
    """
    total = np.zeros((len(x), len(y)))
    for start in range(0, x.shape[1], CHUNK):
        total += x[:, start : start + CHUNK] @ y[:, start : start + CHUNK].T
    return total


def squared_lengths(x: NDArray[Any]) -> NDArray[np.float64]:
    """Return the squared length of each row of x, (m, n), with the precision of product_float64.

    >>> squared_lengths(np.array([[3, 4], [1, 0]], np.float32))
    array([25.,  1.])
    """
    total = np.zeros(len(x))
    for start in range(0, x.shape[1], CHUNK):
        chunk = x[:, start : start + CHUNK]
        total += np.einsum("ij,ij->i", chunk, chunk)
    return total


class SingleCentred(Centred):
    """Patterns that are read in parts that fit a processor's cache, in single precision."""

    def single(
        self, rows: slice | NDArray[np.intp], columns: slice = slice(None)
    ) -> NDArray[np.float32]:
        """Return these rows and columns of X in single precision.

        Patterns in single precision stay in it, in half of the time. Their mean is subtracted as
        a sum of two numbers, so the error is the rounding of the result.
        """
        if self.patterns.dtype != np.float32 or abs(self.exponent) > LARGEST_EXPONENT:
            return self.read(rows, columns).astype(np.float32)
        block: NDArray[np.float32] = self.patterns[rows, columns] * self.unit
        release(self.patterns)
        for part in self.mean_in_two:
            block -= part[columns]
        return block

    @cached_property
    def mean_in_two(self) -> NDArray[np.float32]:
        """Two numbers in single precision whose sum is the mean of each feature, (2, n)."""
        mean = self.first + self.mean
        rounded = mean.astype(np.float32)
        return np.stack([rounded, (mean - rounded).astype(np.float32)])

    @property
    def unit(self) -> np.float32:
        return np.float32(2.0**-self.exponent)

    @property
    def rows(self) -> list[slice]:
        number, features = self.patterns.shape
        return parts(number, features, IN_CACHE)
