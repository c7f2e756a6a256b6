"""Canonical correlations, and the similarities made of them: mean CCA, SVCCA and PWCCA; and kernel
alignment, which needs the same product.

All of them are computed from thin SVDs of the centred representations, X = U_x S_x V_x^T, and one
more SVD:

    U_x^T U_y = P diag(rho) Q^T,   1 >= rho_1 >= ... >= rho_c >= 0,   c = min(r_x, r_y)

r are ranks, so that units that are dead, duplicates or sums of others change nothing. Inverse roots
of covariance matrices appear nowhere: they lose half of the digits (Björck & Golub 1973,
"Numerical methods for computing angles between linear subspaces").
"""

from __future__ import annotations

from functools import cached_property
from math import sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry.alignment import ROUNDING
from repatlas.geometry.patterns import refuse_other_items
from repatlas.geometry.threads import on_one_thread
from repatlas.similarity.subspaces import Representation, ThinSVD, decomposed

Truncation = Literal["variance", "singular values", "directions"]
Weights = Literal["x", "y", "fewer", "both"]

TIE = 1e-12
"""Shares of variance that differ by less are the same: rounding must not decide how many
directions are kept."""


class CanonicalVariates(NamedTuple):
    """The pairs of directions that canonical_variates finds, in descending order of correlation.

    correlations: (c,), x_i . y_i of each pair of columns; x: (m, c) and y: (m, c), the variates,
    columns of length 1 and mean 0; x_coefficients: (h1, c) and y_coefficients: (h2, c),
    which make them of the centred features.

    >>> x = [[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 2.0]]
    >>> found = canonical_variates(x, [[5.0], [3.0], [1.0], [-1.0]])
    >>> isinstance(found, CanonicalVariates), found.x.shape, found.x_coefficients.shape
    (True, (4, 1), (2, 1))
    """

    correlations: NDArray[np.float64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    x_coefficients: NDArray[np.float64]
    y_coefficients: NDArray[np.float64]


class SVCCA(NamedTuple):
    """What svcca finds: the similarity, which is the mean of the canonical correlations, (c,);
    these correlations; and how many directions of x and of y it kept.

    >>> x = np.random.default_rng(0).standard_normal((50, 3))
    >>> found = svcca(x, x @ [[2.0], [1.0], [0.0]])
    >>> isinstance(found, SVCCA), found.kept, len(found.correlations), round(found.similarity, 4)
    (True, (3, 1), 1, 1.0)
    """

    similarity: float
    correlations: NDArray[np.float64]
    kept: tuple[int, int]


def canonical_correlations(x: Representation, y: Representation) -> NDArray[np.float64]:
    """Return the canonical correlations of two representations, (c,), descending.

    x: (m, h1) and y: (m, h2), items x features, or their thin_svd. c is the smaller of their two
    ranks. The first is the largest correlation of a weighted sum of x's features and a weighted sum
    of y's. Each other one is the largest among sums that are uncorrelated with the sums before.
    They are the cosines of the angles between the spaces that the features span. Their mean is the
    similarity "mean CCA"; it divides by the smaller rank, not by the smaller number of features.

    All are from 0 to 1, and the same with x and y exchanged. Invertible affine maps of x or y don't
    change them. Unrelated representations have correlations above 0, in particular if items are
    few. For m items and random directions, the mean of rho^2 is
    max(r_x, r_y) / (m - 1). noise_floor measures it; ten items or more for each feature keep it
    low. The array is empty if all items of x, or of y, are the same.
    Raises ValueError for different numbers of items, for more features than items, and for ranks
    that add up to more than m - 1, since correlations are then 1 whatever the data are.
    (Hotelling 1936; Raghu et al. 2017, section 2.)

    The two share one direction, although no feature of one is a feature of the other.

    >>> a, b, c = np.random.default_rng(0).standard_normal((3, 500))
    >>> canonical_correlations(np.column_stack([a + b, b]), np.column_stack([a, a + c])).round(2)
    array([1.  , 0.02])
    """
    a, b = _comparable(x, y)
    return _cosines(a.left.T @ b.left)


def canonical_variates(x: Representation, y: Representation) -> CanonicalVariates:
    """Return the pairs of directions whose correlations canonical_correlations gives.

    x: (m, h1) and y: (m, h2), items x features, or their thin_svd. For centred X and Y, the
    variates are H_x = X W_x and H_y = Y W_y, with the coefficients W_x and W_y (Hotelling 1936).
    The columns of each are orthonormal, and H_x^T H_y = diag(correlations). A pair is unique up to
    its sign; pairs of equal correlation are unique up to a rotation among themselves. Where
    features are linearly dependent, the coefficients are the shortest ones. Empty where
    canonical_correlations is.
    Raises ValueError as canonical_correlations does.

    >>> x = np.random.default_rng(0).standard_normal((50, 3))
    >>> found = canonical_variates(x, 7 + x[:, :1])
    >>> np.allclose(found.x, (x - x.mean(axis=0)) @ found.x_coefficients)
    True
    >>> abs(found.x_coefficients[1:]).max().round(4)  # the first feature alone
    np.float64(0.0)
    """
    a, b = _comparable(x, y)
    p, correlations, q = _canonical(a.left.T @ b.left)
    return CanonicalVariates(
        correlations, a.left @ p, b.left @ q, a.right / a.values @ p, b.right / b.values @ q
    )


def svcca(
    x: Representation,
    y: Representation,
    truncation: Truncation = "variance",
    keep: float = 0.99,
) -> SVCCA:
    """Return SVCCA: the mean canonical correlation of the leading directions.

    x: (m, h1) and y: (m, h2), items x features, or their thin_svd; more features than items are
    allowed. Each representation is first cut to its k leading singular directions:

    truncation="variance": the fewest whose squared singular values add up to the share `keep` of
    all. (Raghu et al. 2017, section 2, with keep=0.99.)
    truncation="singular values": the fewest whose singular values do, not squared. They are more.
    (The formula of their appendix A.)
    truncation="directions": k = keep, a whole number, or the rank where that is smaller.

    keep=1 keeps all, and gives mean CCA. The similarity is from 0 to 1, and the same with x and y
    exchanged. Rotations, shifts and isotropic scales of x or y don't change it; other affine maps
    do, unless the same directions are kept. nan if all items of x, or of y, are the same.
    With the first two rules k depends on the layer and on the time in training, so means are over
    different numbers of directions. Show `kept`, too, or use a fixed number of directions. Raises
    ValueError for different numbers of items, and for an unknown rule or share. It is raised, too,
    if the kept directions add up to more than m - 1: correlations are then 1 for any data.

    Two representations of 30 features share 4 signals. Each feature has independent noise, too.

    >>> rng = np.random.default_rng(0)
    >>> shared, noise = rng.standard_normal((200, 4)), rng.standard_normal((2, 200, 30))
    >>> x, y = shared @ rng.standard_normal((2, 4, 30)) + 0.1 * noise
    >>> found = svcca(x, y)
    >>> found.kept, round(found.similarity, 2), round(svcca(x, y, keep=1).similarity, 2)
    ((4, 4), 1.0, 0.4)
    """
    return Overlap(x, y).svcca(truncation, keep)


def pwcca(x: Representation, y: Representation, weights_from: Weights = "fewer") -> float:
    """Return PWCCA: canonical correlations, weighted by how much of a layer their directions
    explain.

        sum_i a_i rho_i / sum_i a_i,   a_i = sum_j |h_i . z_j|

    x: (m, h1) and y: (m, h2), items x features, or their thin_svd. h_i is the i-th canonical
    variate of the weighting representation, and z_j its j-th centred feature. (Morcos et al. 2018,
    section 2.2.)
    weights_from: the weighting representation. "x" or "y" names it. "fewer": the one of smaller
    rank, since the directions explain all of it, and x if ranks are equal. "both": the mean of the
    values by x and by y. Only this one is equal with x and y exchanged.

    It is from 0 to 1. Affine maps of the representation without weights don't change it. Orders of
    features, shifts and isotropic scales of the weighting representation don't change it, but
    rotations do. A direction spread over n features has up to sqrt(n) times the weight of a
    direction on one feature. It isn't unique if some correlations are equal, because the variates
    aren't unique then. nan if all items of x, or of y, are the same.
    Raises ValueError for an unknown weights_from, and as canonical_correlations does.

    One direction is common and has most of the variance. The plain mean weights both equally.

    >>> a, b, c = np.random.default_rng(0).standard_normal((3, 500))
    >>> x, y = np.column_stack([a, 0.1 * b]), np.column_stack([a, 0.1 * c])
    >>> canonical_correlations(x, y).mean().round(2), round(pwcca(x, y), 2)
    (np.float64(0.51), 0.92)
    """
    return Overlap(x, y).pwcca(weights_from)


class Overlap:
    """Two representations, for computing several of CCA, SVCCA, PWCCA and kernel alignment.

    Each function of these names multiplies the two over the items, and most decompose the product.
    This class does both once. With the thin_svd of many representations, this is the way to compare
    all pairs of them.

    product: (r_x, r_y), of the left singular vectors of both: U_x^T U_y. The methods return what
    the functions return, and raise ValueError as the functions do.

    >>> a, b, c = np.random.default_rng(0).standard_normal((3, 500))
    >>> x, y = np.column_stack([a, 0.1 * b]), np.column_stack([a, 0.1 * c])
    >>> both = Overlap(x, y)
    >>> both.correlations().mean().round(2), round(both.pwcca(), 2), round(both.svcca().similarity)
    (np.float64(0.51), 0.92, 1)
    """

    @on_one_thread
    def __init__(self, x: Representation, y: Representation):
        """Multiply x: (m, h1) and y: (m, h2), items x features, or their thin_svd. Raises
        ValueError for different numbers of items."""
        self.x, self.y = decomposed("x", x), decomposed("y", y)
        refuse_other_items("x", self.x.left, "y", self.y.left)

    @cached_property
    @on_one_thread
    def product(self) -> NDArray[np.float64]:
        product: NDArray[np.float64] = self.x.left.T @ self.y.left
        return product

    @cached_property
    @on_one_thread
    def _parts(
        self,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        _comparable(self.x, self.y)
        return _canonical(self.product)

    def correlations(self) -> NDArray[np.float64]:
        """Return canonical_correlations, (c,), descending."""
        return self._parts[1]

    @on_one_thread
    def svcca(self, truncation: Truncation = "variance", keep: float = 0.99) -> SVCCA:
        a, b = self.x, self.y
        kept = _kept(a.values, truncation, keep), _kept(b.values, truncation, keep)
        _refuse_certain_ones(*kept, len(a.left), "keep fewer directions or use more items")
        # The whole product is the larger one; wanted for SVCCA alone it isn't made.
        if "product" in self.__dict__:
            product = self.product[: kept[0], : kept[1]]
        else:
            product = a.left[:, : kept[0]].T @ b.left[:, : kept[1]]
        correlations = _cosines(product)
        similarity = float(correlations.mean()) if len(correlations) else float("nan")
        return SVCCA(similarity, correlations, kept)

    @on_one_thread
    def pwcca(self, weights_from: Weights = "fewer") -> float:
        if weights_from not in ("x", "y", "fewer", "both"):
            raise ValueError(
                f'weights_from is {weights_from!r}; allowed are "x", "y", "fewer" and "both".'
            )
        a, b = self.x, self.y
        p, correlations, q = self._parts
        if not len(correlations):
            return float("nan")
        if weights_from == "both":
            return (_weighted(a, p, correlations) + _weighted(b, q, correlations)) / 2
        from_x = len(a.values) <= len(b.values) if weights_from == "fewer" else weights_from == "x"
        return _weighted(a, p, correlations) if from_x else _weighted(b, q, correlations)

    @on_one_thread
    def alignment(self, debiased: bool = False) -> float:
        """Return kernel_alignment, without its warning.

        With X = U S V^T, Tr(Kx Ky) is the squared norm of S_x U_x^T U_y S_y. Kx and U_x S_x^2 U_x^T
        have the same diagonal.
        """
        x, y = self.x, self.y
        items = len(x.left)
        if debiased and items < 4:
            raise ValueError(f"x has {items} items; debiased alignment needs 4 or more.")
        if not (len(x.values) and len(y.values)):
            return float("nan")
        sizes_x, sizes_y = (of.values / of.values[0] for of in (x, y))
        overlap = float(np.sum((sizes_x[:, None] * self.product * sizes_y) ** 2))
        own_x, own_y = float(np.sum(sizes_x**4)), float(np.sum(sizes_y**4))
        if not debiased:
            return overlap / sqrt(own_x * own_y)
        size_x, size_y = _unbiased(own_x, x, x), _unbiased(own_y, y, y)
        if size_x <= ROUNDING * own_x or size_y <= ROUNDING * own_y:
            return float("nan")
        return _unbiased(overlap, x, y) / sqrt(size_x * size_y)


def _unbiased(overlap: float, x: ThinSVD, y: ThinSVD) -> float:
    """Return U(x, y) of kernel_alignment, from Tr(Kx Ky)."""
    items = len(x.left)
    both = float(x.squares.sum() * y.squares.sum()) / ((items - 1) * (items - 2))
    return overlap - items / (items - 2) * float(x.squares @ y.squares) + both


def _weighted(
    by: ThinSVD, rotation: NDArray[np.float64], correlations: NDArray[np.float64]
) -> float:
    # h_i . z_j without a product over the items, from H = U P and Z = U S V^T.
    weights = np.abs(rotation.T @ by.features).sum(axis=1)
    return min(1.0, float(weights @ correlations / weights.sum()))


def _cosines(product: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.linalg.svd(product, compute_uv=False).clip(0, 1)


def _canonical(
    product: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return P, (r_x, c), rho, (c,), and Q, (r_y, c), of U_x^T U_y."""
    p, correlations, q = np.linalg.svd(product, full_matrices=False)
    return p, correlations.clip(0, 1), q.T


def _comparable(x: Representation, y: Representation) -> tuple[ThinSVD, ThinSVD]:
    """Return the thin SVDs of two representations, and refuse those whose correlations are 1
    anyway."""
    a, b = decomposed("x", x), decomposed("y", y)
    refuse_other_items("x", a.left, "y", b.left)
    items, h1, h2 = len(a.left), len(a.right), len(b.right)
    ways_out = (
        "transpose arrays of features x items, or use more items, features pooled over positions, "
        "or svcca with few directions"
    )
    if max(h1, h2) > items:
        raise ValueError(
            f"x has shape {(items, h1)} and y has shape {(items, h2)}, items x features: with more "
            f"features than items canonical correlations are 1 whatever the data are; {ways_out}."
        )
    _refuse_certain_ones(len(a.values), len(b.values), items, ways_out)
    return a, b


def _refuse_certain_ones(directions_x: int, directions_y: int, items: int, ways_out: str) -> None:
    """Refuse subspaces so large that they must meet: centred items span items - 1 dimensions."""
    certain = directions_x + directions_y - (items - 1)
    if certain > 0:
        raise ValueError(
            f"x has {directions_x} directions and y has {directions_y}, of {items} items: they may "
            f"add up to {items - 1} (items - 1), or canonical correlations, here {certain}, are 1 "
            f"whatever the data are; {ways_out}."
        )


def _kept(values: NDArray[np.float64], truncation: Truncation, keep: float) -> int:
    """Return the number of leading directions that a rule of svcca keeps."""
    if truncation == "directions":
        if not (1 <= keep < np.inf and keep == int(keep)):
            raise ValueError(
                f'keep is {keep!r}; with truncation="directions" allowed are whole numbers of '
                f"directions, 1 or more."
            )
        return min(int(keep), len(values))
    if truncation not in ("variance", "singular values"):
        raise ValueError(
            f'truncation is {truncation!r}; allowed are "variance", "singular values" and '
            f'"directions".'
        )
    if not 0 < keep <= 1:
        raise ValueError(
            f'keep is {keep!r}; with truncation="{truncation}" allowed are 0 < keep <= 1.'
        )
    if keep == 1 or not len(values):
        return len(values)
    sizes = values / values[0]
    shares = np.cumsum(sizes**2 if truncation == "variance" else sizes)
    return int(np.searchsorted(shares, (keep - TIE) * shares[-1])) + 1
