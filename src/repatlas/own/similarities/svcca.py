"""Singular vector canonical correlation (SVCCA; Raghu et al. 2017)."""

from __future__ import annotations

from collections.abc import Iterator

from repatlas.own.compared import Arrays, Compared, Made, compared
from repatlas.own.trials import Drawn
from repatlas.similarity import ThinSVD, svcca, thin_svd

HOW = "mean canonical correlation of the directions with 99 % of the variance"
PREPARED = thin_svd
"""What is made of each array once."""


def pairs(xs: Arrays, ys: Arrays | None, drawn: Drawn, made: Made) -> Iterator[Compared]:
    """Yield the similarity of each pair. Chance is its mean over permutations."""
    yield from compared("svcca", HOW, similarity, PREPARED, xs, ys, drawn, made)


def similarity(x: ThinSVD, y: ThinSVD) -> float:
    """Return the similarity of two arrays that PREPARED made."""
    return svcca(x, y).similarity
