"""Units matched one to one (Li et al. 2016)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repatlas.own.compared import Arrays, Compared, Made, compared
from repatlas.own.trials import Drawn
from repatlas.similarity import matching

HOW = "mean correlation of units in pairs, no unit twice"
PREPARED = np.asarray
"""What is made of each array once."""


def pairs(xs: Arrays, ys: Arrays | None, drawn: Drawn, made: Made) -> Iterator[Compared]:
    """Yield the similarity of each pair. Chance is its mean over permutations."""
    yield from compared("matching", HOW, similarity, PREPARED, xs, ys, drawn, made)


def similarity(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the similarity of two arrays that PREPARED made."""
    return float(matching(x, y).correlations.mean())
