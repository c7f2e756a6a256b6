"""Representational similarity analysis (Kriegeskorte et al. 2008)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repatlas.own.compared import Arrays, Compared, Made, compared
from repatlas.own.result import MOST_PERMUTED
from repatlas.own.trials import Drawn
from repatlas.similarity import dissimilarities
from repatlas.similarity.dissimilarities import FEWEST, correlation_of_pairs, prepared_pairs

HOW = "Spearman correlation of the Euclidean distances of items"


class Ranks:
    """The ranks of the distances of the items of x, (m, m). They are scaled so that the product
    with the ranks of another representation is the correlation."""

    def __init__(self, x: NDArray[Any]):
        if len(x) < FEWEST:
            raise ValueError(f"{len(x)} items, {FEWEST} or more needed")
        number = len(x)
        above = np.triu_indices(number, 1)
        self.matrix = np.zeros((number, number))
        self.matrix[above] = prepared_pairs(dissimilarities(x)[above], "spearman")
        self.matrix += self.matrix.T

    def in_order(self, order: NDArray[np.intp]) -> Ranks:
        moved = object.__new__(Ranks)
        moved.matrix = self.matrix[order[:, None], order]
        return moved


PREPARED = Ranks
"""What is made of each array once."""


def pairs(xs: Arrays, ys: Arrays | None, drawn: Drawn, made: Made) -> Iterator[Compared]:
    """Yield the similarity of each pair. Chance is its mean over permutations. They are of
    1000 random items where there are more."""
    yield from compared(
        "rsa", HOW, similarity, PREPARED, xs, ys, drawn, made, permuted=MOST_PERMUTED
    )


def similarity(x: Ranks, y: Ranks) -> float:
    """Return the similarity from what was made of both arrays."""
    return correlation_of_pairs(x.matrix.ravel(), y.matrix.ravel() / 2)
