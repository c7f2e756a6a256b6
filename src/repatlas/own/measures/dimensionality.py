"""The participation ratio of a representation, corrected for few rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry import (
    condition_means,
    corrected_participation_ratio,
    halves_of_trials,
    participation_ratio_of_conditions,
)
from repatlas.geometry.corrected_dimensionality import ratio_of_halves
from repatlas.inference.intervals import FEWEST, LEVEL
from repatlas.inference.jackknife import crossed_jackknife_interval, jackknife_interval
from repatlas.inference.permutation import add_one_p, permutations
from repatlas.own.blocks import exchange, halves_of_blocks
from repatlas.own.result import NAN, Result, reasons
from repatlas.own.trials import Trials

SHUFFLES, ROUNDING = 39, 1e-9
NOTHING = "the conditions differ by no more than shuffled trials do (5 % test)"
FEW = "an estimate is not positive: trials, conditions or features are too few"
UNLIKE = "the halves of the trials are not alike enough to tell the dimensions (5 % test)"


def rows(seen: Trials, settings: Any = None) -> Iterator[Result]:
    """Yield the participation ratio. It has no p.

    For items it is corrected_participation_ratio, with the jackknife's interval over items, or over
    items and features. For trials it is participation_ratio_of_conditions, or
    participation_ratio_of_halves where the conditions are a sample of more.
    """
    yield _from_trials(seen) if seen.rows == "trials" else _from_items(seen)


def _from_items(seen: Trials) -> Result:
    x, seed = seen.samples, seen.drawn.seed
    common: dict[str, Any] = {"n": len(seen.samples), "of": "items"}
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
        return Result("dimensionality", NAN, how, reason=str(error), **common)
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
    return Result("dimensionality", value, how, low=low, high=high, reason=reason, **common)


def _from_trials(seen: Trials) -> Result:
    are = seen.fits.conditions
    if are is None:
        are = "sample" if len(seen.names) < 2 and len(seen.counts) >= 2 * FEWEST else "all"
    of, needed = ("of means, conditions all", 4) if are == "all" else ("of halves of trials", 2)
    how = f"participation ratio {of}, features {seen.features}"
    left_out, reason, value, low, high, number = "", "", NAN, NAN, NAN, 0
    try:
        seen, left_out = seen.without_rare(needed)
        number = len(seen.counts)
        if number < 3:
            reason = f"{number} conditions have one dimension at most; 3 or more needed"
        elif not _codes_conditions(seen):
            reason = NOTHING
        elif are == "all":
            drawn = {"blocks": seen.drawn.groups, "seed": seen.drawn.seed}
            value = participation_ratio_of_conditions(
                seen.samples, seen.conditions, seen.features, **drawn
            )
            reason = FEW if np.isnan(value) else "no interval is known to hold for all conditions"
        else:
            value, low, high, reason = _from_halves(seen, number)
    except ValueError as error:
        reason = str(error)
    common: dict[str, Any] = {"n": number, "of": "conditions", "reason": reasons(reason, left_out)}
    return Result("dimensionality", value, how, low=low, high=high, **common)


def _from_halves(seen: Trials, number: int) -> tuple[float, float, float, str]:
    """Return the value, the ends of its interval, and the reason."""
    if seen.drawn.groups is None:
        first, second = halves_of_trials(seen.samples, seen.conditions, seen.drawn.seed)
    else:
        rng = np.random.default_rng(seen.drawn.seed)
        first, second = halves_of_blocks(seen.samples, seen.conditions, seen.drawn.groups, rng)

    def ratio(chosen: NDArray[np.intp], tested: bool = False) -> float:
        # Without some conditions as with all: a test would select among the blocks.
        return ratio_of_halves(first[chosen], second[chosen], seen.features, tested)

    if np.isnan(ratio(np.arange(number))):
        return NAN, NAN, NAN, FEW
    value = ratio(np.arange(number), tested=True)
    if np.isnan(value):
        return NAN, NAN, NAN, UNLIKE
    if number < 2 * FEWEST:
        return value, NAN, NAN, f"{number} conditions, {2 * FEWEST} needed for an interval"
    _, low, high = jackknife_interval(ratio, number, seed=seen.drawn.seed)
    missing = "no interval: without some conditions it is not defined" if np.isnan(low) else ""
    return value, low, high, missing


def _codes_conditions(seen: Trials) -> bool:
    """Return whether the means of conditions differ by more than in 19 of 20 shuffles of trials."""
    groups = seen.drawn.groups
    way = exchange(groups, seen.conditions[:, None])
    if not way.allowed:
        raise ValueError(way.reason.replace("no p", "whether anything is coded is not known"))

    def between(conditions: NDArray[np.intp]) -> float:
        means = condition_means(seen.samples, conditions)
        return float(seen.counts @ np.sum((means - seen.samples.mean(axis=0)) ** 2, axis=1))

    orders = permutations(len(seen.samples), SHUFFLES, groups, seen.drawn.seed, way.within)
    shuffled = [between(seen.conditions[order]) for order in orders]
    return bool(add_one_p(between(seen.conditions), shuffled) <= 1 - LEVEL + ROUNDING)
