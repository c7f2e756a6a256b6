"""CCA, PWCCA, SVCCA and debiased alignment from one product of two layers, for figures that show
them side by side: one after the other they multiply the same thousands of items four times."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry.alignment import ROUNDING
from repatlas.pairs.seen import Row, Seen, Settings, told
from repatlas.similarities.svcca import svcca_rows
from repatlas.similarity import Overlap

DRAWS = 20
SETTINGS = ("svcca_k",)


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """The rows of the measures `cca`, `pwcca`, `svcca` and `alignment`, with their values."""
    both = Overlap(x.svd, y.svd)
    ranks, units = (x.rank, y.rank), min(x.rows.shape[1], y.rows.shape[1])

    def mean(number: int) -> float:
        found = both.correlations()
        return float(found.sum() / number) if len(found) else np.nan

    yield told("cca", "mean", lambda: mean(min(ranks)), kept=ranks)
    yield told("cca", "mean over units", lambda: mean(units), kept=ranks)
    yield told("pwcca", "both", lambda: both.pwcca("both"), kept=ranks)
    yield from svcca_rows(both, settings)
    yield told("alignment", "debiased", lambda: debiased(both))


def debiased(both: Overlap) -> float:
    """`kernel_alignment` with debiased=True. With X = U S V^T, Tr(Kx Ky) is the squared norm of
    S_x U_x^T U_y S_y, and the diagonal of Kx that of U_x S_x^2 U_x^T."""
    x, y = both.x, both.y
    items = len(x.left)
    if items < 4:
        raise ValueError(f"x has {items} items; debiased alignment needs 4 or more.")
    if not (len(x.values) and len(y.values)):
        return np.nan
    # In units of the largest value, so that squares neither overflow nor vanish.
    values_x, values_y = x.values / x.values[0], y.values / y.values[0]
    of_x, of_y = x.left**2 @ values_x**2, y.left**2 @ values_y**2  # (m,)
    own_x, own_y = np.sum(values_x**4), np.sum(values_y**4)
    size_x, size_y = _unbiased(own_x, of_x, of_x), _unbiased(own_y, of_y, of_y)
    if size_x <= ROUNDING * own_x or size_y <= ROUNDING * own_y:
        return np.nan
    overlap = np.sum((both.product * values_x[:, None] * values_y) ** 2)
    return _unbiased(overlap, of_x, of_y) / sqrt(size_x * size_y)


def _unbiased(overlap: float, of_x: NDArray[np.float64], of_y: NDArray[np.float64]) -> float:
    """U(x, y) of `kernel_alignment`, from Tr(Kx Ky) and the diagonals of both kernels, (m,)."""
    items = len(of_x)
    both = of_x.sum() * of_y.sum() / ((items - 1) * (items - 2))
    return float(overlap - items / (items - 2) * (of_x @ of_y) + both)
