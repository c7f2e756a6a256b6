"""Noise ceilings: how similar to noisy data a model without any fault can be.

A ceiling is reported next to a score. It is never divided into it: the ratio of two noisy numbers
has no interval, and exceeds 1 where the ceiling is too low by chance.
"""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.balanced import at_least
from repatlas.geometry.kernels import Centred
from repatlas.geometry.patterns import as_patterns, condition_means
from repatlas.geometry.threads import on_one_thread
from repatlas.inference.intervals import FEWEST, median_interval
from repatlas.inference.jackknife import jackknife_interval
from repatlas.inference.pseudovalues import pseudo_values
from repatlas.named import names
from repatlas.own.annotated import columns_of, rows_of
from repatlas.own.arguments import as_measures, as_representation
from repatlas.own.blocks import as_blocks, coded_rows, halves_of_blocks
from repatlas.own.compare import HINTS, PACKAGE, compare
from repatlas.own.compared import pairs_of
from repatlas.own.result import ITEMS_NEEDED, NAN, DataFrame, frame, reasons
from repatlas.own.rows import matched_rows
from repatlas.own.trials import Drawn

COLUMNS = ["measure", "value", "low", "high", "halves", "halves_low", "halves_high", "n", "of"]
COLUMNS += ["trials", "how", "reason"]
UNIT_COLUMNS = ["measure", "value", "low", "high", "chance", "n", "of", "how", "reason"]
NO_FORMULA = "no ceiling of this measure is known"
SAME_NOISE = "the halves have no more in common than noise alone"
OF_DECODERS = " decoding_ceiling_of_trials and decoding_ceiling_of_units are for decoders."
WITH_DECODERS = HINTS | dict.fromkeys(("decoding", "ccgp"), OF_DECODERS)


_Halves = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Means of each condition, (P, n), over half of the trials, and over the other half."""


@on_one_thread
def ceiling_of_trials(
    samples: ArrayLike,
    conditions: ArrayLike,
    measures: str | Sequence[str] = ("alignment", "predictivity"),
    blocks: ArrayLike | None = None,
    splits: int = 20,
    seed: int = 0,
) -> DataFrame:
    """Return the score that a model without any fault reaches, given the noise of the trials.

    samples: (m, n), a row for each trial; conditions: (m,), numbers or names, what was shown in
    each trial; every condition needs two trials. Tensors and AnnData are as for `measure`. The
    ceiling belongs to the similarity of a model, conditions x features without noise, and the means
    of conditions over all trials.
    measures: names of measures of `compare`. value is the ceiling if a formula is known:
    "alignment": sqrt(U(h, h') / U(f, f)). U is the debiased overlap: of two halves h and h' of the
    trials, whose noise is independent, and of all trials f. The numerator estimates the overlap of
    the true means with themselves, so the ratio is the expected squared score of the true means.
    "predictivity": the variance of conditions that both halves share, divided by the variance of
    the means of all trials. This is the highest R^2 of linear_predictivity(model, means).
    For other measures value is nan. halves is the similarity of two halves of the trials, the mean
    over `splits` random divisions. Another recording of the same neurons with half of the trials
    would reach it. A model without noise may exceed it. halves_low and halves_high are the interval
    of halves for measures without a formula, by the jackknife over conditions. In simulations this
    95 % interval holds the truth in 95 to 100 % of samples.
    blocks: (m,), the run or session of each trial, where the noise of trials of one run is not
    independent. Halves are then made of whole runs, and each half needs every condition.
    low and high: the interval of the jackknife over conditions, if the conditions are a sample. In
    simulations the 95 % interval holds the truth in 95 to 100 % of samples of 30 and of 100
    conditions, at ceilings of 0.3, 0.6 and 0.9 (docs/guide/your-data.md has the table).
    trials: how many the condition with the fewest has.

    A ceiling is nan, with a reason, for a condition with a single trial, fewer than 8
    conditions, halves of runs that lack a condition or have nothing in common. Raises ValueError
    for malformed input.

    The conditions differ by as much as two trials of one do. The mean of 8 trials has an eighth
    of the noise, so a faultless model predicts 8/9 of its variance.

    >>> rng = np.random.default_rng(0)
    >>> means, shown = rng.standard_normal((100, 20)), np.repeat(np.arange(100), 8)
    >>> rates = means[shown] + rng.standard_normal((800, 20))
    >>> found = ceiling_of_trials(rates, shown, splits=5).set_index("measure").round(2)
    >>> found.loc["predictivity", ["value", "low", "high"]].tolist()
    [0.89, 0.88, 0.9]
    """
    measures = as_measures(measures, names(PACKAGE), WITH_DECODERS)
    at_least("splits", splits, 1)
    given = {"samples": rows_of(samples)}
    given["conditions"] = columns_of(samples, "conditions", conditions)
    given |= {} if blocks is None else {"blocks": columns_of(samples, "blocks", blocks)}
    rows = matched_rows(given)
    patterns = as_patterns("samples", as_representation("samples", rows["samples"]))
    values, of_rows = coded_rows("conditions", rows["conditions"], len(patterns), "samples")
    runs = None if blocks is None else as_blocks(rows["blocks"], len(patterns), "samples")
    counts = np.bincount(of_rows)
    common: dict[str, Any] = {"n": len(counts), "of": "conditions", "trials": int(counts.min())}
    reason = ""
    if counts.min() < 2:
        single = values.tolist()[int(counts.argmin())]
        reason = f"condition {single!r} has a single trial, 2 or more needed: leave it out of both"
    elif len(counts) < ITEMS_NEEDED:
        reason = f"{len(counts)} conditions, {ITEMS_NEEDED} or more needed"
    patterns = patterns - patterns.mean(axis=0)
    try:
        every = [] if reason else [_split(patterns, of_rows, runs, n, seed) for n in range(splits)]
    except ValueError as error:
        reason = str(error)
    found = []
    if reason:
        nothing = {"value": NAN, "low": NAN, "high": NAN, "halves": NAN, "variant": ""}
        return frame(
            ({"measure": m, "reason": reason} | nothing | common for m in measures), COLUMNS
        )
    full = condition_means(patterns, of_rows)
    for name in measures:
        halves, lacking = _similarity_of_halves(name, every, np.arange(len(full)))
        row = {"measure": name, "halves": halves} | _ceiling(name, every, full, seed) | common
        hint = "compare with halves" if row["reason"] == NO_FORMULA else ""
        row["reason"] = reasons(row["reason"], f"no halves: {lacking}" if lacking else hint)
        found.append(row)
    return frame(found, COLUMNS)


def _split(
    patterns: NDArray[np.float64],
    conditions: NDArray[np.intp],
    runs: NDArray[np.intp] | None,
    split: int,
    seed: int,
) -> _Halves:
    """Return two halves of the trials of each condition, or of the runs, at random."""
    rng = np.random.default_rng([seed, split])
    if runs is not None:
        return halves_of_blocks(patterns, conditions, runs, rng)
    # The rank of each trial, in random order, among the trials of its condition.
    order = rng.permutation(len(conditions))
    order = order[np.argsort(conditions[order], kind="stable")]
    counts = np.bincount(conditions)
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    second = np.empty(len(conditions), dtype=bool)
    half = counts[conditions[order]] / 2 + rng.permutation(2)[0] / 2
    second[order] = np.arange(len(order)) - starts < np.floor(half)
    halves = ~second, second
    first, other = (condition_means(patterns[half], conditions[half]) for half in halves)
    return first, other


def _similarity_of_halves(
    name: str, every: list[_Halves], kept: NDArray[np.intp]
) -> tuple[float, str]:
    """Return the mean over splits, of some conditions, or nan and the reason."""
    found = [
        next(pairs_of(name, [first[kept]], [second[kept]], Drawn(0), {})).result
        for first, second in every
    ]
    lacking = next((result.reason for result in found if np.isnan(result.value)), "")
    return float(np.mean([result.value for result in found])), lacking


def _ceiling(
    name: str, every: list[_Halves], full: NDArray[np.float64], seed: int
) -> dict[str, Any]:
    """Return value, ends, estimator and reason."""
    shares = {"alignment": _share_of_overlap, "predictivity": _share_of_variance}
    if name not in shares:
        _, low, high = jackknife_interval(
            lambda kept: _similarity_of_halves(name, every, kept)[0], len(full), seed=seed
        )
        ends = {"halves_low": low, "halves_high": high}
        return {"value": NAN, "variant": "", "reason": NO_FORMULA} | ends
    share = shares[name]
    value, low, high = jackknife_interval(
        lambda kept: share(every, full, kept), len(full), seed=seed
    )
    how = "variance that halves of the trials share, of the variance of all"
    if name == "alignment":
        how = "root of the debiased overlap of halves, of that of all trials"
        value, low, high = (_root(each) for each in (value, low, high))
    if not value > 0:
        return {"value": NAN, "low": NAN, "high": NAN, "variant": how, "reason": SAME_NOISE}
    none = "no interval: without some conditions it is not defined" if np.isnan(low) else ""
    # A model cannot score more than 1, or have less than nothing in common with the data.
    value, low, high = (min(max(each, 0.0), 1.0) if each == each else NAN
                        for each in (value, low, high))  # fmt: skip
    return {"value": value, "low": low, "high": high, "variant": how, "reason": none}


def _root(squared: float) -> float:
    return sqrt(max(squared, 0.0)) if squared == squared else NAN


def _share_of_overlap(
    every: list[_Halves], full: NDArray[np.float64], kept: NDArray[np.intp]
) -> float:
    whole = Centred("samples", full[kept])
    size = whole.unbiased_overlap(whole)
    if size <= 0:
        return NAN
    shared = []
    for first, second in every:
        a, b = Centred("samples", first[kept]), Centred("samples", second[kept])
        units = a.exponent + b.exponent - 2 * whole.exponent
        shared.append(np.ldexp(a.unbiased_overlap(b), 2 * units))
    return float(np.mean(shared) / size)


def _share_of_variance(
    every: list[_Halves], full: NDArray[np.float64], kept: NDArray[np.intp]
) -> float:
    def centred(means: NDArray[np.float64]) -> NDArray[np.float64]:
        part: NDArray[np.float64] = means[kept] - means[kept].mean(axis=0)
        return part

    whole = np.sum(centred(full) ** 2)
    if whole == 0:
        return NAN
    shared = [np.vdot(centred(first), centred(second)) for first, second in every]
    return float(np.mean(shared) / whole)


@on_one_thread
def ceiling_of_units(
    units: Mapping[str, Any], measures: str | Sequence[str] = ("alignment",), seed: int = 0
) -> DataFrame:
    """Return the similarity of one unit and another: animals, sessions or networks.

    units: an array for each name, (m, n), items x features, with any n and the same items in the
    same order. Data frames are matched by their index. value is the similarity of two typical units
    (inference.pseudovalues) by each measure of `compare`, without p values. A model that is as good
    as another unit reaches it. low and high: its 95 % interval over units, if there are six or
    more. In simulations at least 95 % of these intervals hold the truth, where a unit adds to the
    similarities of all its pairs. chance: 0 for alignment.
    n: the number of units.
    Raises ValueError for fewer than three units, and as `compare`.

    >>> rng = np.random.default_rng(0)
    >>> shared = rng.standard_normal((200, 4))
    >>> animals = {f"animal {i}": shared @ rng.standard_normal((4, 15)) for i in range(7)}
    >>> found = ceiling_of_units(animals)
    >>> found[["value", "low", "high", "n"]].round(2).values.tolist()
    [[0.79, 0.68, 0.88, 7.0]]
    """
    refuse_few_units(units, "arrays")
    measures = as_measures(measures, names(PACKAGE), WITH_DECODERS)
    place = {str(name): number for number, name in enumerate(units)}
    try:
        pairs = compare(units, None, measures, draws=0, seed=seed)
    except ValueError as error:  # about a mapping that compare calls a
        raise ValueError(str(error).replace("a[", "units[")) from None
    found = []
    for name in measures:
        own = pairs[pairs["measure"] == name]
        table = np.full((len(units), len(units)), np.nan)
        for row in own.itertuples():
            table[place[row.a], place[row.b]] = table[place[row.b], place[row.a]] = row.value
        common: dict[str, Any] = {"measure": name, "n": len(units), "of": "units"}
        common["variant"] = f"similarity of two typical units, {own['how'].iloc[0]}"
        common["chance"] = float(own["chance"].iloc[0])
        lacking = (
            f"{row.a} and {row.b}: {row.reason}" for row in own[own["value"].isna()].itertuples()
        )
        missing = next(lacking, "")
        found.append(common | typical_unit(table[0] if missing else pseudo_values(table), missing))
    return frame(found, UNIT_COLUMNS)


def refuse_few_units(units: Any, what: str) -> None:
    """Refuse anything but a mapping from three names or more."""
    if not isinstance(units, Mapping) or len(units) < 3:
        number = len(units) if isinstance(units, Mapping) else "no"
        raise ValueError(
            f"units has {number} names; allowed is a mapping from three names or more to {what}."
        )


def typical_unit(values: NDArray[np.float64], missing: str) -> dict[str, Any]:
    """Return the median over units with its interval; nan where something is missing."""
    if missing:
        return {"value": NAN, "low": NAN, "high": NAN, "reason": missing}
    few = f"{len(values)} units, {FEWEST} needed for an interval" if len(values) < FEWEST else ""
    return median_interval(values)._asdict() | {"reason": few}
