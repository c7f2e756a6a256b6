"""How networks on a few items are trained: by gradient descent on all items at once."""

from typing import Literal

import numpy as np

from repatlas.record import Positive, Record


class ItemTraining(Record):
    """Full-batch gradient descent on L = sum_i |y_hat_i - y_i|^2 / 2, a sum over items and outputs:
    with a mean all times would be others."""

    rate: Positive = 1e-3
    """Step size eta."""
    precision: Literal["float64", "float32"] = "float64"
    """The precision of the arithmetic. Initial weights of 1e-16, whose products are 1e-32, need
    float64."""

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(self.precision)
