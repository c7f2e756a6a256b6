"""Neural collapse: how much of the variance is within the values of each variable."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry import neural_collapse
from repatlas.geometry.class_variance import within_share
from repatlas.inference.intervals import FEWEST
from repatlas.inference.jackknife import jackknife_interval
from repatlas.own.nulls import nulls_of
from repatlas.own.result import NAN, Result, draws_of, reasons
from repatlas.own.trials import Trials

HOW = {
    "within_share": "share of the variance within classes",
    "nc1": "Tr(W B^+) / C (Papyan, Han & Donoho 2020)",
    "nc2_norms": "variation of the lengths of class means",
    "nc2_angles": "mean distance of cosines from the cosine of a simplex",
}


def rows(seen: Trials, settings: Any = None) -> Iterator[Result]:
    """Yield within_share, nc1 and, of three classes or more, nc2_norms and nc2_angles.

    The classes are the values of each variable. All are 0 for complete collapse. The interval is
    the jackknife's, over rows or blocks. Chance is the mean over shuffled labels of rows, and p is
    the p value of as little variance within classes. nc2 has neither. NC3 and NC4 need a readout:
    neural_collapse has them.
    """
    for column, name in enumerate(seen.names):
        classes = seen.levels[:, column]
        number = len(np.unique(classes))
        common: dict[str, Any] = {"about": name, "n": len(classes)}
        if number < 2:
            reason = "the variable has one value alone"
            yield Result("within_share", NAN, HOW["within_share"], reason=reason, **common)
            continue
        for measure in [*HOW][: 4 if number > 2 else 2]:
            value, low, high, why = _with_interval(seen, measure, classes, number)
            result = Result(measure, value, HOW[measure], low=low, high=high, reason=why, **common)
            if np.isnan(value) or measure.startswith("nc2"):
                yield result
                continue
            of = partial(_without_collapse, measure, column)
            nulls = nulls_of(of, seen, moved=False)
            draws = {null: -values for null, values in nulls.draws.items()}
            chance = float(np.mean([*draws.values()])) if draws else NAN
            why = reasons(why, nulls.reason)
            yield result._replace(chance=chance, reason=why, **nulls.p_values)
            yield from draws_of(measure, name, draws)


def _without_collapse(
    measure: str, column: int, samples: NDArray[Any], levels: NDArray[np.intp]
) -> float:
    return -_value(measure, samples, levels[:, column])


def _with_interval(
    seen: Trials, measure: str, classes: NDArray[np.intp], number: int
) -> tuple[float, float, float, str]:
    """Return the value, the ends of its interval, and why something is missing."""
    try:
        value = _value(measure, seen.samples, classes)
    except ValueError as error:
        return NAN, NAN, NAN, str(error)
    if np.isnan(value):
        return NAN, NAN, NAN, "all rows are the same"
    groups = seen.drawn.groups
    fewest = (
        np.bincount(classes)[np.unique(classes)].min() if groups is None else len(np.unique(groups))
    )
    if fewest < FEWEST:
        of = "rows of the rarest value" if groups is None else "blocks"
        return value, NAN, NAN, f"{fewest} {of}, {FEWEST} needed for an interval"

    def without(kept: NDArray[np.intp]) -> float:
        # Blocks may hold all rows of a value.
        there = len(np.unique(classes[kept])) == number
        return _value(measure, seen.samples[kept], classes[kept]) if there else NAN

    _, low, high = jackknife_interval(
        without,
        len(classes),
        strata=classes if groups is None else None,
        groups=groups,
        seed=seen.drawn.seed,
    )
    missing = "no interval: without some blocks it is not defined" if np.isnan(low) else ""
    return value, low, high, missing


def _value(measure: str, samples: NDArray[Any], classes: NDArray[np.intp]) -> float:
    if measure == "within_share":
        return within_share(samples, classes)
    found = neural_collapse(samples, classes)
    return {"nc1": found.nc1, "nc2_norms": found.equinorm, "nc2_angles": found.simplex}[measure]
