"""Learning curves of linear networks: each singular value follows a separate logistic."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def time_constant(rate: float, items: int) -> float:
    """Return tau = 1 / (eta N) epochs, for full batches and a loss of half the sum of squares over
    items.

    >>> time_constant(1e-3, 40)
    25.0
    """
    return 1 / (rate * items)


def effective_initial(units: float, sigma: ArrayLike) -> Array:
    """Return pi_0 = n_h sigma^2 / 2, where a singular value of n_h units starts.

    units: n_h; sigma: standard deviation of the initial weights of both layers. Of independent
    weights only the combination (W_1 v + W_2^T u) / sqrt(2) grows, and it has half of the squared
    norm of a unit times n_h.

    >>> round(float(effective_initial(100, 0.005 / 700)), 11)
    2.55e-09
    """
    return units * np.square(np.asarray(sigma, dtype=np.float64)) / 2


def logistic(
    epochs: ArrayLike, s: ArrayLike, d: ArrayLike, initial: ArrayLike, tau: float
) -> Array:
    """Return pi(t), the singular value of a mode in an aligned and balanced two-layer linear
    network.

        tau dpi/dt = 2 pi (s - d pi),
        pi(t) = (s / d) / (1 - (1 - s / (d pi_0)) exp(-2 s t / tau))

    epochs: t; s, d: singular value of Sigma_yx and d of Sigma_xx in its basis; initial: pi_0; tau:
    epochs, see time_constant. They are broadcast. s sets the speed, s / d the end: the largest
    final value need not come first (Saxe, McClelland and Ganguli 2019, equation 6).

    >>> logistic([0, 20, 1000], s=1.0, d=0.5, initial=0.5, tau=5.0).round(4)
    array([0.5  , 1.998, 2.   ])
    """
    t, s_, d_, start = (np.asarray(x, dtype=np.float64) for x in (epochs, s, d, initial))
    # In this form nothing overflows: the exponent is at most 0.
    decay = np.exp(-2 * s_ * t / tau)
    return s_ * start / (d_ * start + (s_ - d_ * start) * decay)


def half_time(s: ArrayLike, d: ArrayLike, initial: ArrayLike, tau: float) -> Array:
    """Return t_1/2 = tau / (2 s) ln(s / (d pi_0) - 1), when a mode has half of its final value, in
    epochs.

    >>> round(float(half_time(s=1.0, d=0.5, initial=0.001, tau=5.0)), 3)
    19.001
    """
    s_, d_, start = (np.asarray(x, dtype=np.float64) for x in (s, d, initial))
    return tau / (2 * s_) * np.log(s_ / (d_ * start) - 1)
