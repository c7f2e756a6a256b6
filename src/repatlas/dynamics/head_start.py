"""Which pathways win the race: those that gain most while the common pathway still learns.

Of n objects in C contexts, as in symmetric.py. A pathway of m contexts sees the full target until
the common pathway has learned it; that is its head start. Later it sees the residual alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.dynamics.logistic import effective_initial
from repatlas.dynamics.symmetric import (
    common_asymptote,
    common_modes,
    early_strength,
    late_strength,
)

Array = NDArray[np.float64]


def head_start(size: ArrayLike, contexts: int) -> Array:
    """Return the exponent g of the gain G_m = Lambda^g of a pathway in the common phase.

        g = sqrt((m^2 + m) / (C^2 + C)),    Lambda = pi_inf / pi_0 of the common mode

    It is exact for a common mode that follows a logistic, whose integral of 1 - pi / pi_inf is tau
    / (2 s) ln Lambda. size: m, of contexts C.

    The ratio of two- to one-context pathways goes with this power of pi_0, for C = 3:

    >>> float((head_start(1, 3) - head_start(2, 3)).round(4))
    -0.2989
    """
    m = np.asarray(size, dtype=np.float64)
    return np.sqrt((m**2 + m) / (contexts**2 + contexts))


def time_left(size: ArrayLike, contexts: int) -> Array:
    """Return t_m, to leading order in ln Lambda proportional to the time that a pathway of m
    contexts still needs after the common phase. The smallest wins.

        T_m = (1 - sqrt((m^2 + m) / (C^2 + C))) / sqrt(m (C - m) / C)

    size: m, from 1 to C - 1. m = 1 and m = C - 1 have the same late speed: all but one context wins
    by its head start.

    >>> time_left([1, 2], contexts=3).round(3)
    array([0.725, 0.359])
    """
    m = np.asarray(size, dtype=np.float64)
    return (1 - head_start(m, contexts)) / np.sqrt(m * (contexts - m) / contexts)


def context_initial(
    s: ArrayLike,
    objects: int,
    contexts: int,
    size: int,
    units: int,
    sigma: float,
    late_sigma: float,
) -> Array:
    """Return pi_0 of the modes of a context pathway: the strength at epoch 0 of a logistic with the
    late speed that reaches the same strength as the head start.

        pi_0 = n_h sigma_ctx^2 / 2  ((1 + rho) / 2)^2  Lambda^((S^e_m - S_m) / S_com)

    rho = sqrt((C - m) / (C (m + 1))) is the cosine of early and late drive: a fraction (1 + rho) /
    2 of the grown weights in both layers continues to grow. s: singular values of H; units: n_h of
    each pathway; sigma, late_sigma: standard deviations of the initial weights of the common
    pathway and of context pathways.

    >>> context_initial(np.sqrt([7, 3, 1]), 8, 3, 2, 100, 0.005 / 700, 0.01 / 700).round(6)
    array([8.6e-05, 7.1e-05, 5.5e-05])
    """
    h = np.asarray(s, dtype=np.float64)
    rho = np.sqrt((contexts - size) / (contexts * (size + 1)))
    ratio = common_asymptote(h, contexts) / effective_initial(units, sigma)
    speed = common_modes(np.append(0.0, h), objects, contexts).s[contexts:]
    gain = early_strength(h, objects, contexts, size) - late_strength(h, objects, contexts, size)
    start = effective_initial(units, late_sigma) * ((1 + rho) / 2) ** 2
    return start * ratio ** (gain / speed)
