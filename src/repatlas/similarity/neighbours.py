"""Mutual nearest neighbours: whether items that are near one another in x are near in y, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.kernels import Centred
from repatlas.geometry.patterns import parts, refuse_other_items

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ROUNDING = 1e-9
"""Squared distances that differ by less than this fraction are equal, and so are those that the
rounding of the given type may have made different."""


class MutualNeighbours(NamedTuple):
    """The fraction of neighbours that two representations share.

    value: from 0 to 1; chance: its mean over all orders of the items of y; calibrated:
    (value - chance) / (1 - chance), which is 0 by chance and 1 for the same neighbours.

    >>> MutualNeighbours(value=0.75, chance=0.5).calibrated
    0.5
    """

    value: float
    chance: float

    @property
    def calibrated(self) -> float:
        if not self.chance < 1:
            return float("nan")
        return (self.value - self.chance) / (1 - self.chance)


class Neighbours:
    """The nearest neighbours of each item of x, as `mutual_neighbours` takes them.

    Make them once for a representation that is compared with many others. Memory: m k numbers.

    >>> line = Neighbours([[0.0], [1.0], [3.0]], neighbours=1)
    >>> line.weights.toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """

    def __init__(self, x: ArrayLike, neighbours: int = 10, name: str = "x"):
        centred = Centred(name, x)
        number = len(centred.patterns)
        if not isinstance(neighbours, int | np.integer) or neighbours < 1:
            raise ValueError(f"neighbours is {neighbours!r}; allowed are whole numbers from 1.")
        if neighbours >= number - 1:
            raise ValueError(
                f"{name} has {number} items, each with {number - 1} others; {neighbours} "
                f"neighbours need {neighbours + 2} items or more."
            )
        self.neighbours = int(neighbours)
        self.weights: csr_array = _weights(centred, self.neighbours)
        """(m, m): 1 for a neighbour; of several equally far items, the fraction that is one."""

    def in_order(self, order: NDArray[np.intp]) -> Neighbours:
        """Return the neighbours of the same items in another order, (m,)."""
        moved = object.__new__(Neighbours)
        moved.neighbours, moved.weights = self.neighbours, self.weights[order][:, order]
        return moved


def mutual_neighbours(
    x: ArrayLike | Neighbours, y: ArrayLike | Neighbours, neighbours: int = 10
) -> MutualNeighbours:
    """Return which fraction of the nearest neighbours of an item in x are its neighbours in y.

    x: (m, h1) and y: (m, h2), items x features, or the Neighbours of either. neighbours: k, the
    number of neighbours of each item, by Euclidean distance. value is the number of shared
    neighbours divided by k, mean over items (mutual k-nearest neighbours). Huh et al. 2024 scale
    each item to length 1 first. value is from 0 to 1, and equal with x and y exchanged. Rotations,
    shifts and isotropic scales of x or y change nothing.
    Unlike kernel alignment it depends only on which items are near, and not on large distances.
    Many features without structure change it little. chance is exact. It is k / (m - 1) if no two
    distances are equal, so `calibrated` compares different numbers of items and of neighbours.
    Equally far items, as in a layer that is dead for many items, count as fractions of a neighbour.
    Both value and chance are nan if all items of x, or of y, are equal.
    Raises ValueError for different numbers of items, different numbers of neighbours, or k + 1
    items or fewer.

    Both have the same order along a line, so they share most neighbours, whatever the distances.

    >>> x = np.arange(50.0)[:, None]
    >>> found = mutual_neighbours(x, x**3, neighbours=5)
    >>> round(found.value, 2), round(found.chance, 2), round(found.calibrated, 2)
    (0.89, 0.1, 0.88)
    """
    a = x if isinstance(x, Neighbours) else Neighbours(x, neighbours, "x")
    b = y if isinstance(y, Neighbours) else Neighbours(y, neighbours, "y")
    if a.neighbours != b.neighbours:
        raise ValueError(
            f"x has {a.neighbours} neighbours and y has {b.neighbours}; allowed is one number."
        )
    number = a.weights.shape[0]
    refuse_other_items("x", range(number), "y", range(b.weights.shape[0]))
    if not a.weights.nnz or not b.weights.nnz:
        return MutualNeighbours(float("nan"), float("nan"))
    shared = float(a.weights.minimum(b.weights).sum()) / (number * a.neighbours)
    return MutualNeighbours(shared, _chance(a, b))


def _weights(x: Centred, neighbours: int) -> csr_array:
    """Return (m, m), rows add up to k; without entries where all items are the same."""
    from scipy.sparse import csr_array  # here, since scipy is slow to import

    number = len(x.patterns)
    rows, columns, weights = [], [], []
    if x.squares.any():
        for start, block in _squared_distances(x):
            nearest = np.partition(block, neighbours - 1, axis=1)[:, neighbours - 1, None]
            # The square of a distance differs by twice the distance times its rounding.
            slack = np.maximum(ROUNDING * nearest, 2 * x.rounding * np.sqrt(nearest))
            near, equal = block < nearest - slack, np.abs(block - nearest) <= slack
            left = (neighbours - near.sum(axis=1)) / equal.sum(axis=1)
            row, column = np.nonzero(near | equal)
            rows.append(row + start)
            columns.append(column)
            weights.append(np.where(near[row, column], 1.0, left[row]))
    if not rows:
        return csr_array((number, number))
    where = np.concatenate(rows), np.concatenate(columns)
    return csr_array((np.concatenate(weights), where), shape=(number, number))


def _squared_distances(x: Centred) -> list[tuple[int, NDArray[np.float64]]]:
    """Return blocks of lines of the squared distances, infinite from an item to itself."""
    from scipy.spatial.distance import cdist

    every, number = x.read(), len(x.patterns)

    def block(rows: slice) -> NDArray[np.float64]:
        # From differences: products of items would give equal items a distance.
        found: NDArray[np.float64] = cdist(every[rows], every, "sqeuclidean")
        found[np.arange(len(found)), np.arange(rows.start, rows.start + len(found))] = np.inf
        return found

    return [(rows.start, block(rows)) for rows in parts(number, number)]


def _chance(a: Neighbours, b: Neighbours) -> float:
    """Return the mean of the value over all orders: each two items meet each two items."""
    number = a.weights.shape[0]
    pairs = number * (number - 1)
    values, counts = zip(
        *(np.unique(of.weights.data, return_counts=True) for of in (a, b)), strict=True
    )
    smaller = np.minimum.outer(*values)
    return float(counts[0] @ smaller @ counts[1] / (pairs * number * a.neighbours))
