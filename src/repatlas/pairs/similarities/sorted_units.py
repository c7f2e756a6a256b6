"""How well each unit of a network is matched in another one, unit by unit, for curves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from repatlas import similarity
from repatlas.pairs.seen import Row, Seen, Settings
from repatlas.pairs.similarities.matching import SIGNS

DRAWS = 20


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield one row for each pair of units that matching finds, "sorted_matching", and one for each
    unit of x with its best partner in y, "sorted_semi_matching". `unit` is the rank in descending
    order of correlation. Both are for "signed" and for "absolute" correlations. These are many
    rows: use `pairs: disjoint` for the comparison."""
    for sign in SIGNS:
        found = {
            "sorted_matching": similarity.matching(x.rows, y.rows, sign).correlations,
            "sorted_semi_matching": similarity.semi_matching(x.rows, y.rows, sign).correlations,
        }
        for measure, values in found.items():
            for place, value in enumerate(np.sort(values)[::-1].tolist()):
                yield Row(measure, sign, value, unit=place)
