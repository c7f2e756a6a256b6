"""The statistics of the claims: the rows of a figure's table in, one value or curve for each seed
out, with the number that follows from their mean.

The unit is the seed, paired across activations and settings: a seed that lacks any of the networks
that a statistic needs is left out. A selection names columns of the table and the value wanted, or
several, over which a seed's mean is taken. In columns of numbers, "first" and "last" stand for the
least and the largest.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata

Selection = dict[str, Any]


class Sample(NamedTuple):
    values: np.ndarray
    """(n, ...): for each seed a number, or an array"""
    seeds: list[int]
    """(n,)"""
    summary: Callable[[np.ndarray], np.ndarray] = lambda mean: mean
    """From means over seeds, (R, ...), to numbers, (R,)"""


class NoRows(ValueError):
    """A selection finds nothing in the table."""


def level(rows: pd.DataFrame, of: Selection) -> Sample:
    """The value itself."""
    return _sample([_cell(rows, of)])._replace(summary=lambda mean: mean[:, 0])


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
    """The smallest value along an axis of the mean curve, or of the difference of two."""
    curves, seeds, _ = _curves(rows, of, along, [first, *([second] if second else [])])
    curves = curves[:, 0] - curves[:, 1] if second else curves[:, 0]
    return Sample(curves, seeds, lambda mean: mean.min(axis=1))


def crossing(rows: pd.DataFrame, of: Selection, along: str, at: float) -> Sample:
    """Where the mean curve first reaches a value from below, between two points of the axis
    interpolated; infinite where it does not."""
    curves, seeds, x = _curves(rows, of, along, [{}])
    return Sample(curves[:, 0], seeds, lambda mean: _first_crossing(mean, x, at))


def steepness_ratio(
    rows: pd.DataFrame, of: Selection, along: str, first: Selection, second: Selection
) -> Sample:
    """The steepest slope of one mean curve over that of another."""
    curves, seeds, x = _curves(rows, of, along, [first, second])
    return Sample(curves, seeds, lambda m: _steepest(m[:, 0], x) / _steepest(m[:, 1], x))


def steepness_ratio_over(
    rows: pd.DataFrame, of: Selection, along: str, over: str, first: Selection, second: Selection
) -> Sample:
    """The same in the logarithm of the axis, whose first point, 0, is left out, with slopes that
    are means over another axis."""
    surfaces, seeds, x = _surfaces(rows, of, along, over, [first, second])
    x, surfaces = np.log(x[1:]), surfaces[..., 1:]

    def summary(mean):
        slopes = _steepest(mean, x).mean(axis=-1)  # (R, 2)
        return slopes[:, 0] / slopes[:, 1]

    return Sample(surfaces, seeds, summary)


def range_ratio_over(
    rows: pd.DataFrame, of: Selection, along: str, over: str, first: Selection, second: Selection
) -> Sample:
    """The range of a mean curve, mean over another axis, over that of other curves."""
    surfaces, seeds, _ = _surfaces(rows, of, along, over, [first, second])

    def summary(mean):
        ranges = np.ptp(mean, axis=-1).mean(axis=-1)
        return ranges[:, 0] / ranges[:, 1]

    return Sample(surfaces, seeds, summary)


def crossing_correlation(
    rows: pd.DataFrame, of: Selection, along: str, over: str, at: float
) -> Sample:
    """Spearman's correlation of another axis with where the mean curves, which fall, cross a value.
    Of curves that are below it from the start, or stay above it, the crossing is at that end."""
    surfaces, seeds, x = _surfaces(rows, of, along, over, [{}])

    def summary(mean):
        falling = mean[:, 0, :, ::-1]  # (R, over, along)
        places = _first_crossing(falling, x[::-1], at)
        places = np.where(falling[..., 0] >= at, x[-1], np.where(np.isinf(places), x[0], places))
        return _spearman(places, np.arange(places.shape[-1]))

    return Sample(surfaces, seeds, summary)


def rank_correlation(rows: pd.DataFrame, of: Selection, along: str) -> Sample:
    """Spearman's correlation of the mean curve with the axis."""
    curves, seeds, x = _curves(rows, of, along, [{}])
    return Sample(curves[:, 0], seeds, lambda mean: _spearman(mean, x))


def distance_ratio(
    rows: pd.DataFrame, of: Selection, along: str, between: list[Selection]
) -> Sample:
    """The mean distance of one curve from a second, over that from a third."""
    curves, seeds, _ = _curves(rows, of, along, between)

    def summary(mean):
        near, far = (np.abs(mean[:, 0] - mean[:, k]).mean(axis=1) for k in (1, 2))
        return near / far

    return Sample(curves, seeds, summary)


def gap_correlation(
    rows: pd.DataFrame,
    of: list[Selection],
    over: list[Selection],
    first: Selection,
    second: Selection,
) -> Sample:
    """Pearson's correlation over cells of the gaps, first minus second, in two measures."""
    gaps, seeds = _gaps(rows, of, over, first, second)

    def summary(mean):
        one, other = (mean[:, k] - mean[:, k].mean(axis=1, keepdims=True) for k in (0, 1))
        return (one * other).sum(axis=1) / np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1))

    return Sample(gaps, seeds, summary)


def gap_ratio(
    rows: pd.DataFrame,
    of: list[Selection],
    over: list[Selection],
    first: Selection,
    second: Selection,
) -> Sample:
    """The mean size over cells of the gap in one measure over that in another."""
    gaps, seeds = _gaps(rows, of, over, first, second)

    def summary(mean):
        one, other = (np.abs(mean[:, k]).mean(axis=1) for k in (0, 1))
        return one / other

    return Sample(gaps, seeds, summary)


def partial_correlation(rows: pd.DataFrame, of: Selection, with_: str, given: str) -> Sample:
    """Pearson's correlation of each seed's values with a column, both less their means at each
    value of another column, which is held fixed."""
    chosen = _select(rows, of).dropna(subset=["value"])
    values, seeds = [], []
    for seed, group in chosen.groupby("seed"):
        held = group.groupby(given)
        x = group[with_] - held[with_].transform("mean")
        y = group["value"] - held["value"].transform("mean")
        values.append((x @ y) / np.sqrt((x @ x) * (y @ y)))
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
        if pd.api.types.is_float_dtype(there):
            numbers = there.to_numpy(dtype=float)[:, None]
            rows = rows[np.isclose(numbers, np.array(wanted, float)).any(axis=1)]
        else:
            rows = rows[there.isin(wanted)]
        if rows.empty:
            raise NoRows(f"the table has no rows with {of}")
    return rows


def _cell(rows: pd.DataFrame, of: Selection) -> pd.Series:
    """By seed, the mean over what is selected; a seed that lacks a part of it is nan."""
    chosen = _select(rows, of)
    number = chosen.groupby("seed").size()
    means = chosen.groupby("seed")["value"].agg(lambda values: values.mean(skipna=False))
    return means.where(number == number.max())


def _together(cells: list[pd.Series]) -> tuple[np.ndarray, list[int]]:
    """(n, cells) and the seeds that have all of them."""
    table = pd.concat(cells, axis=1, join="outer").dropna()
    return table.to_numpy(dtype=float), [int(seed) for seed in table.index]


def _sample(cells: list[pd.Series]) -> Sample:
    return Sample(*_together(cells))


def _curves(
    rows: pd.DataFrame, of: Selection, along: str, parts: list[Selection]
) -> tuple[np.ndarray, list[int], np.ndarray]:
    """(n, parts, points), the seeds, and the axis; of the points that all parts have."""
    chosen = [_select(rows, of | part) for part in parts]
    x = sorted(set.intersection(*(set(part[along].dropna()) for part in chosen)))
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
    """(R, points) -> (R,); 0 where a curve is flat."""
    ranks, along = rankdata(curves, axis=-1), rankdata(x)
    ranks = ranks - ranks.mean(axis=-1, keepdims=True)
    along = along - along.mean()
    norm = np.sqrt((ranks**2).sum(axis=-1) * (along**2).sum())
    return np.divide(ranks @ along, norm, out=np.zeros(len(ranks)), where=norm > 0)
