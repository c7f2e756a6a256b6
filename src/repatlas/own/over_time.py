"""Decoders over time: fitted at one time, tested at another, with p values of all pairs."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry import NotConverged
from repatlas.geometry.balanced import at_least
from repatlas.geometry.over_time import as_times, decoding_over_time
from repatlas.geometry.patterns import as_array
from repatlas.geometry.scaling import Scale, refuse_scale
from repatlas.geometry.threads import on_one_thread
from repatlas.inference.permutation import add_one_p, max_t, permutations
from repatlas.own.annotated import columns_of, with_rows
from repatlas.own.blocks import exchange
from repatlas.own.decoders import NO_INTERVAL
from repatlas.own.labels import Variables, labelled
from repatlas.own.progress import doing, progress, tick
from repatlas.own.result import NAN, DataFrame, frame, reasons

COLUMNS = ["about", "train", "test", "value", "chance", "p", "p_family", "n", "how", "reason"]


@on_one_thread
@progress("over_time")
def over_time(
    samples: ArrayLike,
    labels: Any,
    variables: Variables = None,
    times: Sequence[Any] | None = None,
    blocks: ArrayLike | None = None,
    folds: int = 5,
    draws: int = 99,
    seed: int = 0,
    scale: Scale = "rms",
) -> DataFrame:
    """Decode each variable at each time with the decoder of each other time.

    samples: (m, n, T), trials x neurons x times, an array or a tensor; labels, variables, blocks,
    folds, scale: as for `measure` with rows="trials"; times: (T,), what the times are called, 0, 1,
    2 ... if None. The result has a row for each variable (about), time of the fit (train) and time
    of the test (test). The value is the accuracy of geometry.over_time.decoding_over_time, in which
    no trial is in a fit and in its test. The column chance is 0.5. The column p has the p value of
    the null hypothesis that nothing is coded, from shuffled labels, which are the same for all
    times in each draw. The column p_family has the p value for all pairs of times of a variable
    together (max-T). A stable code has accuracies above chance off the diagonal, too. The column n
    has the number of trials. The column how names the estimator. The column reason says why a
    number or its interval is missing. For similarities of time courses use `compare` with an array
    for each time. Raises ValueError for malformed input.

    >>> side = np.tile(["left", "right"], 30)
    >>> rates = np.random.default_rng(0).standard_normal((60, 8, 3))
    >>> rates[:, 0, 1:] += 3.0 * (side == "right")[:, None]  # from the second time on
    >>> found = over_time(rates, side, draws=19)
    >>> found.pivot(index="train", columns="test", values="value").round(1).values.tolist()
    [[0.4, 0.4, 0.4], [0.5, 0.9, 0.9], [0.5, 0.9, 1.0]]
    """
    labels, blocks = columns_of(samples, "labels", labels), columns_of(samples, "blocks", blocks)
    array = as_array("samples", samples)
    at_least("seed", seed, 0)
    at_least("draws", draws, 1)
    refuse_scale(scale)
    as_times(array)  # to refuse a missing number, which would be the reason for every time
    named = list(range(array.shape[2])) if times is None else np.asarray(times).tolist()
    if len(named) != array.shape[2] or len({*named}) < len(named):
        raise ValueError(
            f"times has {len(named)} names, {len({*named})} of them different; allowed is one for "
            f"each of the {array.shape[2]} times."
        )
    # The rows that count, by their numbers.
    rows = labelled(with_rows(samples, np.arange(len(array))[:, None]), labels, variables, blocks)
    kept = array[rows.samples[:, 0]]
    found: list[dict[str, Any]] = []
    for column, about in enumerate(rows.names):
        doing(about, column + 1, len(rows.names))
        options = {"folds": folds, "draws": draws, "seed": seed, "scale": scale}
        of = accuracies_over_time(kept, rows.levels, column, rows.blocks, **options)
        common = {"about": about, "chance": 0.5, "n": len(kept)}
        common |= {"variant": of.estimator, "reason": of.reason}
        for (i, j), value in np.ndenumerate(of.values):
            p_values = {"p": float(of.p[i, j]), "p_family": float(of.p_family[i, j])}
            place = {"train": named[i], "test": named[j], "value": float(value)}
            found.append(common | place | p_values)
    return frame(found, COLUMNS)


class Accuracies(NamedTuple):
    """Accuracies of a variable, (times, times): a line for each time of a fit."""

    values: NDArray[np.float64]
    p: NDArray[np.float64]
    p_family: NDArray[np.float64]
    """All pairs of times together (max-T)"""
    estimator: str
    reason: str


def accuracies_over_time(
    samples: NDArray[Any],
    levels: NDArray[np.intp],
    column: int,
    blocks: NDArray[np.intp] | None,
    folds: int,
    draws: int,
    seed: int,
    scale: Scale = "rms",
) -> Accuracies:
    """Return the accuracies of a variable with their p values.

    Without accuracies all numbers are nan, and reason says why. With accuracies, reason says why
    there is no interval, and why p is nan where it is.

    samples: (m, n, T); levels: (m, k); column: the variable; blocks: (m,) or None.
    """
    folds = folds if blocks is None else min(folds, len(np.unique(blocks)))
    options: dict[str, Any] = {"folds": folds, "seed": seed, "blocks": blocks, "scale": scale}
    shape = (samples.shape[2],) * 2
    value, p, p_family, how = np.full(shape, NAN), np.full(shape, NAN), np.full(shape, NAN), ""
    reason, way = "", exchange(blocks, levels)
    try:
        value, how = decoding_over_time(samples, levels, column, **options)
        reason = reasons(NO_INTERVAL, way.reason)
    except (ValueError, NotConverged) as error:
        reason = str(error)
    if np.isfinite(value).all() and way.allowed:
        null = np.full((draws, *shape), NAN)
        orders = permutations(len(levels), draws, blocks, seed, way.within)
        for draw, order in enumerate(orders):
            tick()
            try:
                null[draw] = decoding_over_time(samples, levels[order], column, **options)[0]
            except (ValueError, NotConverged):
                null[draw] = np.inf  # counts as large
        p, p_family = add_one_p(value, null), max_t(value, null)
    return Accuracies(value, p, p_family, how, reason)
