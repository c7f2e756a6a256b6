"""last: the last token of a sequence, as of a language model that reads from left to right."""

import numpy as np

from repatlas.own.reductions.tokens import padding

NEEDS_CHANNELS = True


def reduced(block: np.ndarray, axis: int) -> np.ndarray:
    """Return (m, ...) with the features as this axis: (m, features), of the last token that is no
    padding (NaN).

    >>> reduced(np.array([[[1.0, 3.0], [3.0, 5.0], [np.nan, np.nan]]]), axis=2)
    array([[3., 5.]])
    """
    found, is_padding = padding(block, axis)
    last = found.shape[1] - 1 - is_padding[:, ::-1].argmin(axis=1)
    return found[np.arange(len(found)), last]
