"""spatial: every position is a row, with the channels as its features. The rows of an item are not
independent: what resamples or permutes items must take all positions of an item together."""

import math

import numpy as np

NEEDS_CHANNELS = True


def sizes(shape: tuple[int, ...], axis: int) -> tuple[int, int]:
    """Return the rows of an item, one for each position, and the number of features."""
    return math.prod(shape[1:]) // shape[axis], shape[axis]


def reduced(block: np.ndarray, axis: int) -> np.ndarray:
    """Return (m, ...) with the channels as this axis: (m * positions, channels), the positions of
    the first item first.

    >>> reduced(np.array([[[1.0, 3.0], [10.0, 30.0]]]), axis=1)
    array([[ 1., 10.],
           [ 3., 30.]])
    """
    return np.moveaxis(block, axis, -1).reshape(-1, block.shape[axis])
