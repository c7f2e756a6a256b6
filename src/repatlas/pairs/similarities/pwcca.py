"""Projection-weighted canonical correlation (PWCCA; Morcos et al. 2018)."""

from __future__ import annotations

from collections.abc import Iterator

from repatlas.pairs.seen import Row, Seen, Settings, row_or_reason
from repatlas.similarity import pwcca

DRAWS = 20


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield canonical correlations weighted by what their directions account for in a layer:
    "both", the mean of the values with the weights of a and of b."""
    kept = x.rank, y.rank
    yield row_or_reason("pwcca", "both", lambda: pwcca(x.svd, y.svd, "both"), kept=kept)
