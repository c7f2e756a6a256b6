"""What measures by decoders share: a score of each variable, beside its nulls."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from repatlas.geometry import NotConverged
from repatlas.geometry.design import ByPair
from repatlas.own.nulls import nulls_of
from repatlas.own.result import NAN, Result, draws_of
from repatlas.own.trials import Trials

NO_INTERVAL = "no interval is known to hold for decoders on one set of rows: resample sessions"


def scores(
    measure: str, score: Callable[..., ByPair], seen: Trials, moved: bool
) -> Iterator[Result]:
    """A score of each variable; or nan, and why. moved: whether it has both nulls, or that of
    shuffled labels alone."""
    for column, about in enumerate(seen.names):
        try:
            # One resample: p values ask for many scores, and are of the same score as the value.
            found = score(seen.samples, seen.levels, column, resamples=1, seed=seen.drawn.seed)
            nulls = nulls_of(
                lambda samples, levels, column=column: (
                    score(samples, levels, column, resamples=1, seed=seen.drawn.seed).value
                ),
                seen,
                moved,
            )
        except (ValueError, NotConverged) as error:
            yield Result(
                measure, NAN, "", about=about, chance=0.5, n=len(seen.samples), reason=str(error)
            )
            continue
        yield Result(
            measure,
            found.value,
            found.estimator,
            about=about,
            chance=0.5,
            n=len(seen.samples),
            reason=NO_INTERVAL,
            **nulls.p_values,
        )
        yield from draws_of(measure, about, nulls.draws)
