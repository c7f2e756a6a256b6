"""Orthogonal Procrustes, the shape similarity of Williams et al. 2021."""

from __future__ import annotations

from collections.abc import Iterator

from repatlas.own.compared import Arrays, Compared, Made, compared
from repatlas.own.trials import Drawn
from repatlas.similarity import ThinSVD, procrustes, thin_svd

HOW = "Procrustes similarity after the best rotation, the cosine of the shape distance"
PREPARED = thin_svd
"""What is made of each array once."""


def pairs(xs: Arrays, ys: Arrays | None, drawn: Drawn, made: Made) -> Iterator[Compared]:
    """Yield the similarity of each pair. Chance is its mean over permutations."""
    yield from compared("procrustes", HOW, similarity, PREPARED, xs, ys, drawn, made)


def similarity(x: ThinSVD, y: ThinSVD) -> float:
    """Return the similarity from what was made of both arrays."""
    return procrustes(x, y).similarity
