"""Participation ratio of a population, from a few of its items and features.

Let C be the covariance of the features over all items there could be. The participation ratio is
(sum_a C_aa)^2 / sum_ab C_ab^2. The plain form for P items has products of an item with itself,
which are too large, in sum_ab C_ab^2 most. So the ratio is too small. Products of four different
items i, j, k, l have the right mean. With d_ij = |x_i - x_j|^2 / 2,

    A = mean of d_ij d_kl                             for (sum_a C_aa)^2
    B = mean of ((x_i - x_j) . (x_k - x_l))^2 / 4     for sum_ab C_ab^2

are unbiased. If the features, too, are a sample of more, the products of a feature with itself are
left out, a != b. For one feature A and B are the same number B_a, so the corrected estimates are A
- sum_a B_a and B - sum_a B_a. The ratio of the two is the estimator of Chun et al. 2025
(arXiv:2509.26560), "both"; and "row" where the features are all there are. A ratio of two unbiased
estimates is not itself unbiased, but its bias falls with the number of items.

No four-fold sum is needed. For patterns with the mean taken off, s_i = |x_i|^2, T = sum s_i,
Q = sum s_i^2 and N = |K|_F^2, sums over different items are

    sum d_ij d_kl = P^2 T^2 - sum_i (P s_i + T)^2 + P Q + T^2 + 2 N
    B = (N - P Q / (P - 2) + T^2 / ((P - 1)(P - 2))) / (P (P - 3))

(the latter is Song et al. 2012, equation 5).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.kernels import Centred, total_of
from repatlas.geometry.patterns import as_complete_samples, condition_means

Sampled = Literal["sample", "all"]

LEVEL = 0.95
"""The quantile above which the alignment of two halves is significant."""
ROUNDING = 1e-12
"""An estimate below this share of the plain kernel's norm counts as 0."""


def corrected_participation_ratio(
    patterns: ArrayLike, items: Sampled = "sample", features: Sampled = "sample"
) -> float:
    """Return the participation ratio corrected for few items and few features, without noise.

    patterns: (P, n), items x features, without noise. Use participation_ratio_of_halves for
    repeated noisy trials.

    items, features: "sample" if many more exist, such as images or neurons; "all" if no others
    exist, such as all units of a layer. For "all" and "all" the result is
    participation_ratio_of_features. Memory: min(P, n)^2 numbers in addition to the patterns.

    For a population with the ratio d, the plain ratio r of P items and n features follows 1 / r = 1
    / d + 1 / P + 1 / n, about. So r is at most P and at most n. The estimate has neither limit. It
    is the ratio of two unbiased estimates (Chun et al. 2025, arXiv:2509.26560; the module
    corrected_dimensionality derives them), and has no unit.
    It is nan if an estimate is not positive, since the items are too few then, and if all items are
    equal.
    Raises ValueError for fewer than 4 items or 2 features, if these are a sample.

    A population of 20 equal dimensions has 15 known items:

    >>> latent, mixing = np.random.default_rng(0).standard_normal((2, 200, 20))
    >>> patterns = latent[:15] @ mixing.T
    >>> round(corrected_participation_ratio(patterns), 1)
    20.9
    >>> round(corrected_participation_ratio(patterns, items="all", features="all"), 1)
    7.9
    """
    for name, value in (("items", items), ("features", features)):
        if value not in ("sample", "all"):
            raise ValueError(f'{name} is {value!r}; allowed are "sample" and "all".')
    x = Centred("patterns", patterns)
    _enough("patterns", x, 4 if items == "sample" else 2, 2 if features == "sample" else 1)
    total, squares = float(x.squares.sum()), float(x.squares @ x.squares)
    if items == "all":
        numerator, denominator = total**2, x.own_overlap
        own = np.sum(_over_items(x, x)[0] ** 2) if features == "sample" else 0.0
    else:
        numerator = _different_pairs(total, squares, x.own_overlap, len(x.patterns))
        denominator = _normalised(x.unbiased_overlap(x), len(x.patterns))
        own = _squared_variances(x, x).sum() if features == "sample" else 0.0
    return _ratio(numerator - own, denominator - own, numerator)


def participation_ratio_of_halves(
    first: ArrayLike, second: ArrayLike, features: Sampled = "sample"
) -> float:
    """Return the participation ratio corrected for few items, few features and noise.

    first, second: (P, n), the mean pattern of each item over one half of its trials, and over the
    other (halves_of_trials makes them). The items are a sample; features: "sample" or "all", as for
    corrected_participation_ratio.

    Noise adds dimensions. Each product of a feature with itself takes one factor from each half,
    and so do the two factors of sum_ab C_ab^2. Noise then has no effect on the means, because it is
    independent between the halves. It may be correlated between features. For the halves x and y,
    d_ij = (x_i - x_j) . (y_i - y_j) / 2, and all else is as in corrected_participation_ratio (Chun
    et al. 2025, section 4). The terms of four different items are exact here for the two halves,
    too.
    It is nan if the estimate of sum_ab C_ab^2 is not significantly above 0 (5 %, one-sided), or if
    either estimate is not positive. The ratio might be any number then. The test takes the debiased
    kernel alignment R of the two halves, which is about 0 if they have noise alone. It compares R
    sqrt(f / (1 - R^2)) with Student's distribution with f = P (P - 3) / 2 - 1 degrees of freedom
    (Szekely & Rizzo 2013, for the debiased distance correlation).
    Raises ValueError as there, and for halves of different shapes.

    Sixty items in two dimensions, seen through noise as large as the signal:

    >>> rng = np.random.default_rng(1)
    >>> truth = rng.standard_normal((60, 2)) @ rng.standard_normal((2, 100))
    >>> first, second = truth + 1.4 * rng.standard_normal((2, 60, 100))
    >>> round(participation_ratio_of_halves(first, second), 1)
    2.0
    >>> round(corrected_participation_ratio((first + second) / 2), 1)
    6.0
    """
    return ratio_of_halves(first, second, features, tested=True)


def participation_ratio_of_conditions(
    samples: ArrayLike,
    conditions: ArrayLike,
    features: Sampled = "sample",
    blocks: ArrayLike | None = None,
    splits: int = 20,
    seed: int = 0,
) -> float:
    """Return the participation ratio of the means of given conditions, corrected for noise.

    samples: (m, n), noisy trials; conditions: (m,), the index of each trial's condition. The
    conditions are all that there are, such as the combinations of two variables: the ratio is from
    1 to P - 1. Use participation_ratio_of_halves for conditions that are a sample of more.
    features: "sample" or "all", as for corrected_participation_ratio.

    The trials of each condition are divided into four groups at random, `splits` times. Let a, b, c
    and d be the means of all conditions in each group, minus their grand mean. K is the symmetric
    part of a b^T, and L of c d^T. Noise is independent between groups. So Tr(K) Tr(L) is
    (Tr M M^T)^2 of the true means M on average, and Tr(K L) is Tr(M M^T M M^T). The value is the
    ratio of their means, over splits and over the three ways to make two pairs of four groups. If
    the features are a sample, products of a feature with itself are subtracted from both.
    blocks: (m,), where trials of a block are not independent. Groups are then whole blocks.
    nan if one of the two is not positive. A ratio outside of its limits is noise, and is moved to
    the nearest limit.
    Raises ValueError for fewer than 4 trials of a condition, or groups of blocks that lack one.

    Four conditions on a square have two dimensions.

    >>> square = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], 50, axis=0)
    >>> rng = np.random.default_rng(0)
    >>> rates = square @ rng.standard_normal((2, 60)) + rng.standard_normal((200, 60))
    >>> round(participation_ratio_of_conditions(rates, np.repeat(np.arange(4), 50)), 1)
    2.1
    """
    if features not in ("sample", "all"):
        raise ValueError(f'features is {features!r}; allowed are "sample" and "all".')
    patterns, indices = as_complete_samples(samples, conditions)
    number = int(indices.max()) + 1
    products = np.zeros(2)
    for split in range(splits):
        group = _groups(indices, blocks, np.random.default_rng([seed, split]))
        means = [condition_means(patterns[group == of], indices[group == of]) for of in range(4)]
        means = [of - of.mean(axis=0) for of in means]
        for a, b, c, d in ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2)):
            first, second = (means[i] @ means[j].T for i, j in ((a, b), (c, d)))
            trace, both = np.trace(first) * np.trace(second), np.vdot(first + first.T, second) / 2
            if features == "sample":
                own = (means[a] * means[b]).sum(axis=0) @ (means[c] * means[d]).sum(axis=0)
                trace, both = trace - own, both - own
            products += trace, both
    if not (products > 0).all():
        return float("nan")
    return float(np.clip(products[0] / products[1], 1, number - 1))


def _groups(
    conditions: NDArray[np.intp], blocks: ArrayLike | None, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Return the group of each trial, 0 to 3, at random: equal numbers of each condition, or of
    whole blocks."""
    if blocks is not None:
        codes = np.unique(np.asarray(blocks), return_inverse=True)[1].ravel()
        group: NDArray[np.intp] = rng.permutation(codes.max() + 1)[codes] % 4
    else:
        order = rng.permutation(len(conditions))
        order = order[np.argsort(conditions[order], kind="stable")]
        group = np.empty(len(conditions), dtype=np.intp)
        group[order] = np.arange(len(order)) % 4
    cells = np.bincount(4 * conditions + group, minlength=4 * (int(conditions.max()) + 1))
    if not cells.all():
        raise ValueError("a fourth of the trials lacks a condition; allowed are 4 trials or blocks")
    return group


def ratio_of_halves(first: ArrayLike, second: ArrayLike, features: Sampled, tested: bool) -> float:
    """Return participation_ratio_of_halves, or its value without the test if not `tested`.

    The estimates then need to be positive only. A jackknife needs this, which leaves out items of a
    known ratio.
    """
    if features not in ("sample", "all"):
        raise ValueError(f'features is {features!r}; allowed are "sample" and "all".')
    x, y = Centred("first", first), Centred("second", second)
    if x.patterns.shape != y.patterns.shape:
        raise ValueError(
            f"first has shape {x.patterns.shape} and second has {y.patterns.shape}; both must have "
            f"the same items and features."
        )
    _enough("first", x, 4, 2 if features == "sample" else 1)
    if tested and not _agree(x, y):
        return float("nan")
    number = len(x.patterns)
    products = np.concatenate(
        [np.einsum("ij,ij->i", x.read(rows), y.read(rows)) for rows in x.rows]
    )
    numerator = _different_pairs(products.sum(), products @ products, _symmetric_norm(x, y), number)
    denominator = _normalised(x.unbiased_overlap(y), number)
    own = _squared_variances(x, y).sum() if features == "sample" else 0.0
    return _ratio(numerator - own, denominator - own, np.sqrt(x.own_overlap * y.own_overlap))


def _agree(x: Centred, y: Centred) -> bool:
    """Return whether two halves have significantly more in common than noise alone."""
    from scipy.special import stdtrit  # here, since scipy is slow to import

    number = len(x.patterns)
    size = x.unbiased_overlap(x) * y.unbiased_overlap(y)
    if size <= (ROUNDING**2) * x.own_overlap * y.own_overlap:
        return False
    alignment = x.unbiased_overlap(y) / np.sqrt(size)
    freedom = number * (number - 3) / 2 - 1
    t = alignment * np.sqrt(freedom / max(1 - alignment**2, np.finfo(float).eps))
    return bool(t > stdtrit(freedom, LEVEL))


def _enough(name: str, x: Centred, items: int, features: int) -> None:
    found = x.patterns.shape
    if found[0] < items or found[1] < features:
        raise ValueError(
            f"{name} has {found[0]} items and {found[1]} features; a corrected participation "
            f"ratio needs {items} items and {features} features or more."
        )


def _different_pairs(total: float, squares: float, norm: float, number: int) -> float:
    """Return A: the mean of d_ij d_kl over different i, j, k, l."""
    rows = number**2 * squares + 3 * number * total**2  # sum_i (P s_i + T)^2
    pairs = number**2 * total**2 - rows + number * squares + total**2 + 2 * norm
    return pairs / (number * (number - 1) * (number - 2) * (number - 3))


def _normalised(estimate: float, number: int) -> float:
    return estimate / (number * (number - 3))


def _squared_variances(x: Centred, y: Centred) -> NDArray[np.float64]:
    """Return B_a of each feature, (n,), which is the square of its variance."""
    number = len(x.patterns)
    both, squares, of_x, of_y = _over_items(x, y)
    estimate = (
        both**2 - number / (number - 2) * squares + of_x * of_y / ((number - 1) * (number - 2))
    )
    normalised: NDArray[np.float64] = estimate / (number * (number - 3))
    return normalised


def _over_items(x: Centred, y: Centred) -> NDArray[np.float64]:
    """Return sums over items of x y, x^2 y^2, x^2 and y^2 for each feature, (4, n)."""
    sums = np.zeros((4, x.patterns.shape[1]))
    for rows in x.rows:
        a = x.read(rows)
        b = a if y is x else y.read(rows)
        product = a * b
        sums[0] += product.sum(axis=0)
        sums[1] += np.einsum("ij,ij->j", product, product)
        sums[2] += np.einsum("ij,ij->j", a, a)
        sums[3] += np.einsum("ij,ij->j", b, b)
    return sums


def _symmetric_norm(x: Centred, y: Centred) -> float:
    """Return |K|_F^2 of the kernel K = (X Y^T + Y X^T) / 2 of two halves.

    The products are over items, P x P, or over features, n x n, whichever are fewer.
    """
    items, features = x.patterns.shape
    if features > items:
        between = total_of(x.read(columns=of) @ y.read(columns=of).T for of in x.columns)
        return float((np.vdot(between, between) + np.vdot(between, between.T)) / 2)
    first = total_of(x.read(rows).T @ x.read(rows) for rows in x.rows)
    second = total_of(y.read(rows).T @ y.read(rows) for rows in x.rows)
    between = total_of(x.read(rows).T @ y.read(rows) for rows in x.rows)
    return float((np.vdot(first, second) + np.vdot(between, between.T)) / 2)


def _ratio(numerator: float, denominator: float, size: float) -> float:
    known = denominator > ROUNDING * size and numerator > 0
    return float(numerator / denominator) if known else float("nan")
