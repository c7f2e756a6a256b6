"""Correlations of the units of two networks in natural order: unit i with unit i."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from repatlas.pairs.seen import Row, Seen, Settings
from repatlas.similarity import unit_correlations

DRAWS = 20


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield two values, for "signed" and for "absolute" correlations (Li et al. 2016, section 2).
    "natural" is the mean correlation of unit i of x with unit i of y. "natural_excess" is this
    value minus the mean over all pairs of units. That mean is not 0 for units that share their
    overall activity, such as ReLU units.

    There is no value for layers of different widths, since their units do not correspond by number.
    """
    found = unit_correlations(x.rows, y.rows)
    for sign, values in (("signed", found), ("absolute", np.abs(found))):
        if len(values) != len(values.T):
            reason = f"layers of {len(values)} and {len(values.T)} units have no natural order"
            yield Row("natural", sign, np.nan, reason=reason)
            yield Row("natural_excess", sign, np.nan, reason=reason)
            continue
        diagonal = float(np.diagonal(values).mean())
        yield Row("natural", sign, diagonal)
        yield Row("natural_excess", sign, diagonal - float(values.mean()))
