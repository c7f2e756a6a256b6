"""Functions that measures by decoders share: a score of each variable with its nulls."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry import NotConverged
from repatlas.geometry.design import ByPair
from repatlas.geometry.scaling import few_features
from repatlas.own.nulls import nulls_of
from repatlas.own.result import NAN, Result, draws_of, reasons
from repatlas.own.trials import DRAWS, Trials

NO_INTERVAL = "no interval is known to hold for decoders on one set of rows: resample sessions"


def scores(
    measure: str,
    score: Callable[..., ByPair],
    seen: Trials,
    moved: bool,
    least: int,
    by_context: bool,
    hint: str = "",
    **options: Any,
) -> Iterator[Result]:
    """Yield the score of each variable, or nan and the reason.

    moved: True if it has both nulls, False if labels are only shuffled. least: the fewest rows of a
    condition that it needs. by_context: True if it fits a decoder in each of two contexts or more,
    False if one decoder is for all contexts. hint: what keeps more conditions. options: arguments
    of the score. p is of scores from one draw of equal numbers, as are its nulls.
    """
    least = max(least, seen.fits.least or 0)
    options |= {"resamples": 1, "seed": seen.drawn.seed, "scale": seen.fits.scale}
    dominated = few_features(seen.samples) if seen.fits.scale == "rms" else ""
    blocks = seen.drawn.groups is not None
    for column, about in enumerate(seen.names):
        left_out = ""
        try:
            left_out = hint if seen.counts.min() < least else ""
            part, rare = seen.without_rare(least)
            left_out = reasons(rare, left_out)
            contexts = part.design.contexts(column, fewest=2 if by_context else 1)
            if blocks:
                options["blocks"] = part.drawn.groups
                options["folds"] = min(seen.fits.folds, len(np.unique(part.drawn.groups)))
            is_equal = part.counts.min() == part.counts.max()
            draws = seen.fits.resamples or (1 if is_equal else DRAWS)
            found = score(part.samples, part.levels, column, **options | {"resamples": draws})
            nulls = nulls_of(
                lambda samples, levels, column=column: (
                    score(samples, levels, column, **options).value
                ),
                part,
                moved,
            )
        except (ValueError, NotConverged) as error:
            reason = reasons(str(error), left_out)
            yield Result(measure, NAN, "", about=about, chance=0.5, reason=reason)
            continue
        of_pairs = list(contexts.values())
        rows, few = _drawn_rows(part, of_pairs, by_context)
        if blocks:  # whose rows are all tested
            used = np.unique(np.concatenate(of_pairs))
            rows, few = int(part.design.counts[used].sum()), nulls.reason
        yield Result(
            measure,
            found.value,
            found.estimator,
            about=about,
            chance=0.5,
            n=rows,
            reason=reasons(NO_INTERVAL, left_out, few, dominated),
            **nulls.p_values,
        )
        yield from draws_of(measure, about, nulls.draws)


def _drawn_rows(
    seen: Trials, contexts: list[NDArray[np.intp]], by_context: bool
) -> tuple[int, str]:
    """Return how many rows a draw takes, and a reason or an empty string.

    The reason names a condition that is so rare that a draw leaves out more than half of the rows.

    contexts: (contexts, 2) conditions for each pair of values. Each fit takes as many rows of each
    of its conditions as the rarest of them has.
    """
    design = seen.design
    counts, taken = design.counts, np.zeros(len(design.counts), dtype=np.intp)
    for pairs in contexts:
        for fitted in pairs if by_context else [pairs.ravel()]:
            taken[fitted] = np.maximum(taken[fitted], counts[fitted].min())
    used = np.flatnonzero(taken)
    if 2 * taken.sum() >= counts[used].sum():
        return int(taken.sum()), ""
    rarest = int(used[counts[used].argmin()])
    return int(taken.sum()), (
        f"fits take equal numbers of rows, and so few because condition ({design.name(rarest)}) "
        f"has {counts[rarest]}: least leaves out such conditions"
    )
