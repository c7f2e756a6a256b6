"""CCA, PWCCA, SVCCA and debiased alignment from one product of two layers, for figures that show
them side by side: one after the other they multiply the same thousands of items four times."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry.alignment import ROUNDING
from repatlas.pairs.seen import Row, Seen, Settings, told
from repatlas.similarity import ThinSVD, canonical_correlations, pwcca, svcca

DRAWS = 4
ON = "samples"
SETTINGS = ("svcca_k",)


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """The rows "cca", "mean", "pwcca", "both", "svcca" of each number of directions in the
    settings, and "alignment", "debiased", with the values that the measures of these names have."""
    product = x.svd.left.T @ y.svd.left  # (r_x, r_y)
    a, b = _short(x.svd, y.svd, product)
    kept = x.rank, y.rank

    def mean() -> float:
        found = canonical_correlations(a, b)
        return float(found.mean()) if len(found) else np.nan

    yield told("cca", "mean", mean, kept=kept)
    yield told("pwcca", "both", lambda: pwcca(a, b, "both"), kept=kept)
    for k in settings.svcca_k:
        yield _leading(a, b, k)
    yield told("alignment", "debiased", lambda: _debiased(x.svd, y.svd, product))


def _leading(a: ThinSVD, b: ThinSVD, k: int) -> Row:
    kept = min(k, len(a.values)), min(k, len(b.values))
    return told("svcca", f"k = {k}", lambda: svcca(a, b, "directions", k).similarity, kept=kept)


def _short(x: ThinSVD, y: ThinSVD, product: NDArray[np.float64]) -> tuple[ThinSVD, ThinSVD]:
    """The same two with few rows. Canonical correlations depend on the left sides through their
    product alone. In coordinates whose first axes are x's left vectors these are the identity, and
    y's are the product; what y has beyond them correlates with nothing of x, and is left out. There
    are as many rows as it takes to refuse what is refused of all items."""
    items = min(len(x.left), len(x.right) + len(y.right) + 1)
    left_x, left_y = np.eye(items, len(product)), np.zeros((items, product.shape[1]))
    left_y[: len(product)] = product
    return x._replace(left=left_x), y._replace(left=left_y)


def _debiased(x: ThinSVD, y: ThinSVD, product: NDArray[np.float64]) -> float:
    """`kernel_alignment` with debiased=True. With X = U S V^T, Tr(Kx Ky) is the squared norm of
    S_x U_x^T U_y S_y, and the diagonal of Kx that of U_x S_x^2 U_x^T."""
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
    both = np.sum((product * values_x[:, None] * values_y) ** 2)
    return _unbiased(both, of_x, of_y) / sqrt(size_x * size_y)


def _unbiased(overlap: float, of_x: NDArray[np.float64], of_y: NDArray[np.float64]) -> float:
    """U(x, y) of `kernel_alignment`, from Tr(Kx Ky) and the diagonals of both kernels, (m,)."""
    items = len(of_x)
    both = of_x.sum() * of_y.sum() / ((items - 1) * (items - 2))
    return float(overlap - items / (items - 2) * (of_x @ of_y) + both)
