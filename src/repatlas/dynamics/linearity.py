"""How linear a hidden layer is in the input."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from repatlas.dynamics.correlations import linear_residual


def linearity(activity: ArrayLike, inputs: ArrayLike) -> float:
    """Return r^2 = 1 - |h - h X^+ X|^2 / |h|^2, the part of a layer's activity that is linear in X.

    activity: h, (units, N), of the living units; inputs: X, (n_in, N). 1 for a linear layer without
    bias. Not centred: the origin means something where there are no biases. nan if all activity is
    0.

    >>> x = np.array([[1.0, -1.0]])
    >>> linearity(3 * x, x), round(linearity(np.maximum(x, 0), x), 12)
    (1.0, 0.5)
    """
    h = np.asarray(activity, dtype=np.float64)
    size = float(np.sum(h**2))
    return 1 - float(np.sum(linear_residual(inputs, h) ** 2)) / size if size > 0 else float("nan")
