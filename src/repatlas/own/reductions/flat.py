"""flat: every position of every channel is a feature."""

import numpy as np

NEEDS_CHANNELS = False


def reduced(block: np.ndarray, axis: int | None) -> np.ndarray:
    """Return (m, ...) as (m, all others), in the order in which they are stored.

    >>> reduced(np.arange(8.0).reshape(1, 2, 2, 2), None).shape
    (1, 8)
    """
    return block.reshape(len(block), -1)
