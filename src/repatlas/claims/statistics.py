"""The statistics of the claims: the rows of a figure's table in, one number for each network out.

The unit is the seed, paired across activations and settings: a seed that lacks any of the networks
that a statistic needs is left out. Curves, too, are a network's own: a mean of curves that jump at
different places would not jump. selection.py says how a statistic names what it is about, and how
its numbers come.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from repatlas.claims.selection import (
    Curves,
    NoRows,
    Selection,
    cell,
    curves_of,
    frames_of,
    of_frames,
    select,
    surfaces_of,
    text_of,
    together,
)

if TYPE_CHECKING:  # the ledger is checked before anything runs, and pandas takes a second to import
    import pandas as pd

    from repatlas.claims.rows import Rows


class Sample(NamedTuple):
    values: np.ndarray
    """(n,): a number for each seed; infinite where a curve does not reach a value"""
    seeds: list[int]
    """(n,); none for a number that belongs to no network"""


def level(rows: Rows, of: Selection) -> Sample:
    """The value itself."""
    values, seeds = together(rows, [cell(rows.kinds, of)])
    return Sample(values[:, 0], seeds)


def difference(rows: Rows, of: Selection, first: Selection, second: Selection) -> Sample:
    """First minus second."""
    values, seeds = together(rows, [cell(rows.kinds, of | part) for part in (first, second)])
    return Sample(values[:, 0] - values[:, 1], seeds)


def interaction(
    rows: Rows, of: Selection, first: list[Selection], second: list[Selection]
) -> Sample:
    """A difference of differences: that of the first pair minus that of the second."""
    cells = [cell(rows.kinds, of | part) for part in (*first, *second)]
    values, seeds = together(rows, cells)
    return Sample(values @ [1, -1, -1, 1], seeds)


def smallest(rows: Rows, of: Selection, over: list[Selection]) -> Sample:
    """The smallest of several values of a seed."""
    values, seeds = together(rows, [cell(rows.kinds, of | part) for part in over])
    return Sample(values.min(axis=1), seeds)


def smallest_along(
    rows: Rows, of: Selection, along: str, first: Selection, second: Selection | None = None
) -> Sample:
    """The smallest value along an axis of a curve, or of the difference of two."""
    curves = curves_of(rows.kinds, of, along, [first, *([second] if second else [])])

    def smallest_of(values: np.ndarray) -> np.ndarray:
        return (values[:, 0] - values[:, 1] if second else values[:, 0]).min(axis=1)

    return _along(rows, curves, smallest_of)


def crossing(rows: Rows, of: Selection, along: str, at: float) -> Sample:
    """The place where a curve first reaches a value from below, interpolated between two points of
    the axis; infinite where it does not."""
    curves = curves_of(rows.kinds, of, along, [{}])
    return _along(rows, curves, lambda values: _first_crossing(values[:, 0], curves.x, at))


def steepness_ratio(
    rows: Rows, of: Selection, along: str, first: Selection, second: Selection
) -> Sample:
    """The steepest slope of one curve over that of another."""
    curves = curves_of(rows.kinds, of, along, [first, second])
    _needs_two(along, len(curves.x))

    def ratio(values: np.ndarray) -> np.ndarray:
        return _ratio(*(_steepest(values[:, part], curves.x) for part in (0, 1)))

    return _along(rows, curves, ratio)


def steepness_ratio_over(
    rows: Rows, of: Selection, along: str, over: str, first: Selection, second: Selection
) -> Sample:
    """The same in the logarithm of the axis, without its point at 0, and with slopes that are means
    over another axis."""
    surfaces = surfaces_of(rows.kinds, of, along, over, [first, second])
    x = surfaces.x[surfaces.x > 0]
    _needs_two(along, len(x))

    def ratio(values: np.ndarray) -> np.ndarray:
        slopes = _steepest(values[..., surfaces.x > 0], np.log(x)).mean(axis=-1)  # (n, 2)
        return _ratio(slopes[:, 0], slopes[:, 1])

    return _along(rows, surfaces, ratio)


def range_ratio_over(
    rows: Rows, of: Selection, along: str, over: str, first: Selection, second: Selection
) -> Sample:
    """The range of a curve, mean over another axis, over that of other curves."""
    surfaces = surfaces_of(rows.kinds, of, along, over, [first, second])
    _needs_two(along, len(surfaces.x))

    def ratio(values: np.ndarray) -> np.ndarray:
        ranges = np.ptp(values, axis=-1).mean(axis=-1)
        return _ratio(ranges[:, 0], ranges[:, 1])

    return _along(rows, surfaces, ratio)


def crossing_correlation(rows: Rows, of: Selection, along: str, over: str, at: float) -> Sample:
    """Spearman's correlation of another axis with where the curves, which fall, cross a value. Of
    curves that are below it from the start, or stay above it, the crossing is at that end."""
    surfaces = surfaces_of(rows.kinds, of, along, over, [{}])
    x, lines = surfaces.x, surfaces.shape[1]
    _needs_two(along, len(x))
    _needs_two(over, lines)

    def correlation(values: np.ndarray) -> np.ndarray:
        falling = values[:, 0, :, ::-1]  # (n, over, along)
        places = _first_crossing(falling, x[::-1], at)
        places = np.where(falling[..., 0] >= at, x[-1], np.where(np.isinf(places), x[0], places))
        return _spearman(places, np.arange(lines))

    return _along(rows, surfaces, correlation)


def rank_correlation(rows: Rows, of: Selection, along: str) -> Sample:
    """Spearman's correlation of a curve with the axis."""
    curves = curves_of(rows.kinds, of, along, [{}])
    _needs_two(along, len(curves.x))
    return _along(rows, curves, lambda values: _spearman(values[:, 0], curves.x))


def distance_ratio(rows: Rows, of: Selection, along: str, between: list[Selection]) -> Sample:
    """The mean distance of one curve from a second, over that from a third."""

    def ratio(values: np.ndarray) -> np.ndarray:
        near, far = (np.abs(values[:, 0] - values[:, k]).mean(axis=1) for k in (1, 2))
        return _ratio(near, far)

    return _along(rows, curves_of(rows.kinds, of, along, between), ratio)


def gap_correlation(
    rows: Rows,
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
    rows: Rows,
    of: list[Selection],
    over: list[Selection],
    first: Selection,
    second: Selection,
) -> Sample:
    """The mean size over cells of the gap in one measure over that in another."""
    gaps, seeds = _gaps(rows, of, over, first, second)
    one, other = (np.abs(gaps[:, k]).mean(axis=1) for k in (0, 1))
    return Sample(_ratio(one, other), seeds)


def partial_correlation(rows: Rows, of: Selection, with_: str, given: str) -> Sample:
    """Pearson's correlation of each seed's values with a column, both less their means at each
    value of another column, which is held fixed."""
    values, seeds = [], []
    for chosen in frames_of(rows, select(rows.kinds, of), [with_, given]):
        for seed, group in chosen.dropna(subset=["value"]).groupby("seed"):
            held = group.groupby(given)
            x = group[with_] - held[with_].transform("mean")
            y = group["value"] - held["value"].transform("mean")
            values.append(float(_ratio(x @ y, np.sqrt((x @ x) * (y @ y)))))
            seeds.append(int(seed))
    return Sample(np.array(values), seeds)


def largest_deviation(rows: Rows, of: Selection, column: str) -> Sample:
    """The largest distance of a seed's values from what stands in a column."""

    def largest(chosen: pd.DataFrame) -> pd.Series:
        chosen = chosen.dropna(subset=["value", column])
        return (chosen["value"] - chosen[column]).abs().groupby(chosen["seed"]).max()

    distances = of_frames(rows, select(rows.kinds, of), [column], largest)
    return Sample(distances.to_numpy(), [int(seed) for seed in distances.index])


def largest_excess(rows: Rows, of: Selection, first: Selection, second: Selection) -> Sample:
    """The largest of the first values of a seed, over its smallest second one."""
    high, low = (
        of_frames(rows, select(rows.kinds, of | part), [], function).dropna()
        for part, function in (
            (first, lambda chosen: chosen.groupby("seed")["value"].max()),
            (second, lambda chosen: chosen.groupby("seed")["value"].min()),
        )
    )
    seeds = sorted({*high.index} & {*low.index})
    values = high.loc[seeds].to_numpy() - low.loc[seeds].to_numpy()
    return Sample(values, [int(seed) for seed in seeds])


def line_slope(rows: Rows, of: Selection, along: str) -> Sample:
    """The slope of the least-squares line of a curve against an axis."""
    return _line(rows, of, along, 0)


def line_intercept(rows: Rows, of: Selection, along: str) -> Sample:
    """Its value where the axis is 0."""
    return _line(rows, of, along, 1)


def variation_ratio(rows: Rows, of: Selection, first: Selection, second: Selection) -> Sample:
    """The logarithm of the coefficient of variation over networks of the first values, over that of
    the second: jackknife pseudo-values, one for each network."""
    values, seeds = together(rows, [cell(rows.kinds, of | part) for part in (first, second)])

    def ratio(chosen: np.ndarray) -> float:
        spread = chosen.std(axis=0, ddof=1) / chosen.mean(axis=0)
        return float(np.log(_ratio(spread[0], spread[1])))

    return Sample(_jackknifed(values, ratio), seeds)


def spread_correlation(
    rows: Rows, of: Selection, along: str, start: float, first: Selection, second: Selection
) -> Sample:
    """Pearson's correlation along an axis, from `start` on, of two curves, the standard deviations
    over networks of two kinds: jackknife pseudo-values, one for each seed, which is left out of
    both."""

    def by_place(chosen: pd.DataFrame) -> pd.DataFrame:
        return chosen.pivot_table(index="seed", columns=along, values="value")

    wide = [
        of_frames(rows, select(rows.kinds, of | part), [along], by_place)
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


def exact(rows: Rows, of: Selection) -> Sample:
    """A number that follows from a task or a theory alone: it belongs to no network, and is judged
    by its value."""
    chosen = select(rows.kinds, of).index.to_numpy()
    values = np.concatenate([block.of(chosen)["value"] for block in rows.blocks])
    if len(values) != 1:
        raise NoRows(f"found {len(values)} rows with {text_of(of)}, needed: 1")
    return Sample(values, [])


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


def _along(rows: Rows, curves: Curves, function: Callable[[np.ndarray], np.ndarray]) -> Sample:
    """What a function makes of the curves of each seed: (n, parts, points) -> (n,)."""
    return Sample(
        *together(rows, curves.cells, lambda v: function(v.reshape(len(v), *curves.shape)))
    )


def _gaps(rows, of, over, first, second) -> tuple[np.ndarray, list[int]]:
    """(n, 2, cells)"""
    cells = [
        cell(rows.kinds, one | part | side)
        for one in of
        for part in over
        for side in (first, second)
    ]
    values, seeds = together(rows, cells)
    values = values.reshape(len(values), len(of), len(over), 2)
    with np.errstate(invalid="ignore"):
        gaps = values[..., 0] - values[..., 1]
    there = ~np.isnan(gaps).any(axis=(1, 2))
    return gaps[there], list(compress(seeds, there))


def _line(rows: Rows, of: Selection, along: str, part: int) -> Sample:
    curves = curves_of(rows.kinds, of, along, [{}])
    _needs_two(along, len(curves.x))
    values, seeds = together(rows, curves.cells)
    return Sample(np.polyfit(curves.x, values.T, 1)[part], seeds)


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
