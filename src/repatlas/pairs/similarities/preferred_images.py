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
    """Yield three pairs of units, of all pairs that matching finds: the pair with the largest
    correlation ("best"), the median and the smallest ("worst").

    "preferred_pair": the correlation; `unit` and `other_unit` are the two units. "preferred_image":
    the pixels of the nine items that activate a unit most, for the unit of x ("best, a") and the
    unit of y ("best, b"). `unit` is the rank of the item in descending order of activity, and
    `other_unit` the feature of the input. The value is the feature minus its smallest value over
    all items. If rows are positions of images, it is the whole image of a position.

    These are many rows: use `pairs: first` for the comparison.
    """
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
    """Return (9, n): the inputs for which a unit is most active, the most active first."""
    inputs = seen.network.inputs(seen.items)
    order = np.argsort(-seen.rows[:, unit], kind="stable")
    items = order if seen.groups is None else seen.groups[order]
    # Each image once, at its most active position.
    _, first = np.unique(items, return_index=True)
    chosen = items[np.sort(first)[:IMAGES]]
    return inputs[chosen] - inputs.min(axis=0)
