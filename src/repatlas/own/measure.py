"""Measures of one representation, each by the estimator that is right for its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry import (
    NotConverged,
    balanced_ccgp,
    balanced_decoding,
    condition_means,
    corrected_parallelism_score,
    corrected_participation_ratio,
    halves_of_trials,
    kernel_alignment,
    participation_ratio_of_halves,
)
from repatlas.geometry.corrected_parallelism import RATIO, Form
from repatlas.geometry.design import ByPair, as_trials
from repatlas.geometry.parallelism import mean_cosine
from repatlas.inference.alignment_pairs import aligned_pairs
from repatlas.inference.intervals import FEWEST
from repatlas.inference.jackknife import crossed_jackknife_interval, jackknife_interval
from repatlas.inference.nulls import geometric_null, shuffle_null
from repatlas.inference.permutation import permute_items
from repatlas.own.result import ITEMS_NEEDED, MOST_PERMUTED, NAN, Result, frame
from repatlas.own.trials import Trials, Variables

if TYPE_CHECKING:
    import pandas as pd

Rows = Literal["items", "trials"]
COLUMNS = ["measure", "about", "value", "low", "high", "chance", "p", "p_geometry", "n", "of"]
COLUMNS += ["how", "reason"]
NO_INTERVAL = "no interval is known to hold for decoders on one set of rows: resample sessions"


def measure(
    samples: ArrayLike,
    labels: Any,
    rows: Rows,
    variables: Variables = None,
    measures: Sequence[str] = ("alignment", "decoding", "ccgp", "parallelism", "dimensionality"),
    features: Literal["all", "sample"] | None = None,
    draws: int = 199,
    seed: int = 0,
) -> pd.DataFrame:
    """The geometry of a representation, with intervals, chance levels and p values.

    samples: (m, n), a row for each item or trial, a column for each unit; labels: (m, k), the
    values that k variables had in each row, numbers or strings, as an array, a data frame or a
    mapping from names to columns. variables: the columns that count; as a mapping also the values
    that count, such as {"side": ["left", "right"]}. The conditions are the combinations of values.
    rows="items": each row is another item, without noise: images in a network. rows="trials": rows
    of a condition are repeats of it, with noise of their own: trials of a recording.
    features: "all" if there are no other units, as in a layer, "sample" if there are, as where some
    neurons were recorded; if None, "all" for items and "sample" for trials.

    measures, each with a row in the result for each variable, where it is about one:
    "alignment": of items, the debiased kernel alignment with the variable's values (one-hot), with
    the jackknife's interval over items; of trials, that of the conditions' means. Chance is 0; p
    permutes items, a random 1000 of them where there are more.
    "decoding": balanced_decoding, cross-validated; "ccgp": balanced_ccgp; each with one draw of
    equal numbers of rows, since p values ask for many scores. Chance is 0.5.
    "parallelism": corrected_parallelism_score, with the jackknife's interval over the rows of each
    condition where these are 6 or more; of a single row in each condition the plain score. Chance
    is 0.
    "dimensionality": of items corrected_participation_ratio, with the jackknife's interval over
    items, or over items and features; of trials participation_ratio_of_halves. It has no p.
    p: of the null that nothing is coded, from shuffled labels; p_geometry: of the null that as much
    is coded in random directions (shuffle_null, geometric_null; Bernardi et al. 2020). For
    parallelism both compare the plain score. draws: for each, so that p is 1 / (draws + 1) at
    least. seed: of all that is random; the same seed gives the same numbers.

    The result has a row for each number: measure, about (the variable), value, low and high (the
    95 % interval), chance, p, p_geometry, n of what (rows, conditions or items), how (the
    estimator) and reason: why there is no value, or no interval. ccgp of a single variable, say,
    has the value nan and a reason.
    Raises ValueError for malformed input: samples that are not finite, or labels of another number.

    Two variables on two axes of a population, in 400 noisy trials.

    >>> rng = np.random.default_rng(0)
    >>> side, colour = rng.choice(["left", "right"], 400), rng.choice(["blue", "red"], 400)
    >>> codes = np.column_stack([side == "right", colour == "red"])
    >>> rates = codes @ rng.standard_normal((2, 60)) + rng.standard_normal((400, 60))
    >>> found = measure(rates, {"side": side, "colour": colour}, rows="trials",
    ...                 measures=["parallelism", "ccgp"], draws=19)
    >>> found[["measure", "about", "value", "p"]].round(2).values.tolist()  # doctest: +ELLIPSIS
    [['parallelism', 'side', 1.0, 0.05], ...]
    """
    if rows not in ("items", "trials"):
        raise ValueError(f'rows is {rows!r}; allowed are "items" and "trials".')
    if features not in ("all", "sample", None):
        raise ValueError(f'features is {features!r}; allowed are "all", "sample" and None.')
    for name in measures:
        if name not in MEASURES:
            raise ValueError(f"measures has {name!r}; allowed are {', '.join(MEASURES)}.")
    if not isinstance(draws, int | np.integer) or draws < 1:
        raise ValueError(f"draws is {draws!r}; allowed are whole numbers from 1.")
    trials = Trials(samples, labels, variables)
    sampled = features or ("all" if rows == "items" else "sample")
    results = (
        result._asdict()
        for name in measures
        for result in MEASURES[name](trials, rows, sampled, draws, seed)
    )
    return frame(results, COLUMNS)


def _alignment(
    trials: Trials, rows: Rows, features: str, draws: int, seed: int
) -> Iterator[Result]:
    """The alignment with the values of each variable."""
    if rows == "items":
        x, levels, of = trials.samples, trials.levels, "items"
    else:
        x, levels, of = _means(trials), _levels(trials), "conditions"
    for column, name in enumerate(trials.names):
        y = np.eye(len(trials.values[column]))[levels[:, column]]
        common = {"about": name, "chance": 0.0, "n": len(x), "of": of}
        if len(x) < ITEMS_NEEDED:
            reason = f"{len(x)} {of}, {ITEMS_NEEDED} or more needed"
            yield Result("alignment", NAN, "debiased kernel alignment", reason=reason, **common)
            continue
        pair = aligned_pairs([x], [y], seed=seed)
        chosen = np.arange(len(x))
        if len(x) > MOST_PERMUTED:
            chosen = np.sort(np.random.default_rng(seed).permutation(len(x))[:MOST_PERMUTED])
        null = permute_items(_debiased, x[chosen], y[chosen], draws, seed=seed)
        low, high = float(pair.low[0, 0]), float(pair.high[0, 0])
        yield Result(
            "alignment",
            float(pair.value[0, 0]),
            pair.estimator if rows == "items" else f"{pair.estimator}, of conditions' means",
            low=low,
            high=high,
            p=null.p,
            reason=f"fewer than {FEWEST} blocks for an interval" if np.isnan(low) else "",
            **common,
        )


def _debiased(x: NDArray[Any], y: NDArray[Any]) -> float:
    return kernel_alignment(x, y, debiased=True)


def _decoding(trials: Trials, rows: Rows, features: str, draws: int, seed: int) -> Iterator[Result]:
    for column, name in enumerate(trials.names):
        score = _decoder(balanced_decoding, column, seed)
        yield _of_decoders("decoding", trials, name, score, {"draws": draws, "seed": seed})


def _ccgp(trials: Trials, rows: Rows, features: str, draws: int, seed: int) -> Iterator[Result]:
    for column, name in enumerate(trials.names):
        score = _decoder(balanced_ccgp, column, seed)
        yield _of_decoders("ccgp", trials, name, score, {"draws": draws, "seed": seed}, moved=True)


def _decoder(score: Callable[..., ByPair], column: int, seed: int) -> Callable[..., ByPair]:
    # One resample: p values ask for many scores, and are of the same score as the value.
    return lambda samples, levels: score(samples, levels, column, resamples=1, seed=seed)


def _of_decoders(
    name: str,
    trials: Trials,
    about: str,
    score: Callable[..., ByPair],
    drawn: dict[str, int],
    moved: bool = False,
) -> Result:
    common = {"about": about, "chance": 0.5, "n": len(trials.samples)}
    try:
        found = score(trials.samples, trials.levels)
        p, p_geometry = _p_values(lambda s, t: score(s, t).value, trials, drawn, moved)
    except (ValueError, NotConverged) as error:
        return Result(name, NAN, "", reason=str(error), **common)
    how = found.estimator
    return Result(name, found.value, how, p=p, p_geometry=p_geometry, reason=NO_INTERVAL, **common)


def _parallelism(
    trials: Trials, rows: Rows, features: str, draws: int, seed: int
) -> Iterator[Result]:
    for column, name in enumerate(trials.names):
        try:
            yield _parallelism_of(trials, column, draws, seed)
        except ValueError as error:
            number = len(trials.samples)
            yield Result(
                "parallelism", NAN, "", about=name, chance=0.0, n=number, reason=str(error)
            )


def _parallelism_of(trials: Trials, column: int, draws: int, seed: int) -> Result:
    samples, levels, fewest = trials.samples, trials.levels, trials.counts.min()

    def plain(samples: NDArray[Any], levels: NDArray[np.intp]) -> float:
        return _plain_parallelism(samples, levels, column)

    p, p_geometry = _p_values(plain, trials, {"draws": draws, "seed": seed}, moved=True)
    result = Result(
        "parallelism",
        plain(samples, levels),
        "mean cosine of coding vectors",
        about=trials.names[column],
        chance=0.0,
        p=p,
        p_geometry=p_geometry,
        n=len(samples),
        reason="a condition has a single row, so that its noise is not known",
    )
    if fewest < 2:
        return result
    found = corrected_parallelism_score(samples, levels, column)
    result = result._replace(
        value=found.value,
        how=found.estimator,
        reason=f"a condition has {fewest} rows, {FEWEST} needed for an interval",
    )
    if fewest < FEWEST or np.isnan(found.value):
        return result
    # Without each block by the same form as with all.
    form: Form = "ratio" if found.estimator == RATIO else "cosines"
    _, low, high = jackknife_interval(
        lambda rows: corrected_parallelism_score(samples[rows], levels[rows], column, form).value,
        len(samples),
        strata=trials.conditions,
        seed=seed,
    )
    reason = "without some rows there is more noise than signal" if np.isnan(low) else ""
    return result._replace(low=low, high=high, reason=reason)


def _plain_parallelism(samples: NDArray[Any], levels: NDArray[np.intp], variable: int) -> float:
    """The parallelism score of conditions' means, the mean over pairs of values."""
    patterns, design = as_trials(samples, levels)
    means = condition_means(patterns, design.conditions)
    contexts = design.contexts(variable, fewest=2)
    return float(np.mean([mean_cosine(means, pairs) for pairs in contexts.values()]))


def _dimensionality(
    trials: Trials, rows: Rows, features: str, draws: int, seed: int
) -> Iterator[Result]:
    x = trials.samples
    if rows == "trials":
        yield _of_halves(trials, features, seed)
        return
    how = f"participation ratio, items a sample, features {features}"
    try:
        if features == "all":
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
        yield Result("dimensionality", NAN, how, n=len(x), of="items", reason=str(error))
        return
    reason = f"fewer than {FEWEST} blocks of items, or of features" if np.isnan(low) else ""
    yield Result(
        "dimensionality", value, how, low=low, high=high, n=len(x), of="items", reason=reason
    )


def _of_halves(trials: Trials, features: str, seed: int) -> Result:
    how = f"participation ratio of halves of trials, features {features}"
    number = len(trials.counts)
    common = {"n": number, "of": "conditions"}
    try:
        first, second = halves_of_trials(trials.samples, trials.conditions, seed)

        def of(chosen: NDArray[np.intp]) -> float:
            return participation_ratio_of_halves(first[chosen], second[chosen], features)

        value, low, high = of(np.arange(number)), NAN, NAN
        if number >= 2 * FEWEST:
            value, low, high = jackknife_interval(of, number, seed=seed)
    except ValueError as error:
        return Result("dimensionality", NAN, how, reason=str(error), **common)
    reason = f"{number} conditions, {2 * FEWEST} needed for an interval" if np.isnan(low) else ""
    return Result("dimensionality", value, how, low=low, high=high, reason=reason, **common)


def _p_values(
    statistic: Callable[[NDArray[Any], NDArray[np.intp]], float],
    trials: Trials,
    drawn: dict[str, int],
    moved: bool,
) -> tuple[float, float]:
    """The p values of shuffled labels and, if `moved`, of moved means."""
    shuffled = shuffle_null(statistic, trials.samples, trials.levels, **drawn).p
    if not moved:
        return shuffled, NAN
    return shuffled, geometric_null(statistic, trials.samples, trials.levels, **drawn).p


def _means(trials: Trials) -> NDArray[np.float64]:
    """(P, n)"""
    return condition_means(trials.samples, trials.conditions)


def _levels(trials: Trials) -> NDArray[np.intp]:
    """(P, k): the values of each condition, as indices."""
    _, first = np.unique(trials.conditions, return_index=True)
    return trials.levels[first]


MEASURES: dict[str, Callable[..., Iterator[Result]]] = {
    "alignment": _alignment,
    "decoding": _decoding,
    "ccgp": _ccgp,
    "parallelism": _parallelism,
    "dimensionality": _dimensionality,
}
"""What can be asked for, by name."""
