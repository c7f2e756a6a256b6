"""Cross-validated linear predictivity, by ridge regression."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from repatlas.own.compared import Arrays, Compared, Made, compared
from repatlas.own.trials import Drawn
from repatlas.similarity import Regressors, linear_predictivity

HOW = "variance of held-out items that ridge regression predicts, mean of both directions"


def pairs(xs: Arrays, ys: Arrays | None, drawn: Drawn, made: Made) -> Iterator[Compared]:
    """Yield the similarity of each pair. Chance is its mean over permutations, 0 or less.
    Rows of a group are held out together."""

    def regressors(x: NDArray[Any]) -> Regressors:
        return Regressors(x, groups=drawn.groups, seed=drawn.seed)

    yield from compared("predictivity", HOW, similarity, regressors, xs, ys, drawn, made)


def similarity(x: Regressors, y: Regressors) -> float:
    """Return the similarity from what was made of both arrays."""
    return (linear_predictivity(x, y) + linear_predictivity(y, x)) / 2
