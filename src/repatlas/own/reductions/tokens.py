"""tokens: the mean over the tokens of a sequence that are no padding. Padding is NaN."""

import numpy as np

NEEDS_CHANNELS = True


def padding(block: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Return tokens, (m, tokens, features), and whether each is padding, (m, tokens)."""
    found = np.moveaxis(block, axis, -1).reshape(len(block), -1, block.shape[axis])
    return found, np.isnan(found).all(axis=2)


def reduced(block: np.ndarray, axis: int) -> np.ndarray:
    """Return (m, ...) with the features as this axis: (m, features), in float64. An item that is
    padding alone stays NaN.

    >>> reduced(np.array([[[1.0, 3.0], [3.0, 5.0], [np.nan, np.nan]]]), axis=2)
    array([[2., 4.]])
    """
    found, is_padding = padding(block, axis)
    number = (~is_padding).sum(axis=1)[:, None]
    total = np.where(is_padding[:, :, None], 0.0, found).sum(axis=1, dtype=np.float64)
    mean: np.ndarray = np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)
    return mean
