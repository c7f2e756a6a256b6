"""The statistics of the claims: they take the rows of a figure's table, and return one number for
each network.

The unit of analysis is the seed, paired across activations and settings. A seed that lacks a
network that a statistic needs is left out. Statistics of curves are computed for each network: a
mean of curves that jump at different points would not jump. The module selection.py explains how a
statistic selects rows, and how it gets the numbers.
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
    frame_of,
    select,
    surfaces_of,
    text_of,
    together,
)

if TYPE_CHECKING:  # claims are checked before anything runs, and pandas takes a second to import
    from repatlas.claims.rows import Rows


class Sample(NamedTuple):
    values: np.ndarray
    """(n,): a number for each seed; infinite where a curve does not reach a value"""
    seeds: list[int]
    """(n,); none for a number that belongs to no network"""


def level(rows: Rows, of: Selection) -> Sample:
    """Return the value of each seed."""
    values, seeds = together(rows, [cell(rows.kinds, of)])
    return Sample(values[:, 0], seeds)


def difference(rows: Rows, of: Selection, first: Selection, second: Selection) -> Sample:
    """Return the first value minus the second."""
    values, seeds = together(rows, [cell(rows.kinds, of | part) for part in (first, second)])
    return Sample(values[:, 0] - values[:, 1], seeds)


def interaction(
    rows: Rows, of: Selection, first: list[Selection], second: list[Selection]
) -> Sample:
    """Return a difference of differences: the difference of the first pair minus the difference of
    the second pair."""
    cells = [cell(rows.kinds, of | part) for part in (*first, *second)]
    values, seeds = together(rows, cells)
    return Sample(values @ [1, -1, -1, 1], seeds)


def smallest(rows: Rows, of: Selection, over: list[Selection]) -> Sample:
    """Return the smallest of several values of a seed."""
    values, seeds = together(rows, [cell(rows.kinds, of | part) for part in over])
    return Sample(values.min(axis=1), seeds)


def smallest_along(
    rows: Rows, of: Selection, along: str, first: Selection, second: Selection | None = None
) -> Sample:
    """Return the smallest value along an axis of a curve, or of the difference of two."""
    curves = curves_of(rows.kinds, of, along, [first, *([second] if second else [])])

    def smallest_of(values: np.ndarray) -> np.ndarray:
        return (values[:, 0] - values[:, 1] if second else values[:, 0]).min(axis=1)

    return _along(rows, curves, smallest_of)


def crossing(rows: Rows, of: Selection, along: str, at: float) -> Sample:
    """Return the point of the axis at which a curve first reaches a value from below, interpolated
    between two points; infinite if the curve does not reach it."""
    curves = curves_of(rows.kinds, of, along, [{}])
    return _along(rows, curves, lambda values: _first_crossing(values[:, 0], curves.x, at))


def steepness_ratio(
    rows: Rows, of: Selection, along: str, first: Selection, second: Selection
) -> Sample:
    """Return the steepest slope of one curve divided by the steepest slope of another."""
    curves = curves_of(rows.kinds, of, along, [first, second])
    _needs_two(along, len(curves.x))

    def ratio(values: np.ndarray) -> np.ndarray:
        return _ratio(*(_steepest(values[:, part], curves.x) for part in (0, 1)))

    return _along(rows, curves, ratio)


def steepness_ratio_over(
    rows: Rows, of: Selection, along: str, over: str, first: Selection, second: Selection
) -> Sample:
    """Return the steepness ratio of curves along the logarithm of the axis, without the point at 0.
    Slopes are means over a second axis."""
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
    """Return the range of a curve, averaged over a second axis, divided by the range of other
    curves."""
    surfaces = surfaces_of(rows.kinds, of, along, over, [first, second])
    _needs_two(along, len(surfaces.x))

    def ratio(values: np.ndarray) -> np.ndarray:
        ranges = np.ptp(values, axis=-1).mean(axis=-1)
        return _ratio(ranges[:, 0], ranges[:, 1])

    return _along(rows, surfaces, ratio)


def crossing_correlation(rows: Rows, of: Selection, along: str, over: str, at: float) -> Sample:
    """Return Spearman's correlation of a second axis with the point at which falling curves cross a
    value. If a curve is below the value from the start, the crossing is at the start. If it stays
    above, the crossing is at the end."""
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
    """Return Spearman's correlation of a curve with the axis."""
    curves = curves_of(rows.kinds, of, along, [{}])
    _needs_two(along, len(curves.x))
    return _along(rows, curves, lambda values: _spearman(values[:, 0], curves.x))


def distance_ratio(rows: Rows, of: Selection, along: str, between: list[Selection]) -> Sample:
    """Return the mean distance of one curve from a second curve, divided by its mean distance from
    a third."""

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
    """Return Pearson's correlation, over cells, of the gaps in two measures. A gap is the first
    value minus the second."""
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
    """Return the mean absolute gap, over cells, in one measure divided by the mean absolute gap in
    another."""
    gaps, seeds = _gaps(rows, of, over, first, second)
    one, other = (np.abs(gaps[:, k]).mean(axis=1) for k in (0, 1))
    return Sample(_ratio(one, other), seeds)


def partial_correlation(rows: Rows, of: Selection, with_: str, given: str) -> Sample:
    """Return Pearson's correlation of each seed's values with a column, for a fixed value of
    another column: at each of its values, the means are subtracted from both."""
    values, seeds = [], []
    chosen = frame_of(rows, select(rows.kinds, of), [with_, given])
    for seed, group in chosen.dropna(subset=["value"]).groupby("seed"):
        held = group.groupby(given)
        x = group[with_] - held[with_].transform("mean")
        y = group["value"] - held["value"].transform("mean")
        values.append(float(_ratio(x @ y, np.sqrt((x @ x) * (y @ y)))))
        seeds.append(int(seed))
    return Sample(np.array(values), seeds)


def measure_correlation(rows: Rows, of: list[Selection], over: list[str]) -> Sample:
    """Return Spearman's correlation of two measures over the settings that each seed has. The
    columns `over` tell the settings. A seed with fewer settings than other seeds is left out."""
    both = []
    for each in of:
        found = frame_of(rows, select(rows.kinds, each), over).dropna(subset="value")
        if found.duplicated(["seed", *over]).any():
            raise NoRows(
                f"found several rows with {text_of(each)} for a value of {', '.join(over)}"
            )
        both.append(found)
    pairs = both[0].merge(both[1], on=["seed", *over])
    groups = [(int(seed), group) for seed, group in pairs.groupby("seed")]
    most = max((len(group) for _, group in groups), default=0)
    _needs_two(" and ".join(over), most)
    kept = [(seed, group) for seed, group in groups if len(group) == most]
    values = [
        _spearman(group["value_x"].to_numpy()[None], group["value_y"].to_numpy())[0]
        for _, group in kept
    ]
    return Sample(np.array(values), [seed for seed, _ in kept])


def largest_deviation(rows: Rows, of: Selection, column: str) -> Sample:
    """Return the largest distance of a seed's values from the values of a column."""
    chosen = frame_of(rows, select(rows.kinds, of), [column]).dropna(subset=["value", column])
    distances = (chosen["value"] - chosen[column]).abs().groupby(chosen["seed"]).max()
    return Sample(distances.to_numpy(), [int(seed) for seed in distances.index])


def largest_excess(rows: Rows, of: Selection, first: Selection, second: Selection) -> Sample:
    """Return the largest of the first values of a seed minus the smallest of its second values."""
    one, other = (
        frame_of(rows, select(rows.kinds, of | part), []).groupby("seed")["value"]
        for part in (first, second)
    )
    high, low = one.max().dropna(), other.min().dropna()
    seeds = sorted({*high.index} & {*low.index})
    values = high.loc[seeds].to_numpy() - low.loc[seeds].to_numpy()
    return Sample(values, [int(seed) for seed in seeds])


def line_slope(rows: Rows, of: Selection, along: str) -> Sample:
    """Return the slope of the least-squares line of a curve along an axis."""
    return _line(rows, of, along, 0)


def line_intercept(rows: Rows, of: Selection, along: str) -> Sample:
    """Return the value of the least-squares line of a curve at the point 0 of the axis."""
    return _line(rows, of, along, 1)


def spread_correlation(
    rows: Rows, of: Selection, along: str, start: float, first: Selection, second: Selection
) -> Sample:
    """Return a correlation between two types of networks of how far they are from their typical
    curve.

    For each type, the distance of a seed's curve from the median curve is taken at each point of
    the axis from `start`. The result is Pearson's correlation of both distances along the axis, one
    number for each seed. Networks with equal curves have 0.
    """
    one, other, seeds = _distances(rows, of, along, start, first, second)
    one, other = (each - each.mean(axis=1, keepdims=True) for each in (one, other))
    norm = np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1))
    products = (one * other).sum(axis=1)
    values = np.divide(products, norm, out=np.zeros(len(norm)), where=norm > 0)
    return Sample(values, seeds)


def spread_ratio(
    rows: Rows, of: Selection, along: str, start: float, first: Selection, second: Selection
) -> Sample:
    """Return the logarithm of a ratio of spreads, one number for each seed. The spread is the
    distance of a seed's curve from the median curve of its type, averaged along the axis from
    `start`; the first type is divided by the second."""
    one, other, seeds = _distances(rows, of, along, start, first, second)
    with np.errstate(divide="ignore", invalid="ignore"):
        return Sample(np.log(one.mean(axis=1) / other.mean(axis=1)), seeds)


def exact(rows: Rows, of: Selection) -> Sample:
    """Return a number that follows from a task or a theory alone. It belongs to no network, and is
    judged by its value."""
    chosen = select(rows.kinds, of).index.to_numpy()
    values = rows.of(chosen)["value"]
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
        measure_correlation,
        line_slope,
        line_intercept,
        spread_correlation,
        spread_ratio,
        exact,
    )
}


def _along(rows: Rows, curves: Curves, function: Callable[[np.ndarray], np.ndarray]) -> Sample:
    """Return what a function makes of the curves of each seed: (n, parts, points) to (n,)."""
    values, seeds = together(rows, curves.cells)
    return Sample(function(values.reshape(len(values), *curves.shape)), seeds)


def _gaps(rows, of, over, first, second) -> tuple[np.ndarray, list[int]]:
    """Return (n, 2, cells): the first value minus the second, in both measures; and the seeds."""
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


def _distances(
    rows: Rows, of: Selection, along: str, start: float, first: Selection, second: Selection
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return, twice, (seeds, points): how far the curves of each kind are from their median over
    seeds, at the points from `start` on; and the seeds that have both."""
    wide = [
        frame_of(rows, select(rows.kinds, of | part), [along]).pivot_table(
            index="seed", columns=along, values="value"
        )
        for part in (first, second)
    ]
    seeds = sorted(set(wide[0].dropna().index) & set(wide[1].dropna().index))
    places = sorted(place for place in set(wide[0]) & set(wide[1]) if place >= start)
    _needs_two(along, len(places))
    curves = [part.loc[seeds, places].to_numpy() for part in wide]
    one, other = (np.abs(each - np.median(each, axis=0)) for each in curves)
    return one, other, [int(seed) for seed in seeds]


def _needs_two(axis: str, number: int) -> None:
    if number < 2:
        raise NoRows(f"found {number} value of {axis}, needed: 2 or more")


def _ratio(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return a ratio: infinite for a division by 0, and nan for 0 divided by 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(first) / second


def _first_crossing(curves: np.ndarray, x: np.ndarray, at: float) -> np.ndarray:
    """Return the point at which each curve first reaches a value: (..., points) to (...)."""
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
    """Return the largest slope between neighbouring points, of either sign: (..., points) to
    (...)."""
    return np.abs(np.diff(curves, axis=-1) / np.diff(x)).max(axis=-1)


def _spearman(curves: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return Spearman's correlation of each curve with x: (n, points) to (n,); 0 for a flat
    curve."""
    from scipy.stats import rankdata

    ranks, along = rankdata(curves, axis=-1), rankdata(x)
    ranks = ranks - ranks.mean(axis=-1, keepdims=True)
    along = along - along.mean()
    norm = np.sqrt((ranks**2).sum(axis=-1) * (along**2).sum())
    return np.divide(ranks @ along, norm, out=np.zeros(len(ranks)), where=norm > 0)
