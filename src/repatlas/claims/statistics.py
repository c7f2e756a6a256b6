"""The statistics of the claims: the rows of a figure's table in, one number for each network out.

The unit is the seed, paired across activations and settings: a seed that lacks any of the networks
that a statistic needs is left out. Curves, too, are a network's own: a mean of curves that jump at
different places would not jump. A selection names columns of the table and the value wanted, or
several, over which a seed's mean is taken. In columns of numbers, "first" and "last" stand for the
least and the largest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:  # the ledger is checked before anything runs, and pandas takes a second to import
    import pandas as pd

Selection = dict[str, Any]
NO_SETTINGS = [
    *("run", "seed", "contrast", "value", "low", "high", "diverged_step", "converged_step"),
    *("participation_ratio", "images", "published", "test_images", "test_published"),
    *("intra", "inter", "x", "y"),
]
"""Columns in which rows of one setting may differ: what was found, and what follows from a task."""


class Sample(NamedTuple):
    values: np.ndarray
    """(n,): a number for each seed; infinite where a curve does not reach a value"""
    seeds: list[int]
    """(n,); none for a number that belongs to no network"""


class NoRows(ValueError):
    """The table lacks what a statistic needs."""


def level(rows: pd.DataFrame, of: Selection) -> Sample:
    """The value itself."""
    values, seeds = _together([_cell(rows, of)])
    return Sample(values[:, 0], seeds)


def difference(rows: pd.DataFrame, of: Selection, first: Selection, second: Selection) -> Sample:
    """First minus second."""
    cells = [_cell(rows, of | first), _cell(rows, of | second)]
    values, seeds = _together(cells)
    return Sample(values[:, 0] - values[:, 1], seeds)


def interaction(
    rows: pd.DataFrame, of: Selection, first: list[Selection], second: list[Selection]
) -> Sample:
    """A difference of differences: that of the first pair minus that of the second."""
    cells = [_cell(rows, of | part) for part in (*first, *second)]
    values, seeds = _together(cells)
    return Sample(values @ [1, -1, -1, 1], seeds)


def smallest(rows: pd.DataFrame, of: Selection, over: list[Selection]) -> Sample:
    """The smallest of several values of a seed."""
    values, seeds = _together([_cell(rows, of | part) for part in over])
    return Sample(values.min(axis=1), seeds)


def smallest_along(
    rows: pd.DataFrame, of: Selection, along: str, first: Selection, second: Selection | None = None
) -> Sample:
    """The smallest value along an axis of a curve, or of the difference of two."""
    curves, seeds, _ = _curves(rows, of, along, [first, *([second] if second else [])])
    curves = curves[:, 0] - curves[:, 1] if second else curves[:, 0]
    return Sample(curves.min(axis=1), seeds)


def crossing(rows: pd.DataFrame, of: Selection, along: str, at: float) -> Sample:
    """The place where a curve first reaches a value from below, interpolated between two points of
    the axis; infinite where it does not."""
    curves, seeds, x = _curves(rows, of, along, [{}])
    return Sample(_first_crossing(curves[:, 0], x, at), seeds)


def steepness_ratio(
    rows: pd.DataFrame, of: Selection, along: str, first: Selection, second: Selection
) -> Sample:
    """The steepest slope of one curve over that of another."""
    curves, seeds, x = _curves(rows, of, along, [first, second])
    _needs_two(along, len(x))
    return Sample(_ratio(_steepest(curves[:, 0], x), _steepest(curves[:, 1], x)), seeds)


def steepness_ratio_over(
    rows: pd.DataFrame, of: Selection, along: str, over: str, first: Selection, second: Selection
) -> Sample:
    """The same in the logarithm of the axis, without its point at 0, and with slopes that are means
    over another axis."""
    surfaces, seeds, x = _surfaces(rows, of, along, over, [first, second])
    surfaces, x = surfaces[..., x > 0], x[x > 0]
    _needs_two(along, len(x))
    slopes = _steepest(surfaces, np.log(x)).mean(axis=-1)  # (n, 2)
    return Sample(_ratio(slopes[:, 0], slopes[:, 1]), seeds)


def range_ratio_over(
    rows: pd.DataFrame, of: Selection, along: str, over: str, first: Selection, second: Selection
) -> Sample:
    """The range of a curve, mean over another axis, over that of other curves."""
    surfaces, seeds, x = _surfaces(rows, of, along, over, [first, second])
    _needs_two(along, len(x))
    ranges = np.ptp(surfaces, axis=-1).mean(axis=-1)
    return Sample(_ratio(ranges[:, 0], ranges[:, 1]), seeds)


def crossing_correlation(
    rows: pd.DataFrame, of: Selection, along: str, over: str, at: float
) -> Sample:
    """Spearman's correlation of another axis with where the curves, which fall, cross a value. Of
    curves that are below it from the start, or stay above it, the crossing is at that end."""
    surfaces, seeds, x = _surfaces(rows, of, along, over, [{}])
    _needs_two(along, len(x))
    falling = surfaces[:, 0, :, ::-1]  # (n, over, along)
    _needs_two(over, falling.shape[1])
    places = _first_crossing(falling, x[::-1], at)
    places = np.where(falling[..., 0] >= at, x[-1], np.where(np.isinf(places), x[0], places))
    return Sample(_spearman(places, np.arange(places.shape[-1])), seeds)


def rank_correlation(rows: pd.DataFrame, of: Selection, along: str) -> Sample:
    """Spearman's correlation of a curve with the axis."""
    curves, seeds, x = _curves(rows, of, along, [{}])
    _needs_two(along, len(x))
    return Sample(_spearman(curves[:, 0], x), seeds)


def distance_ratio(
    rows: pd.DataFrame, of: Selection, along: str, between: list[Selection]
) -> Sample:
    """The mean distance of one curve from a second, over that from a third."""
    curves, seeds, _ = _curves(rows, of, along, between)
    near, far = (np.abs(curves[:, 0] - curves[:, k]).mean(axis=1) for k in (1, 2))
    return Sample(_ratio(near, far), seeds)


def gap_correlation(
    rows: pd.DataFrame,
    of: list[Selection],
    over: list[Selection],
    first: Selection,
    second: Selection,
) -> Sample:
    """Pearson's correlation over cells of the gaps, first minus second, in two measures."""
    gaps, seeds = _gaps(rows, of, over, first, second)
    one, other = (gaps[:, k] - gaps[:, k].mean(axis=1, keepdims=True) for k in (0, 1))
    norm = np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1))
    return Sample(_ratio((one * other).sum(axis=1), norm), seeds)


def gap_ratio(
    rows: pd.DataFrame,
    of: list[Selection],
    over: list[Selection],
    first: Selection,
    second: Selection,
) -> Sample:
    """The mean size over cells of the gap in one measure over that in another."""
    gaps, seeds = _gaps(rows, of, over, first, second)
    one, other = (np.abs(gaps[:, k]).mean(axis=1) for k in (0, 1))
    return Sample(_ratio(one, other), seeds)


def partial_correlation(rows: pd.DataFrame, of: Selection, with_: str, given: str) -> Sample:
    """Pearson's correlation of each seed's values with a column, both less their means at each
    value of another column, which is held fixed."""
    chosen = _select(rows, of).dropna(subset=["value"])
    values, seeds = [], []
    for seed, group in chosen.groupby("seed"):
        held = group.groupby(given)
        x = group[with_] - held[with_].transform("mean")
        y = group["value"] - held["value"].transform("mean")
        values.append(float(_ratio(x @ y, np.sqrt((x @ x) * (y @ y)))))
        seeds.append(int(seed))
    return Sample(np.array(values), seeds)


def largest_deviation(rows: pd.DataFrame, of: Selection, column: str) -> Sample:
    """The largest distance of a seed's values from what stands in a column."""
    chosen = _select(rows, of).dropna(subset=["value", column])
    distances = (chosen["value"] - chosen[column]).abs().groupby(chosen["seed"]).max()
    return Sample(distances.to_numpy(), [int(seed) for seed in distances.index])


def largest_excess(
    rows: pd.DataFrame, of: Selection, first: Selection, second: Selection
) -> Sample:
    """The largest of the first values of a seed, over its smallest second one."""
    high = _select(rows, of | first).groupby("seed")["value"].max()
    low = _select(rows, of | second).groupby("seed")["value"].min()
    values, seeds = _together([high, low])
    return Sample(values[:, 0] - values[:, 1], seeds)


def line_slope(rows: pd.DataFrame, of: Selection, along: str) -> Sample:
    """The slope of the least-squares line of a curve against an axis."""
    return _line(rows, of, along, 0)


def line_intercept(rows: pd.DataFrame, of: Selection, along: str) -> Sample:
    """Its value where the axis is 0."""
    return _line(rows, of, along, 1)


def variation_ratio(
    rows: pd.DataFrame, of: Selection, first: Selection, second: Selection
) -> Sample:
    """The logarithm of the coefficient of variation over networks of the first values, over that of
    the second: jackknife pseudo-values, one for each network."""
    values, seeds = _together([_cell(rows, of | part) for part in (first, second)])

    def ratio(chosen: np.ndarray) -> float:
        spread = chosen.std(axis=0, ddof=1) / chosen.mean(axis=0)
        return float(np.log(_ratio(spread[0], spread[1])))

    return Sample(_jackknifed(values, ratio), seeds)


def spread_correlation(
    rows: pd.DataFrame, of: Selection, along: str, start: float, first: Selection, second: Selection
) -> Sample:
    """Pearson's correlation along an axis, from `start` on, of two curves, the standard deviations
    over networks of two kinds: jackknife pseudo-values, one for each seed, which is left out of
    both."""
    wide = [
        _select(rows, of | part).pivot_table(index="seed", columns=along, values="value")
        for part in (first, second)
    ]
    seeds = sorted(set(wide[0].dropna().index) & set(wide[1].dropna().index))
    places = sorted(place for place in set(wide[0]) & set(wide[1]) if place >= start)
    _needs_two(along, len(places))
    curves = np.stack([part.loc[seeds, places].to_numpy() for part in wide], axis=1)

    def correlation(chosen: np.ndarray) -> float:
        one, other = chosen.std(axis=0, ddof=1)
        return float(np.corrcoef(one, other)[0, 1])

    return Sample(_jackknifed(curves, correlation), [int(seed) for seed in seeds])


def exact(rows: pd.DataFrame, of: Selection) -> Sample:
    """A number that follows from a task or a theory alone: it belongs to no network, and is judged
    by its value."""
    chosen = _select(rows, of)
    if len(chosen) != 1:
        raise NoRows(f"found {len(chosen)} rows with {_text(of)}, needed: 1")
    return Sample(chosen["value"].to_numpy(float), [])


STATISTICS = {
    function.__name__: function
    for function in (
        level,
        difference,
        interaction,
        smallest,
        smallest_along,
        crossing,
        steepness_ratio,
        steepness_ratio_over,
        range_ratio_over,
        crossing_correlation,
        rank_correlation,
        largest_deviation,
        largest_excess,
        distance_ratio,
        gap_correlation,
        gap_ratio,
        partial_correlation,
        line_slope,
        line_intercept,
        variation_ratio,
        spread_correlation,
        exact,
    )
}


def _select(rows: pd.DataFrame, of: Selection) -> pd.DataFrame:
    for column, wanted in of.items():
        if column not in rows:
            raise NoRows(f"the table has no column {column!r}")
        there = rows[column]
        if wanted in ("first", "last") and there.notna().any():
            wanted = there.min() if wanted == "first" else there.max()
        wanted = wanted if isinstance(wanted, list) else [wanted]
        if there.dtype.kind == "f":
            # To relative precision: initial weights may be as small as 1e-16.
            numbers = there.to_numpy(dtype=float)[:, None]
            matches = np.isclose(numbers, np.array(wanted, float), atol=0)
        else:
            matches = np.stack(
                [(there == value).fillna(False).to_numpy(bool) for value in wanted], axis=1
            )
        if not matches.any(axis=0).all():
            missing = wanted[int(matches.any(axis=0).argmin())]
            raise NoRows(f"found no rows with {_text(of)}: {column} is nowhere {missing}")
        rows = rows[matches.any(axis=1)]
    return rows


def _text(of: Selection) -> str:
    return ", ".join(f"{column} {value}" for column, value in of.items())


def _cell(rows: pd.DataFrame, of: Selection) -> pd.Series:
    """The mean over what is selected, for each seed; nan for a seed that lacks a part of it. Raises
    NoRows where rows differ in a setting that is not selected: they are not to be pooled."""
    chosen = _select(rows, of)
    for column in chosen.columns.difference([*of, *NO_SETTINGS]):
        if len(values := chosen[column].drop_duplicates()) > 1:
            found = ", ".join(map(str, values))
            raise NoRows(f"found several values of {column}, {found}, of which it names none")
    number = chosen.groupby("seed").size()
    means = chosen.groupby("seed")["value"].agg(lambda values: values.mean(skipna=False))
    return means.where(number == number.max())


def _together(cells: list[pd.Series]) -> tuple[np.ndarray, list[int]]:
    """(n, cells) and the seeds that have all of them."""
    seeds = sorted(set.intersection(*(set(cell.dropna().index) for cell in cells)))
    values = np.stack([cell.loc[seeds].to_numpy(dtype=float) for cell in cells], axis=1)
    return values, [int(seed) for seed in seeds]


def _curves(
    rows: pd.DataFrame, of: Selection, along: str, parts: list[Selection]
) -> tuple[np.ndarray, list[int], np.ndarray]:
    """(n, parts, points), the seeds, and the axis; of the points that all parts have."""
    chosen = [_select(rows, of | part) for part in parts]
    x = sorted(set.intersection(*(set(part[along].dropna()) for part in chosen)))
    if not x:
        raise NoRows(f"found no value of {along} that all of its curves have")
    cells = [_cell(part, {along: point}) for part in chosen for point in x]
    values, seeds = _together(cells)
    return values.reshape(len(values), len(parts), len(x)), seeds, np.array(x, float)


def _surfaces(
    rows: pd.DataFrame, of: Selection, along: str, over: str, parts: list[Selection]
) -> tuple[np.ndarray, list[int], np.ndarray]:
    """(n, parts, points over, points along), the seeds, and the axis."""
    chosen = _select(rows, of)
    lines = sorted(chosen[over].dropna().unique())
    every = [part | {over: line} for part in parts for line in lines]
    curves, seeds, x = _curves(chosen, {}, along, every)
    return curves.reshape(len(curves), len(parts), len(lines), len(x)), seeds, x


def _gaps(rows, of, over, first, second) -> tuple[np.ndarray, list[int]]:
    """(n, 2, cells)"""
    cells = [
        _cell(rows, one | part | first) - _cell(rows, one | part | second)
        for one in of
        for part in over
    ]
    values, seeds = _together(cells)
    return values.reshape(len(values), len(of), len(over)), seeds


def _line(rows: pd.DataFrame, of: Selection, along: str, part: int) -> Sample:
    curves, seeds, x = _curves(rows, of, along, [{}])
    _needs_two(along, len(x))
    return Sample(np.polyfit(x, curves[:, 0].T, 1)[part], seeds)


def _jackknifed(values: np.ndarray, statistic: Callable[[np.ndarray], float]) -> np.ndarray:
    """n t - (n - 1) t_i for each network i, t_i the statistic without it (Tukey 1958); nan for
    fewer than three networks. values: (n, ...)."""
    number = len(values)
    if number < 3:
        return np.full(number, np.nan)
    without = [statistic(np.delete(values, i, axis=0)) for i in range(number)]
    return number * statistic(values) - (number - 1) * np.array(without)


def _needs_two(axis: str, number: int) -> None:
    if number < 2:
        raise NoRows(f"found {number} value of {axis}, needed: 2 or more")


def _ratio(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Infinite over 0, and not defined, nan, for 0 over 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(first) / second


def _first_crossing(curves: np.ndarray, x: np.ndarray, at: float) -> np.ndarray:
    """(..., points) -> (...)"""
    above = curves >= at
    index = above.argmax(axis=-1)
    crossed = above.any(axis=-1)
    before = np.maximum(index - 1, 0)
    high = np.take_along_axis(curves, index[..., None], axis=-1)[..., 0]
    low = np.take_along_axis(curves, before[..., None], axis=-1)[..., 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(index > 0, (at - low) / (high - low), 0)
    place = x[before] + part * (x[index] - x[before])
    return np.where(crossed, place, np.inf)


def _steepest(curves: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(..., points) -> (...): the largest slope between neighbouring points, of either sign."""
    return np.abs(np.diff(curves, axis=-1) / np.diff(x)).max(axis=-1)


def _spearman(curves: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(n, points) -> (n,); 0 where a curve is flat."""
    from scipy.stats import rankdata

    ranks, along = rankdata(curves, axis=-1), rankdata(x)
    ranks = ranks - ranks.mean(axis=-1, keepdims=True)
    along = along - along.mean()
    norm = np.sqrt((ranks**2).sum(axis=-1) * (along**2).sum())
    return np.divide(ranks @ along, norm, out=np.zeros(len(ranks)), where=norm > 0)
