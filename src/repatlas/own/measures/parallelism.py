"""The parallelism score of each variable, corrected for the noise of its coding vectors."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry import condition_means, corrected_parallelism_score
from repatlas.geometry.corrected_parallelism import RATIO, Form, score_of_trials
from repatlas.geometry.design import as_trials
from repatlas.geometry.parallelism import mean_cosine
from repatlas.inference.intervals import FEWEST
from repatlas.inference.jackknife import jackknife_interval
from repatlas.own.nulls import nulls_of
from repatlas.own.result import NAN, Result, draws_of, reasons
from repatlas.own.trials import Trials

NOISE = "its coding vectors are no longer than noise alone may make them (5 % test)"
SAME = "the means of its conditions are the same in all contexts, or in all but one"
WITHOUT = "no interval: without some rows its coding vectors are no longer than noise makes them"


def rows(seen: Trials, settings: Any = None) -> Iterator[Result]:
    """Yield corrected_parallelism_score. Chance is 0. Both nulls compare the plain score.

    It has the jackknife's interval over rows if each condition has 6 rows or more.

    Conditions of trials with a single row are left out, since their noise is not known. The value
    is the plain score if all conditions of trials, or any condition of items, have a single row.
    """
    for column, name in enumerate(seen.names):
        left_out = ""
        try:
            part, left_out = seen.without_rare(_least(seen))
            yield from _results(part, column, left_out)
        except ValueError as error:
            reason = reasons(str(error), left_out)
            yield Result("parallelism", NAN, "", about=name, chance=0.0, reason=reason)


def _least(seen: Trials) -> int:
    needed = 2 if seen.rows == "trials" and seen.counts.max() > 1 else 1
    return max(needed, seen.fits.least or 0)


def _results(seen: Trials, column: int, left_out: str) -> Iterator[Result]:
    contexts = seen.design.contexts(column, fewest=2)
    used = np.unique(np.concatenate(list(contexts.values())))

    plain = partial(_plain, variable=column)
    nulls = nulls_of(plain, seen, moved=True)
    value = plain(seen.samples, seen.levels)
    cells = seen.block_means()
    rarest = cells.condition_name(int(cells.counts.argmin()))
    alone = "has a single row" if seen.drawn.groups is None else "is in one block alone"
    result = Result(
        "parallelism",
        value,
        "mean cosine of coding vectors",
        about=seen.names[column],
        chance=0.0,
        n=int(seen.design.counts[used].sum()),
        reason=f"condition ({rarest}) {alone}, so that its noise is not known",
        **nulls.p_values,
    )
    if np.isnan(value):
        result = result._replace(reason=SAME)
    elif cells.counts.min() > 1:
        result = _corrected(result, cells, column)
    yield result._replace(reason=reasons(result.reason, nulls.reason, left_out))
    yield from draws_of("parallelism", seen.names[column], nulls.draws)


def _corrected(result: Result, seen: Trials, column: int) -> Result:
    samples, levels, fewest = seen.samples, seen.levels, seen.counts.min()
    found = corrected_parallelism_score(samples, levels, column)
    result = result._replace(value=found.value, variant=found.estimator, reason="")
    if np.isnan(found.value):
        return result._replace(reason=NOISE)
    if fewest < FEWEST:
        rarest = seen.condition_name(int(seen.counts.argmin()))
        of = "rows" if seen.drawn.groups is None else "blocks"
        return result._replace(
            reason=f"condition ({rarest}) has {fewest} {of}, {FEWEST} needed for an interval"
        )
    # Without each block by the same form as with all.
    form: Form = "ratio" if found.estimator == RATIO else "cosines"
    _, low, high = jackknife_interval(
        lambda rows: score_of_trials(samples[rows], levels[rows], column, form, tested=False).value,
        len(samples),
        strata=seen.conditions if seen.drawn.groups is None else None,
        groups=seen.drawn.groups,
        seed=seen.drawn.seed,
    )
    return result._replace(low=low, high=high, reason=WITHOUT if np.isnan(low) else "")


def _plain(samples: NDArray[Any], levels: NDArray[np.intp], variable: int) -> float:
    """Return the parallelism score of conditions' means, the mean over pairs of values."""
    patterns, design = as_trials(samples, levels)
    means = condition_means(patterns, design.conditions)
    contexts = design.contexts(variable, fewest=2)
    return float(np.mean([mean_cosine(means, pairs) for pairs in contexts.values()]))
