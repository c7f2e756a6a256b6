"""The extended XoR task in closed form: x = (x1, x2, delta x1 x2), y = x1 x2, four items.

A ReLU network solves it by four pathways, one for each item, or by two, one for each class. (The
task of Jarvis, Klein, Rosman and Saxe 2025, section 3; parametrisation and formulas are ours.)
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.dynamics.logistic import logistic, time_constant

Array = NDArray[np.float64]
Pathways = Literal[2, 4]

CROSSING = float(np.sqrt(2 / 3))
"""delta at which both solutions are learned equally fast."""
LAST_OF_FOUR = float(np.sqrt(2))
"""delta up to which items of one class have inputs at an obtuse angle, or a right one, so that a
unit can be on at one item alone."""


def strength(delta: ArrayLike, pathways: Pathways) -> Array:
    """Return s of each pathway: sqrt(2 + delta^2) / 4 of four, delta / 2 of two.

    >>> bool(np.isclose(strength(CROSSING, 2), strength(CROSSING, 4)))
    True
    """
    x = np.asarray(delta, dtype=np.float64)
    return np.sqrt(2 + x**2) / 4 if pathways == 4 else x / 2


def decay(delta: ArrayLike, pathways: Pathways) -> Array:
    """Return d of each pathway: (2 + delta^2) / 4 of four, delta^2 / 2 of two.

    >>> float(decay(2.0, 4)), float(decay(2.0, 2))
    (1.5, 2.0)
    """
    x = np.asarray(delta, dtype=np.float64)
    return (2 + x**2) / 4 if pathways == 4 else x**2 / 2


def loss(delta: ArrayLike, pathways: Pathways, strengths: ArrayLike) -> Array:
    """Return 2 (1 - pi r)^2, r = sqrt(2 + delta^2) of four pathways and delta of two.

    strengths: pi, the singular value of each pathway.

    >>> float(loss(1.0, 2, 0.0)), float(loss(2.0, 2, 0.5))
    (2.0, 0.0)
    """
    x = np.asarray(delta, dtype=np.float64)
    reach = np.sqrt(2 + x**2) if pathways == 4 else x
    return 2 * (1 - np.asarray(strengths, dtype=np.float64) * reach) ** 2


def loss_curve(
    epochs: ArrayLike, delta: float, pathways: Pathways, initial: float, rate: float
) -> Array:
    """Return the loss at epochs of a network of two or four pathways that start at the strength
    `initial`. rate: eta of full batches and a loss of half the sum of squares.

    >>> loss_curve([0, 1000, 2000], delta=1.0, pathways=4, initial=1e-6, rate=0.02).round(3)
    array([2., 0., 0.])
    """
    tau = time_constant(rate, items=4)
    s, d = strength(delta, pathways), decay(delta, pathways)
    return loss(delta, pathways, logistic(epochs, s, d, initial, tau))


def target_alignment(pathways: Pathways) -> float:
    """Return kernel alignment of the hidden layer with the targets: 1 of two pathways, whose
    patterns are the patterns of the classes; 1 / sqrt(3) of four, whose patterns are orthogonal.

    >>> round(target_alignment(4), 4)
    0.5774
    """
    return 1.0 if pathways == 2 else float(1 / np.sqrt(3))


def input_alignment(delta: ArrayLike, pathways: Pathways) -> Array:
    """Return kernel alignment of the hidden layer with the inputs: delta^2 / sqrt(2 + delta^4) of
    two pathways, (2 + delta^2) / sqrt(3 (2 + delta^4)) of four.

    >>> float(input_alignment(1.0, 4).round(4)), float(input_alignment(1.0, 2).round(4))
    (1.0, 0.5774)
    """
    x = np.asarray(delta, dtype=np.float64)
    size = np.sqrt(2 + x**4)
    return x**2 / size if pathways == 2 else (2 + x**2) / (np.sqrt(3) * size)


def fit_initial(
    losses: ArrayLike, epochs: ArrayLike, delta: float, pathways: Pathways, rate: float
) -> float:
    """Return the one initial strength pi_0 with which the loss of two or four pathways is nearest
    to loss curves, in the sum of squared differences.

    losses: (..., T), of networks at these epochs, (T,); rate: as in loss_curve. The search is over
    ln pi_0 from 1e-34 up to half of the final strength: on a grid, then between its neighbours.

    >>> curve = loss_curve(np.arange(500), delta=1.0, pathways=2, initial=1e-4, rate=0.02)
    >>> round(fit_initial(curve, np.arange(500), delta=1.0, pathways=2, rate=0.02), 8)
    0.0001
    """
    from scipy.optimize import minimize_scalar  # here, since it takes half a second to import

    wanted, t = np.asarray(losses, dtype=np.float64), np.asarray(epochs)
    final = float(strength(delta, pathways) / decay(delta, pathways))

    def error(logarithm: float) -> float:
        found = loss_curve(t, delta, pathways, float(np.exp(logarithm)), rate)
        return float(np.sum((found - wanted) ** 2))

    grid = np.linspace(np.log(1e-34), np.log(final / 2), 300)
    best = int(np.argmin([error(each) for each in grid]))
    ends = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = minimize_scalar(error, bounds=ends, method="bounded", options={"xatol": 1e-9})
    return float(np.exp(found.x))
