"""Mutual nearest neighbours, less those that are shared by chance."""

from __future__ import annotations

from collections.abc import Iterator

from repatlas.own.compared import Arrays, Compared, Made, compared
from repatlas.own.trials import Drawn
from repatlas.similarity import Neighbours, mutual_neighbours

HOW = "shared neighbours, of 10, less chance, as a fraction of what exceeds chance"
PREPARED = Neighbours
"""What is made of each array once."""


def pairs(xs: Arrays, ys: Arrays | None, drawn: Drawn, made: Made) -> Iterator[Compared]:
    """Yield the similarity of each pair. Chance is its mean over permutations, about 0."""
    yield from compared("calibrated_neighbours", HOW, similarity, PREPARED, xs, ys, drawn, made)


def similarity(x: Neighbours, y: Neighbours) -> float:
    """Return the similarity from what was made of both arrays."""
    return mutual_neighbours(x, y).calibrated
