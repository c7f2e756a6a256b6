"""The parallelism score of each variable, corrected for the noise of its coding vectors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry import condition_means, corrected_parallelism_score
from repatlas.geometry.corrected_parallelism import RATIO, Form
from repatlas.geometry.design import as_trials
from repatlas.geometry.parallelism import mean_cosine
from repatlas.inference.intervals import FEWEST
from repatlas.inference.jackknife import jackknife_interval
from repatlas.own.nulls import nulls_of
from repatlas.own.result import NAN, Result, draws_of
from repatlas.own.trials import Trials

OF = "checkpoint"


def rows(seen: Trials, settings: Any = None) -> Iterator[Result]:
    """corrected_parallelism_score, with the jackknife's interval over the rows of each condition
    where these are 6 or more; of a single row in each condition the plain score. Chance is 0. Both
    nulls compare the plain score."""
    for column, name in enumerate(seen.names):
        try:
            yield from _of_variable(seen, column)
        except ValueError as error:
            yield Result(
                "parallelism",
                NAN,
                "",
                about=name,
                chance=0.0,
                n=len(seen.samples),
                reason=str(error),
            )


def _of_variable(seen: Trials, column: int) -> Iterator[Result]:
    def plain(samples: NDArray[Any], levels: NDArray[np.intp]) -> float:
        return _plain(samples, levels, column)

    nulls = nulls_of(plain, seen, moved=True)
    result = Result(
        "parallelism",
        plain(seen.samples, seen.levels),
        "mean cosine of coding vectors",
        about=seen.names[column],
        chance=0.0,
        n=len(seen.samples),
        reason="a condition has a single row, so that its noise is not known",
        **nulls.p_values,
    )
    yield result if seen.counts.min() < 2 else _corrected(result, seen, column)
    yield from draws_of("parallelism", seen.names[column], nulls.draws)


def _corrected(result: Result, seen: Trials, column: int) -> Result:
    samples, levels, fewest = seen.samples, seen.levels, seen.counts.min()
    found = corrected_parallelism_score(samples, levels, column)
    result = result._replace(
        value=found.value,
        variant=found.estimator,
        reason=f"a condition has {fewest} rows, {FEWEST} needed for an interval",
    )
    if fewest < FEWEST or np.isnan(found.value):
        return result
    # Without each block by the same form as with all.
    form: Form = "ratio" if found.estimator == RATIO else "cosines"
    _, low, high = jackknife_interval(
        lambda rows: corrected_parallelism_score(samples[rows], levels[rows], column, form).value,
        len(samples),
        strata=seen.conditions,
        seed=seen.drawn.seed,
    )
    reason = "without some rows there is more noise than signal" if np.isnan(low) else ""
    return result._replace(low=low, high=high, reason=reason)


def _plain(samples: NDArray[Any], levels: NDArray[np.intp], variable: int) -> float:
    """The parallelism score of conditions' means, the mean over pairs of values."""
    patterns, design = as_trials(samples, levels)
    means = condition_means(patterns, design.conditions)
    contexts = design.contexts(variable, fewest=2)
    return float(np.mean([mean_cosine(means, pairs) for pairs in contexts.values()]))
