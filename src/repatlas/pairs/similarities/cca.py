"""Mean canonical correlation (CCA)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from repatlas.pairs.seen import Row, Seen, Settings, row_or_reason
from repatlas.similarity import canonical_correlations

DRAWS = 20


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield "mean", over as many correlations as the smaller rank, and "mean over units".

    The second is the sum of correlations divided by the smaller number of units, which counts dead
    and duplicate units, too.
    """
    units = min(x.rows.shape[1], y.rows.shape[1])
    ranks = x.rank, y.rank

    def mean(number: int) -> float:
        found = canonical_correlations(x.svd, y.svd)
        return float(found.sum() / number) if len(found) else np.nan

    yield row_or_reason("cca", "mean", lambda: mean(min(ranks)), kept=ranks)
    yield row_or_reason("cca", "mean over units", lambda: mean(units), kept=ranks)
