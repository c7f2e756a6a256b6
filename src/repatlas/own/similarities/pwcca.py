"""Projection-weighted canonical correlation (PWCCA; Morcos et al. 2018)."""

from __future__ import annotations

from collections.abc import Iterator

from repatlas.own.compared import Arrays, Compared, Made, compared
from repatlas.own.trials import Drawn
from repatlas.similarity import ThinSVD, pwcca, thin_svd

HOW = "canonical correlations weighted by what their directions account for, mean of both"
PREPARED = thin_svd
"""What is made of each array once."""


def pairs(xs: Arrays, ys: Arrays | None, drawn: Drawn, made: Made) -> Iterator[Compared]:
    """Yield the similarity of each pair. Chance is its mean over permutations."""
    yield from compared("pwcca", HOW, similarity, PREPARED, xs, ys, drawn, made)


def similarity(x: ThinSVD, y: ThinSVD) -> float:
    """Return the similarity of two arrays that PREPARED made."""
    return pwcca(x, y, weights_from="both")
