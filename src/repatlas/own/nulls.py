"""The nulls of a measure of a variable, with their p values and draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from repatlas.inference.nulls import MOVED, SHUFFLED, geometric_null, shuffle_null
from repatlas.own.trials import Trials


class Nulls(NamedTuple):
    """What is known of a value's nulls."""

    p_values: dict[str, float]
    """As fields of a Result"""
    draws: dict[str, NDArray[np.float64]]
    """By the name of the null"""


def nulls_of(
    statistic: Callable[[NDArray[Any], NDArray[np.intp]], float], seen: Trials, moved: bool
) -> Nulls:
    """The null that nothing is coded, from shuffled labels, and, if `moved`, the null that as much
    is coded in random directions (Bernardi et al. 2020)."""
    drawn = {"draws": seen.drawn.draws, "seed": seen.drawn.seed}
    shuffled = shuffle_null(statistic, seen.samples, seen.levels, **drawn)
    if not moved:
        return Nulls({"p": shuffled.p}, {SHUFFLED: shuffled.draws})
    apart = geometric_null(statistic, seen.samples, seen.levels, **drawn)
    return Nulls(
        {"p": shuffled.p, "p_geometry": apart.p}, {SHUFFLED: shuffled.draws, MOVED: apart.draws}
    )
