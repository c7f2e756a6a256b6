"""Cross-validated linear predictivity, by ridge regression."""

from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from repatlas.geometry.scaling import few_features
from repatlas.own.compared import Arrays, Compared, Made, compared
from repatlas.own.result import reasons
from repatlas.own.trials import Drawn
from repatlas.similarity import Regressors, linear_predictivity

HOW = "variance of held-out items that ridge regression predicts, mean of both directions"
PREPARED = Regressors


def pairs(xs: Arrays, ys: Arrays | None, drawn: Drawn, made: Made) -> Iterator[Compared]:
    """Yield the similarity of each pair. Chance is its mean over permutations, 0 or less. Rows of a
    group are held out together."""
    by_rms = drawn.scale != "features"

    def regressors(x: NDArray[Any]) -> Regressors:
        return Regressors(x, groups=drawn.groups, seed=drawn.seed, scale=not by_rms)

    few = [[few_features(x) if by_rms else "" for x in of] for of in (xs, xs if ys is None else ys)]
    for pair in compared("predictivity", HOW, similarity, regressors, xs, ys, drawn, made):
        reason = reasons(pair.result.reason, few[0][pair.i] or few[1][pair.j])
        yield pair._replace(result=pair.result._replace(reason=reason))


def similarity(x: Regressors, y: Regressors) -> float:
    """Return the mean of both directions."""
    return (linear_predictivity(x, y) + linear_predictivity(y, x)) / 2
