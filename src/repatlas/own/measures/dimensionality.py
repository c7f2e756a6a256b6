"""The participation ratio of a representation, corrected for few rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from repatlas.geometry import (
    corrected_participation_ratio,
    halves_of_trials,
    participation_ratio_of_halves,
)
from repatlas.geometry.corrected_dimensionality import ratio_of_halves
from repatlas.inference.intervals import FEWEST
from repatlas.inference.jackknife import crossed_jackknife_interval, jackknife_interval
from repatlas.own.blocks import halves_of_blocks
from repatlas.own.result import NAN, Result, reasons
from repatlas.own.trials import Trials

OF = "checkpoint"


def rows(seen: Trials, settings: Any = None) -> Iterator[Result]:
    """Yield the participation ratio. It has no p.

    For items it is corrected_participation_ratio, with the jackknife's interval over items, or over
    items and features. For trials it is participation_ratio_of_halves.
    """
    yield _from_halves(seen) if seen.rows == "trials" else _from_items(seen)


def _from_items(seen: Trials) -> Result:
    x, seed = seen.samples, seen.drawn.seed
    how = f"participation ratio, items a sample, features {seen.features}"
    try:
        if seen.features == "all":
            value, low, high = jackknife_interval(
                lambda chosen: corrected_participation_ratio(x[chosen], features="all"),
                len(x),
                groups=seen.drawn.groups,
                seed=seed,
            )
        elif seen.drawn.groups is not None:
            value, low, high = corrected_participation_ratio(x), NAN, NAN
        else:
            value, low, high = crossed_jackknife_interval(
                lambda chosen, units: corrected_participation_ratio(x[chosen][:, units]),
                *x.shape,
                seed=seed,
            )
    except ValueError as error:
        return Result("dimensionality", NAN, how, n=len(x), of="items", reason=str(error))
    reason = ""
    if np.isnan(value):
        reason = "all items are the same, or items or features are too few to tell"
    elif seen.features == "sample" and seen.drawn.groups is not None:
        reason = "no interval is known for blocks and a sample of features"
    elif len(x) < FEWEST or (seen.features == "sample" and x.shape[1] < FEWEST):
        reason = (
            f"{len(x)} items and {x.shape[1]} features, {FEWEST} of each needed for an interval"
        )
    elif np.isnan(low):
        reason = "no interval: without some items or features it is not defined"
    return Result(
        "dimensionality", value, how, low=low, high=high, n=len(x), of="items", reason=reason
    )


def _from_halves(seen: Trials) -> Result:
    how = f"participation ratio of halves of trials, features {seen.features}"
    left_out = ""
    try:
        seen, left_out = seen.without_rare(2)
        if seen.drawn.groups is None:
            first, second = halves_of_trials(seen.samples, seen.conditions, seen.drawn.seed)
        else:
            rng = np.random.default_rng(seen.drawn.seed)
            first, second = halves_of_blocks(seen.samples, seen.conditions, seen.drawn.groups, rng)
        number = len(first)
        value = participation_ratio_of_halves(first, second, seen.features)
        low, high = NAN, NAN
        if number >= 2 * FEWEST and not np.isnan(value):
            # Without some conditions as with all: a test would select among the blocks.
            _, low, high = jackknife_interval(
                lambda chosen: ratio_of_halves(
                    first[chosen], second[chosen], seen.features, tested=False
                ),
                number,
                seed=seen.drawn.seed,
            )
    except ValueError as error:
        reason = reasons(str(error), left_out)
        return Result("dimensionality", NAN, how, of="conditions", reason=reason)
    reason = ""
    if np.isnan(value):
        reason = "both halves of the trials have no more in common than noise alone (5 % test)"
    elif number < 2 * FEWEST:
        reason = f"{number} conditions, {2 * FEWEST} needed for an interval"
    elif np.isnan(low):
        reason = "no interval: without some conditions it is not defined"
    reason = reasons(reason, left_out)
    common: dict[str, Any] = {"n": number, "of": "conditions", "reason": reason}
    return Result("dimensionality", value, how, low=low, high=high, **common)
