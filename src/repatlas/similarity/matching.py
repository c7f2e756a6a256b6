"""Correlations between the units of two networks, and which unit of one is which of the other."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.patterns import refuse_other_items
from repatlas.similarity.units import Units

Sign = Literal["signed", "absolute"]
PARTNER = 0.5
"""A unit with this correlation, or more, has a partner in the other network."""


class Matching(NamedTuple):
    """The pairs that matching finds, in descending order of correlation.

    pairs: (c, 2), a unit of x and its partner in y; correlations: (c,), absolute ones where the
    matching is by these.

    >>> found = matching([[0.0, 1.0], [1.0, 1.0], [2.0, 4.0]], [[1.0], [1.0], [4.0]])
    >>> isinstance(found, Matching), found.pairs.tolist(), found.correlations.round(4)
    (True, [[1, 0]], array([1.]))
    """

    pairs: NDArray[np.intp]
    correlations: NDArray[np.float64]


class SemiMatching(NamedTuple):
    """The partner in y of each unit of x that semi_matching finds, (h1,), and their correlations,
    (h1,), absolute ones where the matching is by these.

    >>> found = semi_matching([[0.0, 1.0], [1.0, 1.0], [2.0, 4.0]], [[1.0], [1.0], [4.0]])
    >>> isinstance(found, SemiMatching), found.partners, found.correlations.round(4)
    (True, array([0, 0]), array([0.866, 1.   ]))
    """

    partners: NDArray[np.intp]
    correlations: NDArray[np.float64]


def unit_correlations(x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    """Return the correlation over items of each unit of x with each unit of y, (h1, h2).

    Each is (x_i . y_j) / (|x_i| |y_j|), for units after their means are subtracted.
    x: (m, h1) and y: (m, h2), items x units; x and y may be the same. Each is from -1 to 1. Shifts
    and positive factors of a unit change nothing, negative ones the sign. A dead unit, whose
    standard deviation is at most 1e-12 of the largest one of its representation, has the
    correlation 0 with all: it predicts nothing. Memory: h1 h2 numbers in addition to x and y.
    Raises ValueError for different numbers of items.
    (Li et al. 2016, section 2.)

    The second unit of y is dead.

    >>> unit_correlations([[0.0], [1.0], [2.0]], [[2.0, 7.0, 3.0], [1.0, 7.0, 5.0], [0, 7.0, 7.0]])
    array([[-1.,  0.,  1.]])
    """
    a, b = Units("x", x), Units("y", y)
    refuse_other_items("x", a.centred.patterns, "y", b.centred.patterns)
    return a.correlations(b)


def matching(x: ArrayLike, y: ArrayLike, sign: Sign = "signed") -> Matching:
    """Return the pairs of units of x and y, no unit twice, with the largest sum of correlations.

    x: (m, h1) and y: (m, h2), items x units. There are min(h1, h2) pairs. The mean of the
    correlations is the similarity. It is from -1 to 1, and the same with x and y exchanged. Orders,
    shifts and positive factors of units don't change it; rotations do.
    sign="absolute": the same with absolute values of the correlations, from 0 to 1. A network stays
    the same if the signs of an odd unit, such as tanh, and of its weights are flipped. Signed
    matching misses such pairs. Absolute values are larger by chance, too: compare each with its own
    noise_floor.
    Dead units have the correlation 0, and may be paired with any.
    Raises ValueError for different numbers of items, and for an unknown sign.
    (Li et al. 2016, section 3.2; the assignment is scipy's linear_sum_assignment.)

    y has the units of x in another order, each scaled and shifted.

    >>> x = np.random.default_rng(0).standard_normal((50, 3))
    >>> found = matching(x, 5 + 2 * x[:, [2, 0, 1]])
    >>> sorted(found.pairs.tolist()), found.correlations.mean().round(4)
    ([[0, 1], [1, 2], [2, 0]], np.float64(1.0))
    """
    from scipy.optimize import linear_sum_assignment  # here, since it takes long to import

    correlations = _by_sign(x, y, sign)
    pairs = np.column_stack(linear_sum_assignment(correlations, maximize=True))
    of_pairs = correlations[pairs[:, 0], pairs[:, 1]]
    order = np.argsort(-of_pairs, kind="stable")
    return Matching(pairs[order], of_pairs[order])


def semi_matching(x: ArrayLike, y: ArrayLike, sign: Sign = "signed") -> SemiMatching:
    """Return the unit of y with the largest correlation for each unit of x. Several units may have
    the same partner.

    x: (m, h1) and y: (m, h2), items x units. The two directions, of x and y and of y and x, differ:
    report both. The correlation of a unit is never smaller than in matching, where another unit may
    have its best partner. So a higher semi-matching is no finding. Range, invariances, dead units
    and `sign` are as in matching. The first of equal correlations counts.
    Raises ValueError for different numbers of items, and for an unknown sign.
    (Li et al. 2016, section 3.2.)

    >>> x = np.random.default_rng(0).standard_normal((50, 3))
    >>> semi_matching(x, -x[:, :2], sign="absolute").partners[:2]
    array([0, 1])
    """
    correlations = _by_sign(x, y, sign)
    partners = correlations.argmax(axis=1)
    return SemiMatching(partners, correlations[np.arange(len(partners)), partners])


def _by_sign(x: ArrayLike, y: ArrayLike, sign: Sign) -> NDArray[np.float64]:
    if sign not in ("signed", "absolute"):
        raise ValueError(f'sign is {sign!r}; allowed are "signed" and "absolute".')
    correlations = unit_correlations(x, y)
    return correlations if sign == "signed" else np.abs(correlations)
