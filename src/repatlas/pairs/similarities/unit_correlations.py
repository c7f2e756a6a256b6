"""The correlation of each unit of two networks with each, for heat maps of a single pair."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from repatlas import similarity
from repatlas.pairs.seen import Row, Seen, Settings

DRAWS = 0


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield one row for each pair of units, in their natural order: "a to b" between the networks,
    "in a" and "in b" within each. "partner" has, for each unit of a, its correlation with the unit
    of b that matching pairs it with, and the number of this unit. These are many rows: use `pairs:
    first` for the comparison."""
    for variant, one, other in (("a to b", x, y), ("in a", x, x), ("in b", y, y)):
        found = similarity.unit_correlations(one.rows, other.rows)
        for (i, j), value in np.ndenumerate(found):
            yield Row("unit_correlation", variant, float(value), unit=i, other_unit=j)
    matched = similarity.matching(x.rows, y.rows)
    for (i, j), value in zip(matched.pairs.tolist(), matched.correlations.tolist(), strict=True):
        yield Row("unit_correlation", "partner", value, unit=i, other_unit=j)
