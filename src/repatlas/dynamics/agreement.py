"""How well one loss curve agrees with another."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

LEVELS = np.round(np.arange(0.9, 0.0, -0.05), 2)
"""Parts of the first loss of the reference, 18 from 0.9 to 0.05, at which times are compared."""
FEWEST_LEVELS = 9
SMALL = 0.05
"""Relative differences count while the reference is above this part of its first loss."""


class Agreement(NamedTuple):
    """The agreement of a curve a with a reference b."""

    largest: float
    """D1 = max |L_a - L_b| / L_b(0)"""
    mean: float
    """D2 = mean |L_a - L_b| / L_b(0)"""
    relative: float
    """D3 = max |L_a - L_b| / L_b while L_b > 0.05 L_b(0)"""
    time: float
    """D4 = max_l |t_a(l) - t_b(l)| / t_b(l) over the levels that both reach; nan if these are fewer
    than 9"""
    explained: float
    """R^2 = 1 - sum (L_a - L_b)^2 / sum (L_b - mean L_b)^2; nan if L_b is constant"""
    levels: int
    """How many levels both curves reach"""


def agreement(curve: ArrayLike, reference: ArrayLike, epochs: ArrayLike | None = None) -> Agreement:
    """Return five measures of how well a loss curve agrees with a reference. None needs a unit.

    curve: L_a, reference: L_b, (T,), at the same epochs; epochs: (T,), ascending, 0, 1, ... if not
    given. t(l) is the first epoch at which a curve is below l L_b(0), l = 0.9, 0.85, ..., 0.05. A
    level that is below from the start has t_b = 0 and no relative difference: it is left out, like
    one that is not reached.

    A common lag makes D1 large where the loss is steep though the shape is the same; D4 shows this.
    R^2 mainly reflects the first drop, D3 does not. Raises ValueError for curves of different
    lengths, of fewer than two epochs, and for a reference that doesn't start above 0.

    >>> falling = np.exp(-np.arange(100) / 20)
    >>> same = agreement(falling, falling)
    >>> same.largest, same.time, same.explained, same.levels
    (0.0, 0.0, 1.0, 18)
    >>> round(agreement(0.98 * falling, falling).largest, 3)
    0.02
    """
    a, b = np.asarray(curve, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape or len(a) < 2:
        raise ValueError(
            f"curve has shape {a.shape} and reference {b.shape}; both must be (T,), T 2 or more."
        )
    t = np.arange(len(a)) if epochs is None else np.asarray(epochs)
    if t.shape != a.shape:
        raise ValueError(f"epochs has shape {t.shape}; the curves have {a.shape}.")
    if not b[0] > 0:
        raise ValueError(f"reference starts at {b[0]}; it must start above 0.")
    differences = np.abs(a - b)
    large = b > SMALL * b[0]
    times = _times(a, b[0], t), _times(b, b[0], t)
    both = np.isfinite(times[0]) & np.isfinite(times[1]) & (times[1] > 0)
    lags = np.abs(times[0] - times[1])[both] / times[1][both]
    spread = float(np.sum((b - b.mean()) ** 2))
    return Agreement(
        float(differences.max() / b[0]),
        float(differences.mean() / b[0]),
        float((differences[large] / b[large]).max()),
        float(lags.max()) if both.sum() >= FEWEST_LEVELS else float("nan"),
        1 - float(np.sum(differences**2)) / spread if spread > 0 else float("nan"),
        int(both.sum()),
    )


def _times(curve: Array, scale: float, epochs: Array) -> Array:
    """Return the first epoch below each level; nan where there is none, where argmax would give
    0."""
    below = curve < LEVELS[:, None] * scale
    return np.where(below.any(axis=1), epochs[below.argmax(axis=1)], np.nan)


def first_below(curve: ArrayLike, level: float, epochs: ArrayLike | None = None) -> float:
    """Return the first epoch at which a loss is below a level; nan if it never is.

    >>> first_below([3.0, 2.0, 1.0], level=2.5), first_below([3.0, 2.0, 1.0], level=0.5)
    (1.0, nan)
    """
    losses = np.asarray(curve, dtype=np.float64)
    below = losses < level
    t = np.arange(len(losses)) if epochs is None else np.asarray(epochs)
    return float(t[below.argmax()]) if below.any() else float("nan")


def between_neighbours(curves: ArrayLike, epochs: ArrayLike | None = None) -> list[Agreement]:
    """Return the agreement of each network's curve with the curve of the next seed, as a scale for
    any other agreement. curves: (seeds, T). Returns seeds - 1 of them, seed i against i + 1.

    >>> [each.largest for each in between_neighbours([[1.0, 0.5], [1.0, 0.25]])]
    [0.25]
    """
    losses = np.asarray(curves, dtype=np.float64)
    return [agreement(one, other, epochs) for one, other in pairwise(losses)]


class OutputAgreement(NamedTuple):
    """The agreement of outputs a with outputs b."""

    relative: float
    """|Y_a - Y_b|^2 / |Y_b|^2; nan where Y_b is 0"""
    largest: float
    """max |Y_a - Y_b|"""


def output_agreement(outputs: ArrayLike, reference: ArrayLike) -> OutputAgreement:
    """Return how far outputs are from a reference, of the same items. Both: (n_out, N), or any one
    shape; ValueError if they differ in it.

    >>> output_agreement([[1.0, 2.0]], [[1.0, 1.0]])
    OutputAgreement(relative=0.5, largest=1.0)
    """
    a, b = np.asarray(outputs, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if a.shape != b.shape:
        raise ValueError(f"outputs has shape {a.shape} and reference {b.shape}; both must agree.")
    size = float(np.sum(b**2))
    relative = float(np.sum((a - b) ** 2)) / size if size > 0 else float("nan")
    return OutputAgreement(relative, float(np.abs(a - b).max()))
