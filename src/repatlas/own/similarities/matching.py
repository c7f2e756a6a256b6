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


def pairs(xs: Arrays, ys: Arrays | None, drawn: Drawn, made: Made) -> Iterator[Compared]:
    """The similarity of each pair. Chance is its mean over permutations."""
    yield from compared("matching", HOW, _similarity, np.asarray, xs, ys, drawn, made)


def _similarity(x: NDArray[Any], y: NDArray[Any]) -> float:
    return float(matching(x, y).correlations.mean())
