"""The best partner of each unit in another network; several may share one (Li et al. 2016)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from repatlas.pairs.seen import Row, Seen, Settings
from repatlas.similarity import unit_correlations
from repatlas.similarity.matching import PARTNER

DRAWS = 20


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield two values, for "signed" and for "absolute" correlations, for the units of x ("a to b")
    and for the units of y ("b to a"). "semi_matching" is the mean over units of the largest
    correlation with a unit of the other network. "without_partner" is the share of units for which
    this correlation is below 0.5.

    semi_matching is never smaller than matching, so a larger value is no finding.
    """
    found = unit_correlations(x.rows, y.rows)
    for sign, values in (("signed", found), ("absolute", np.abs(found))):
        for direction, axis in (("a to b", 1), ("b to a", 0)):
            best = values.max(axis=axis)
            variant = f"{sign}, {direction}"
            yield Row("semi_matching", variant, float(best.mean()))
            share = float((best < PARTNER).mean())
            yield Row("without_partner", variant, share, similarity=False)
