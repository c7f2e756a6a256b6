"""The nulls of a measure of a variable, with their p values and draws."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from repatlas.inference.nulls import MOVED, SHUFFLED, geometric_null, shuffle_null
from repatlas.own.blocks import exchange
from repatlas.own.progress import tick
from repatlas.own.trials import Trials


class Nulls(NamedTuple):
    """What is known of a value's nulls."""

    p_values: dict[str, float]
    """Fields of a Result"""
    draws: dict[str, NDArray[np.float64]]
    """By the name of the null"""
    reason: str = ""
    """Why there is no p value of shuffled labels, or how they were shuffled"""


def nulls_of(
    statistic: Callable[[NDArray[Any], NDArray[np.intp]], float], seen: Trials, moved: bool
) -> Nulls:
    """Return the null that nothing is coded, from shuffled labels.

    If `moved`, the null that as much is coded in random directions is there, too (Bernardi et al.
    2020). With blocks, labels of whole blocks are shuffled, or labels within blocks (exchange).
    """
    if not seen.drawn.draws:
        return Nulls({}, {})
    drawn = {"draws": seen.drawn.draws, "seed": seen.drawn.seed}
    blocks = seen.drawn.groups
    way = exchange(blocks, seen.levels)
    p_values, draws = {}, {}

    def counted(samples: NDArray[Any], levels: NDArray[np.intp]) -> float:
        tick()
        return statistic(samples, levels)

    if way.allowed:
        of_blocks = {"blocks": blocks, "within": way.within}
        shuffled = shuffle_null(counted, seen.samples, seen.levels, **of_blocks, **drawn)
        p_values["p"], draws[SHUFFLED] = shuffled.p, shuffled.draws
    if moved:
        apart = geometric_null(counted, seen.samples, seen.levels, **drawn)
        p_values["p_geometry"], draws[MOVED] = apart.p, apart.draws
    return Nulls(p_values, draws, way.reason)
