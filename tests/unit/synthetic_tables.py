"""Tables made up so that a check of a claim has the number that a test wants.

Each statistic has a recipe: which rows make its number, and which value each row must have. A
recipe is written from the statistic's definition and does not call the statistic.
"""

from itertools import product

import numpy as np
import pandas as pd

SEEDS = 12
LAST, FIRST = 9.0, 0.0
"""The values of a column of numbers that "last" and "first" select."""
POINTS = [1.0, 2.0, 3.0]
"""Values of an axis if the check names no values."""


def rows_with_number(check, number):
    """Return rows for which the check's statistic is `number` in every seed. A correlation is its
    sign, 1 or -1."""
    cells = RECIPES[check.statistic](number, **check.options)
    if check.statistic == "exact":
        return _frame([(of, value) for of, value in cells], [None])
    return _frame(cells, range(SEEDS))


def _frame(cells, seeds):
    """Return the rows of cells, which are pairs of a selection and a value or a function of the
    seed's deviate. A selection of several values of a column is a row for each of them."""
    rows = []
    deviates = np.linspace(-1, 1, SEEDS)
    for of, value in cells:
        values = [found if isinstance(found, list) else [found] for found in of.values()]
        for point in product(*values):
            for deviate, seed in zip(deviates, seeds, strict=False):
                found = value(deviate) if callable(value) else value
                rows.append(dict(zip(of, point, strict=True)) | {"seed": seed, "value": found})
    frame = pd.DataFrame(rows).drop_duplicates()
    for name in frame.columns.difference(["seed", "value"]):
        numbers = frame[name].replace({"last": LAST, "first": FIRST})
        if not numbers.map(lambda value: isinstance(value, str)).any():
            frame[name] = numbers.astype(float)
    needed = {"variant": None, "step": np.nan, "contrast": None}
    frame = frame.assign(**{n: value for n, value in needed.items() if n not in frame})
    return frame.assign(
        run=None if seeds == [None] else _runs(frame), seed=frame["seed"].astype("Int64")
    )


def _runs(frame):
    """Return the name of the network of each row: a number for its settings."""
    settings = [name for name in frame if name not in ("seed", "value", "measure")]
    return frame.groupby(settings, dropna=False).ngroup().astype(str)


def _points(of, axis):
    found = of.get(axis, POINTS)
    return [float(x) for x in (found if isinstance(found, list) else [found])]


def _curve(of, along, value):
    """Return the cells of a curve, value(x), along an axis."""
    return [(of | {along: x}, value(x)) for x in _points(of, along)]


def _line(of, along, value):
    """Return the cells of a curve along an axis that follows from another column: each of the
    several values that `of` has for this column is one point."""
    [(name, several)] = [(name, found) for name, found in of.items() if isinstance(found, list)]
    return [
        (of | {name: each, along: x}, value(x)) for each, x in zip(several, POINTS, strict=True)
    ]


def _surface(of, along, over, value):
    """Return the cells of value(x, line), for each point along one axis and each line over another
    axis."""
    return [
        (of | {along: x, over: line}, value(x, line))
        for line in _points(of, over)
        for x in _points(of, along)
    ]


def _gaps(of, over, first, second, values):
    """Return cells in which gap number i of each measure is values(measure, i)."""
    return [
        (one | part | side, values(measure, place) if side is first else 0.0)
        for measure, one in enumerate(of)
        for place, part in enumerate(over)
        for side in (first, second)
    ]


def _sign(number):
    return 1.0 if number > 0 else -1.0


def _crossing(number, of, along, at):
    """Return a curve that passes `at` in the middle between two points."""
    return [(of | {along: number - 1}, at - 1), (of | {along: number + 1}, at + 1)]


def _crossing_correlation(number, of, along, over, at):
    """Return curves: the curve of line i is above `at` up to a point that moves with i."""
    lines = _points(of, over)
    cells = []
    for place, line in enumerate(lines):
        edge = place if number > 0 else len(lines) - 1 - place
        cells += [
            (of | {over: line, along: float(x)}, at + (0.5 if x <= edge else -0.5))
            for x in range(len(lines) + 1)
        ]
    return cells


def _partial_correlation(number, of, with_, given):
    return [
        (of | {with_: x, given: group}, _sign(number) * x + 10 * group)
        for group in (1.0, 2.0)
        for x in POINTS
    ]


def _spread(of, along, start, value):
    """Return the cells of curves at a distance of deviate * value(place) from their median."""
    return [(of | {along: start + x}, lambda deviate, x=x: deviate * value(x)) for x in POINTS]


def _spread_correlation(number, of, along, start, first, second):
    """Return curves. The spread of the first grows along the axis; the spread of the second grows
    or falls."""
    return [
        *_spread(of | first, along, start, lambda x: 5 + x),
        *_spread(of | second, along, start, lambda x: 5 + _sign(number) * x),
    ]


def _spread_ratio(number, of, along, start, first, second):
    return [
        *_spread(of | first, along, start, lambda x: np.exp(number)),
        *_spread(of | second, along, start, lambda x: 1.0),
    ]


def _measure_correlation(number, of, over):
    """Return two measures over settings. The first rises, and the second rises or falls."""
    cells = []
    for sign, one in zip((1.0, _sign(number)), of, strict=True):
        axes = [one.get(name, POINTS) for name in over]
        points = product(*(axis if isinstance(axis, list) else [axis] for axis in axes))
        cells += [
            (one | dict(zip(over, point, strict=True)), sign * rank)
            for rank, point in enumerate(points)
        ]
    return cells


CORRELATIONS = {
    "measure_correlation",
    *("rank_correlation", "gap_correlation", "partial_correlation"),
    *("crossing_correlation", "spread_correlation"),
}
RECIPES = {
    "level": lambda number, of: [(of, number)],
    "exact": lambda number, of: [(of, number)],
    "difference": lambda number, of, first, second: [(of | first, number), (of | second, 0.0)],
    "interaction": lambda number, of, first, second: [
        (of | part, number if part is first[0] else 0.0) for part in (*first, *second)
    ],
    "smallest": lambda number, of, over: [
        (of | part, number + place) for place, part in enumerate(over)
    ],
    "smallest_along": lambda number, of, along, first, second=None: [
        *_curve(of | first, along, lambda x: number if x == _points(of, along)[0] else number + 1),
        *(_curve(of | second, along, lambda x: 0.0) if second else []),
    ],
    "crossing": _crossing,
    "steepness_ratio": lambda number, of, along, first, second: [
        *_curve(of | first, along, lambda x: number * x),
        *_curve(of | second, along, lambda x: x),
    ],
    "steepness_ratio_over": lambda number, of, along, over, first, second: [
        *_surface(of | first, along, over, lambda x, line: number * np.log(x)),
        *_surface(of | second, along, over, lambda x, line: np.log(x)),
    ],
    "range_ratio_over": lambda number, of, along, over, first, second: [
        *_surface(of | first, along, over, lambda x, line: number * x),
        *_surface(of | second, along, over, lambda x, line: x),
    ],
    "crossing_correlation": _crossing_correlation,
    "rank_correlation": lambda number, of, along: _curve(of, along, lambda x: _sign(number) * x),
    "distance_ratio": lambda number, of, along, between: [
        cell
        for part, value in zip(between, (0.0, number, 1.0), strict=True)
        for cell in _curve(of | part, along, lambda x, value=value: value)
    ],
    "gap_correlation": lambda number, of, over, first, second: _gaps(
        of, over, first, second, lambda measure, place: place * (_sign(number) if measure else 1)
    ),
    "gap_ratio": lambda number, of, over, first, second: _gaps(
        of, over, first, second, lambda measure, place: 1.0 if measure else number
    ),
    "partial_correlation": _partial_correlation,
    "measure_correlation": _measure_correlation,
    "largest_deviation": lambda number, of, column: [(of | {column: 0.25}, 0.25 + number)],
    "largest_excess": lambda number, of, first, second: [
        (of | first, number),
        (of | second, 0.0),
    ],
    "line_slope": lambda number, of, along: _line(of, along, lambda x: number * x),
    "line_intercept": lambda number, of, along: _line(of, along, lambda x: number + x),
    "spread_correlation": _spread_correlation,
    "spread_ratio": _spread_ratio,
}
"""A function of each statistic: (number, **options) -> cells whose statistic is the number."""
