"""Differences of similarities to the same data: the model that is nearer, of each two."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.balanced import at_least
from repatlas.geometry.threads import on_one_thread
from repatlas.inference.alignment_pairs import alignments_without_blocks
from repatlas.inference.intervals import FEWEST, median_interval, sign_probability
from repatlas.inference.jackknife import assign_blocks, interval_ends, variance
from repatlas.own.arguments import as_measures
from repatlas.own.compare import matched, named_arrays, refuse_dissimilarities
from repatlas.own.compared import pairs_of
from repatlas.own.progress import doing, progress
from repatlas.own.result import ITEMS_NEEDED, NAN, DataFrame, frame
from repatlas.own.trials import Drawn
from repatlas.similarity import Dissimilarities, Regressors

COLUMNS = ["a", "b", "measure", "value", "low", "high", "p", "p_family", "similarity_a"]
COLUMNS += ["similarity_b", "n", "of", "how", "reason"]
MEASURES = ("alignment", "rsa", "rho_a", "predictivity")
"""Similarities whose differences have intervals that hold in simulations."""
ITEMS = 60
"""The fewest items for an interval of rank correlations and predictivity. For 30 items of a skewed
distribution it holds in 92 % for ranks, if both models are near the ceiling."""
NO_INTERVAL = "no interval: fewer than six blocks, or not defined without some items"


@on_one_thread
@progress("compare_models")
def compare_models(
    models: Mapping[str, ArrayLike | Dissimilarities],
    data: ArrayLike | Dissimilarities | Mapping[str, ArrayLike | Dissimilarities],
    measures: str | Sequence[str] = ("alignment",),
    blocks: ArrayLike | None = None,
    seed: int = 0,
) -> DataFrame:
    """Return which of two models is nearer to the same data, for each pair of models.

    models: two names or more, each with an array of items x features, or own.Dissimilarities.
    data: the same of the same items, such as the responses of neurons. Rows are matched as in
    `compare`.
    measures: one or several of "alignment", "rsa", "rho_a" and "predictivity" of `compare`.

    value: the similarity of a and the data minus the similarity of b and the data.
    low, high: its 95 % interval by the delete-block jackknife of the difference over items. It
    takes into account that both similarities are to the same items. All measures except alignment
    need 60 items for it.
    p: the two-sided p value of no difference, from the same estimate of the error by Student's
    distribution. It is about other items of the same kind, with these models and these neurons.
    p_family: p corrected for all pairs of a measure (Holm 1979). If no two models differ, any of
    them is 0.05 or less with a probability of 0.05.
    blocks: (m,), the run or film of each item, if items of one block are not independent.

    data may be a mapping from names of units, such as animals, to arrays. The value is then the
    median over units of the difference, with its exact interval for six units or more. p is of the
    sign test. Both are about other units of the same kind, with these items.

    The difference is not divided by a noise ceiling: noise of the data lowers both similarities.
    Raises ValueError for malformed input, and other measures.

    >>> rng = np.random.default_rng(0)
    >>> brain, noise = rng.standard_normal((2, 200, 10))
    >>> near, far = brain + 0.5 * noise, brain + 2 * noise
    >>> found = compare_models({"near": near, "far": far}, brain)
    >>> found[["a", "b", "value", "low", "high"]].round(2).values.tolist()
    [['near', 'far', 0.61, 0.58, 0.64]]
    """
    at_least("seed", seed, 0)
    measures = as_measures(measures, MEASURES)
    first, second = named_arrays("models", models), named_arrays("data", data)
    if len(first) < 2:
        raise ValueError("models has one name; allowed are two or more.")
    xs, ys, groups = matched(first, second, blocks, {}, ("models", "data"))
    refuse_dissimilarities([*xs.items(), *(ys or {}).items()], measures)
    units = list((ys or {}).values())
    found = []
    for number, name in enumerate(measures, 1):
        doing(name, number, len(measures))
        few = ""
        if len(units) > 1:
            values, reason = similarities_of_units(name, list(xs.values()), units)
            shown, about = np.median(values, axis=0), {"n": len(units), "of": "units"}
            about["variant"] = "median over units of the difference"
        else:
            values, sizes, reason = similarities_without_blocks(
                name, list(xs.values()), units[0], groups, seed
            )
            shown, about = values[0], {"n": len(units[0]), "of": "items"}
            about["variant"] = "delete-block jackknife of the difference"
            if name != "alignment" and len(units[0]) < ITEMS:
                few = f"no interval: {len(units[0])} items, {ITEMS} needed for one that holds"
        rows = []
        for (i, a), (j, b) in combinations(enumerate(xs), 2):
            apart = values[:, i] - values[:, j]
            found_of = _sign_test(apart) if len(units) > 1 else _jackknife(apart, sizes)
            row = dict(zip(("value", "low", "high", "p"), map(float, found_of), strict=True))
            if few:
                row |= {"low": NAN, "high": NAN}
            row |= {"a": a, "b": b, "similarity_a": shown[i], "similarity_b": shown[j], **about}
            why = reason or few or ("" if np.isfinite(row["low"]) else NO_INTERVAL)
            rows.append(row | {"measure": name, "reason": why})
        p_values = holm([row["p"] for row in rows])
        found += [row | {"p_family": p} for row, p in zip(rows, p_values, strict=True)]
    return frame(found, COLUMNS)


def similarities_without_blocks(
    name: str, models: list[Any], data: Any, groups: NDArray[np.intp] | None, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.intp], str]:
    """Return the similarity of each model and the data, (1 + blocks, models), of all items and
    without each block; the sizes of blocks; and why a similarity is not defined."""
    number = len(data)
    if number < ITEMS_NEEDED:
        few = f"{number} items, {ITEMS_NEEDED} or more needed"
        return np.full((1, len(models)), NAN), np.zeros(0, dtype=np.intp), few
    if name == "alignment":
        deleted = alignments_without_blocks(models, [data], groups=groups, seed=seed)
        return deleted.aligned[:, :, 0], deleted.sizes, ""
    dealt, found, reason = assign_blocks(number, groups=groups, seed=seed), [], ""
    if name == "predictivity":  # each item stays in its fold
        folds = Regressors(data, groups=groups, seed=seed).folds
        groups = np.zeros(number, dtype=np.intp)
        for fold, rows in enumerate(folds):
            groups[rows] = fold
    for rows in [np.arange(number), *(np.delete(np.arange(number), out) for out in dealt)]:
        of_rows = Drawn(0, seed, None if groups is None else groups[rows])
        pairs = list(pairs_of(name, [x[rows] for x in models], [data[rows]], of_rows, {}))
        found.append([pair.result.value for pair in pairs])
        lacking = (pair.result.reason for pair in pairs if np.isnan(pair.result.value))
        reason = reason or next(lacking, "")
    return np.array(found), np.array([len(out) for out in dealt]), reason


def similarities_of_units(
    name: str, models: list[Any], units: list[Any]
) -> tuple[NDArray[np.float64], str]:
    """Return the similarity of each model and unit, (units, models), and what is missing."""
    pairs = list(pairs_of(name, models, units, Drawn(0), {}))
    values = np.array([pair.result.value for pair in pairs]).reshape(len(models), len(units))
    few = f"{len(units)} units, {FEWEST} needed for an interval" if len(units) < FEWEST else ""
    lacking = (pair.result.reason for pair in pairs if np.isnan(pair.result.value))
    return values.T, next(lacking, few)


def _jackknife(
    apart: NDArray[np.float64], sizes: NDArray[np.intp]
) -> tuple[float, float, float, float]:
    """Return a difference, the ends of its interval, and the p value of no difference; 1 for two
    models that are the same."""
    value, number = apart[0], len(sizes)
    if number < FEWEST or not np.isfinite(apart).all():
        return value, NAN, NAN, NAN
    from scipy.special import stdtr  # here, since scipy is slow to import

    low, high = interval_ends(value, apart[1:], sizes)
    error = np.sqrt(variance(value, apart[1:], sizes))
    p = 2 * stdtr(number - 1, -abs(value) / error) if error > 0 else float(value == 0)
    return value, float(low), float(high), p


def _sign_test(apart: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Return the median of differences, the ends of its interval, and the p value of as many above
    0 as below."""
    if np.isnan(apart).any():
        return NAN, NAN, NAN, NAN
    above, below = int(np.sum(apart > 0)), int(np.sum(apart < 0))
    p = min(1.0, 2 * sign_probability(max(above, below), above + below))
    return *median_interval(apart), p


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p values corrected for their number (Holm 1979). Missing ones stay, and do not count.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p)[: np.isfinite(p).sum()]  # nan is last
    corrected = np.full(len(p), NAN)
    scaled = p[order] * np.arange(len(order), 0, -1)
    corrected[order] = np.maximum.accumulate(scaled).clip(max=1)
    found: list[float] = corrected.tolist()
    return found
