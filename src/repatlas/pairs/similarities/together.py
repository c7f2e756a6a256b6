"""CCA, PWCCA, SVCCA and debiased alignment from one product of two layers, for figures that show
all of them. Separate measures would multiply the same thousands of items four times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from repatlas.pairs.seen import Row, Seen, Settings, row_or_reason
from repatlas.pairs.similarities.svcca import svcca_rows
from repatlas.similarity import Overlap

DRAWS = 20
SETTINGS = ("svcca_k",)


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield the rows of the measures `cca`, `pwcca`, `svcca` and `alignment`, with their values."""
    both = Overlap(x.svd, y.svd)
    ranks, units = (x.rank, y.rank), min(x.rows.shape[1], y.rows.shape[1])

    def mean(number: int) -> float:
        found = both.correlations()
        return float(found.sum() / number) if len(found) else np.nan

    yield row_or_reason("cca", "mean", lambda: mean(min(ranks)), kept=ranks)
    yield row_or_reason("cca", "mean over units", lambda: mean(units), kept=ranks)
    yield row_or_reason("pwcca", "both", lambda: both.pwcca("both"), kept=ranks)
    yield from svcca_rows(both, settings)
    yield row_or_reason("alignment", "debiased", lambda: both.alignment(debiased=True))
