"""Mean canonical correlation (CCA)."""

from __future__ import annotations

from collections.abc import Iterator

from repatlas.own.compared import Arrays, Compared, Made, compared
from repatlas.own.trials import Drawn
from repatlas.similarity import ThinSVD, canonical_correlations, thin_svd

HOW = "mean canonical correlation"
PREPARED = thin_svd
"""What is made of each array once."""


def pairs(xs: Arrays, ys: Arrays | None, drawn: Drawn, made: Made) -> Iterator[Compared]:
    """Yield the similarity of each pair. Chance is its mean over permutations."""
    yield from compared("cca", HOW, similarity, PREPARED, xs, ys, drawn, made)


def similarity(x: ThinSVD, y: ThinSVD) -> float:
    """Return the similarity of two arrays that PREPARED made."""
    found = canonical_correlations(x, y)
    return float(found.mean()) if len(found) else float("nan")
