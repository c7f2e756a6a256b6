"""Sums of products of numbers in single precision, added up in double precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CHUNK = 2**13
"""Numbers that are added up in single precision."""
ROUNDING = 1e-5
"""What is below this share of a kernel's squared norm is rounding, in single precision."""


def added_up(x: NDArray[np.float32], y: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return x y^T, (len(x), len(y)); only CHUNK products at a time are summed in single
    precision."""
    total = np.zeros((len(x), len(y)))
    for start in range(0, x.shape[1], CHUNK):
        total += x[:, start : start + CHUNK] @ y[:, start : start + CHUNK].T
    return total


def squared_lengths(x: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the squared length of each row, with the precision of added_up."""
    total = np.zeros(len(x))
    for start in range(0, x.shape[1], CHUNK):
        chunk = x[:, start : start + CHUNK]
        total += np.einsum("ij,ij->i", chunk, chunk)
    return total
