"""Singular vector canonical correlation (SVCCA; Raghu et al. 2017)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from repatlas.pairs.seen import Row, Seen, Settings
from repatlas.similarity import Overlap

DRAWS = 20
SETTINGS = ("svcca_k",)


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield the mean canonical correlation of the leading directions. "variance" uses the
    directions with 99 % of the variance; their number, in `kept`, differs between layers and times.
    For each number of directions in the settings there is a variant such as "k = 8" (or the rank,
    if that is smaller)."""
    yield from svcca_rows(Overlap(x.svd, y.svd), settings)


def svcca_rows(both: Overlap, settings: Settings) -> Iterator[Row]:
    """Yield the rows of `rows`, from a product of the layers that other measures share."""
    yield _row(both, "variance", "variance", 0.99)
    for k in settings.svcca_k:
        yield _row(both, f"k = {k}", "directions", k)


def _row(both: Overlap, variant: str, truncation, keep: float) -> Row:
    try:
        found = both.svcca(truncation, keep)
    except ValueError as error:
        return Row("svcca", variant, np.nan, reason=str(error))
    reason = "all items of a, or of b, are the same" if np.isnan(found.similarity) else None
    return Row("svcca", variant, found.similarity, kept=found.kept, reason=reason)
