"""Representational similarity analysis (Kriegeskorte et al. 2008)."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry.kernels import Centred
from repatlas.own.result import MOST_PERMUTED
from repatlas.similarity import Dissimilarities
from repatlas.similarity.dissimilarities import FEWEST, By, prepared_pairs

MOST = MOST_PERMUTED
"""The most items that are permuted."""
HOW = "Spearman correlation of the Euclidean distances of items"


class Ranks:
    """The ranks of the distances of the items of x, (m, m). They are scaled so that the product
    with the ranks of another representation is the correlation."""

    by: By = "spearman"

    def __init__(self, x: NDArray[Any] | Dissimilarities):
        if len(x) < FEWEST:
            raise ValueError(f"{len(x)} items, {FEWEST} or more needed")
        from scipy.spatial.distance import pdist, squareform  # here, since it takes long to import

        if isinstance(x, Dissimilarities):
            distances, rounding = x.pairs, x.rounding
        else:
            centred = Centred("x", x)
            # Roots, since rounding moves distances, and not their squares, by the same amount.
            distances = np.sqrt(pdist(centred.read(), "sqeuclidean"))
            rounding = centred.rounding
        self.matrix = squareform(prepared_pairs(distances, rounding, self.by))

    def in_order(self, order: NDArray[np.intp]) -> Self:
        moved = object.__new__(type(self))
        moved.matrix = self.matrix[order[:, None], order]
        return moved


PREPARED = Ranks


def similarity(x: Ranks, y: Ranks) -> float:
    """Return the correlation of the ranks of two representations."""
    return float(np.clip(x.matrix.ravel() @ (y.matrix.ravel() / 2), -1, 1))
