"""The participation ratio of a representation, corrected for few rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry import (
    corrected_participation_ratio,
    halves_of_trials,
    participation_ratio_of_halves,
)
from repatlas.inference.intervals import FEWEST
from repatlas.inference.jackknife import crossed_jackknife_interval, jackknife_interval
from repatlas.own.result import NAN, Result
from repatlas.own.trials import Trials

OF = "checkpoint"


def rows(seen: Trials, settings: Any = None) -> Iterator[Result]:
    """Of items corrected_participation_ratio, with the jackknife's interval over items, or over
    items and features; of trials participation_ratio_of_halves. It has no p."""
    yield _of_halves(seen) if seen.rows == "trials" else _of_items(seen)


def _of_items(seen: Trials) -> Result:
    x, seed = seen.samples, seen.drawn.seed
    how = f"participation ratio, items a sample, features {seen.features}"
    try:
        if seen.features == "all":
            value, low, high = jackknife_interval(
                lambda chosen: corrected_participation_ratio(x[chosen], features="all"),
                len(x),
                seed=seed,
            )
        else:
            value, low, high = crossed_jackknife_interval(
                lambda chosen, units: corrected_participation_ratio(x[chosen][:, units]),
                *x.shape,
                seed=seed,
            )
    except ValueError as error:
        return Result("dimensionality", NAN, how, n=len(x), of="items", reason=str(error))
    reason = f"fewer than {FEWEST} blocks of items, or of features" if np.isnan(low) else ""
    return Result(
        "dimensionality", value, how, low=low, high=high, n=len(x), of="items", reason=reason
    )


def _of_halves(seen: Trials) -> Result:
    how = f"participation ratio of halves of trials, features {seen.features}"
    number, seed = len(seen.counts), seen.drawn.seed
    common: dict[str, Any] = {"n": number, "of": "conditions"}
    try:
        first, second = halves_of_trials(seen.samples, seen.conditions, seed)

        def of(chosen: NDArray[np.intp]) -> float:
            return participation_ratio_of_halves(first[chosen], second[chosen], seen.features)

        value, low, high = of(np.arange(number)), NAN, NAN
        if number >= 2 * FEWEST:
            value, low, high = jackknife_interval(of, number, seed=seed)
    except ValueError as error:
        return Result("dimensionality", NAN, how, reason=str(error), **common)
    reason = f"{number} conditions, {2 * FEWEST} needed for an interval" if np.isnan(low) else ""
    return Result("dimensionality", value, how, low=low, high=high, reason=reason, **common)
