"""Units of two networks matched one to one (Li et al. 2016, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator

from repatlas import similarity
from repatlas.pairs.seen import Row, Seen, Settings
from repatlas.similarity.matching import PARTNER, Sign

DRAWS = 20
SIGNS: tuple[Sign, ...] = ("signed", "absolute")


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield "matching": the mean correlation of units in pairs, no unit twice, so that it is
    largest. "matched_share": the share of these pairs with a correlation of 0.5 or more. By
    "signed" and by "absolute" correlations."""
    for sign in SIGNS:
        found = similarity.matching(x.rows, y.rows, sign).correlations
        yield Row("matching", sign, float(found.mean()))
        yield Row("matched_share", sign, float((found >= PARTNER).mean()))
