"""The images that activate units of two networks most, for pairs of units that match."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from repatlas import similarity
from repatlas.pairs.seen import Row, Seen, Settings

DRAWS = 0
IMAGES = 9
"""Images of each unit."""


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Of the pairs of units that matching finds, the one with the largest correlation ("best"), the
    median and the smallest one ("worst"). "preferred_pair": its correlation, `unit` and
    `other_unit` the two units. "preferred_image": the pixels of the nine items that activate a unit
    most, of the unit of x ("best, a") and of that of y ("best, b"); `unit` is the place of the item
    in descending order of activity, `other_unit` the feature of the input, and the value is less
    the least of the feature over all items. Where rows are positions of images, it is the whole
    image in which a position is. These are many rows: compare `pairs: first` by them."""
    found = similarity.matching(x.rows, y.rows)
    last = len(found.correlations) - 1
    for which, place in (("best", 0), ("median", last // 2), ("worst", last)):
        i, j = found.pairs[place].tolist()
        value = float(found.correlations[place])
        yield Row("preferred_pair", which, value, unit=i, other_unit=j)
        for side, seen, unit in (("a", x, i), ("b", y, j)):
            for (image, pixel), value in np.ndenumerate(_preferred(seen, unit)):
                yield Row(
                    "preferred_image", f"{which}, {side}", float(value), unit=image,
                    other_unit=pixel,
                )  # fmt: skip


def _preferred(seen: Seen, unit: int) -> NDArray[np.float64]:
    """(9, n): the inputs for which a unit is most active, the most active first."""
    inputs = seen.network.inputs(seen.items)
    order = np.argsort(-seen.rows[:, unit], kind="stable")
    items = order if seen.groups is None else seen.groups[order]
    # Each image once, at its most active position.
    _, first = np.unique(items, return_index=True)
    chosen = items[np.sort(first)[:IMAGES]]
    return inputs[chosen] - inputs.min(axis=0)
