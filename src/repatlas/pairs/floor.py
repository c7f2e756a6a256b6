"""The noise floor of measures of pairs: what they say of networks that have nothing in common."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from repatlas.inference.permutation import permutations
from repatlas.pairs.seed_pairs import has_floor
from repatlas.pairs.seen import Row, Seen, Settings

FLOOR = " floor"
"""Ends the variant of a row of the floor."""


def rows_and_floor(
    measure: ModuleType, x: Seen, y: Seen, settings: Settings, seeds: tuple[int, int]
) -> Iterator[Row]:
    """Yield every row of a measure of two networks of these seeds, and its noise floor."""
    yield from measure.rows(x, y, settings)
    if measure.DRAWS and has_floor(seeds):
        yield from floor(measure, x, y, settings, seed=seeds[0])


def floor(measure: ModuleType, x: Seen, y: Seen, settings: Settings, seed: int) -> Iterator[Row]:
    """Yield every row of a measure with the items of y in random order: the mean over
    `measure.DRAWS` draws, and their standard deviation (nan of a single draw).

    Where rows are positions of images, whole images change places; where these have different
    numbers of rows, those after them move up or down. All that the two have in common goes, and
    sizes, ranks and spectra stay. Rows without a value keep their reason.
    """
    drawn: dict[tuple, list[Row]] = {}
    for order in _orders(y, measure.DRAWS, seed):
        for row in measure.rows(x, y.in_order(order), settings):
            drawn.setdefault((*row[:2], row.unit, row.other_unit, row.at), []).append(row)
    for rows in drawn.values():
        values = np.array([row.value for row in rows])
        yield rows[0]._replace(
            variant=f"{rows[0].variant}{FLOOR}",
            value=float(values.mean()),
            sd=float(values.std(ddof=1)) if len(values) > 1 else np.nan,
        )


def _orders(y: Seen, draws: int, seed: int) -> list[NDArray[np.intp]]:
    """Return random orders of the rows, (m,): the rows of an image stay together, in their
    order."""
    if y.groups is None:
        return permutations(len(y.rows), draws, None, seed)
    images, counts = np.unique(y.groups, return_counts=True)
    sorted_rows = np.argsort(y.groups, kind="stable")
    of_images = np.split(sorted_rows, np.cumsum(counts)[:-1])
    orders = []
    for drawn in permutations(len(images), draws, None, seed):
        order = np.empty(len(y.rows), dtype=np.intp)
        order[sorted_rows] = np.concatenate([of_images[image] for image in drawn])
        orders.append(order)
    return orders
