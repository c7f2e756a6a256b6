"""first: the first token of a sequence, such as the class token of a vision transformer."""

import numpy as np

from repatlas.own.reductions.tokens import padding

NEEDS_CHANNELS = True


def reduced(block: np.ndarray, axis: int) -> np.ndarray:
    """Return (m, ...) with the features as this axis: (m, features), of the first token that is no
    padding (NaN).

    >>> reduced(np.array([[[1.0, 3.0], [3.0, 5.0]]]), axis=2)
    array([[1., 3.]])
    """
    found, is_padding = padding(block, axis)
    return found[np.arange(len(found)), is_padding.argmin(axis=1)]
