"""p values from permutations: of items, for one pair or for all pairs of a matrix at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.kernels import centred_kernel

Seeds = tuple[Sequence[int], Sequence[int] | None]
"""A seed for each x, and one for each y."""
ROUNDING = 1e-9
AT_A_TIME = 2**21
"""Numbers of permuted kernels that are made at a time: 16 MiB."""


class Null(NamedTuple):
    """A value with its null distribution.

    p is one-sided. chance is the mean of the draws, (number,). how says what was done to the data
    for each draw.

    >>> null = Null(0.9, 0.001, 0.5, np.array([0.4, 0.6]), "items permuted")
    >>> null.value > null.draws.max()
    np.True_
    """

    value: float
    p: float
    chance: float
    draws: NDArray[np.float64]
    how: str


def add_one_p(values: ArrayLike, draws: ArrayLike) -> NDArray[np.float64]:
    """Return (b + 1) / (m + 1), where b of m draws of the null are at least as large as the value.

    values: of any shape, ...; draws: (m, ...). The value itself counts as one draw, so that p is
    never 0, and p <= alpha has a probability of alpha at most where the null holds (Phipson & Smyth
    2010). A draw that is nan counts as large, which can only raise p. nan where the value is.
    Raises ValueError for draws of another shape, or none.

    >>> add_one_p([3.0, 1.5], [[1.0, 1.0], [2.0, 2.0], [0.0, 4.0]])
    array([0.25, 0.75])
    """
    found, null = np.asarray(values, dtype=np.float64), np.asarray(draws, dtype=np.float64)
    if null.ndim == 0 or len(null) == 0 or null.shape[1:] != found.shape:
        raise ValueError(
            f"draws has shape {null.shape}; allowed is (m, ...), one row or more for values of "
            f"shape {found.shape}."
        )
    # A draw that has the same value may differ from it by rounding.
    larger = np.count_nonzero(~(null < found - ROUNDING * np.abs(found)), axis=0)
    return np.where(np.isnan(found), np.nan, (larger + 1) / (len(null) + 1))


def max_t(values: ArrayLike, draws: ArrayLike) -> NDArray[np.float64]:
    """Return p values corrected for their number: each value is compared with the largest of each
    draw.

    values: of any shape, ..., such as a matrix of pairs; draws: (m, ...), the same permutation for
    all values in each row. The probability that any p <= alpha is alpha at most where the null
    holds for all, whatever their dependence (Westfall & Young 1993, single-step maxT). The values
    must have one scale, as alignments do. Values that are nan, as on the diagonal of a matrix of
    pairs, have p = nan, and their draws are left out.
    Raises ValueError as add_one_p.

    >>> max_t([3.0, 1.5], [[1.0, 1.0], [2.0, 2.0], [0.0, 4.0]])
    array([0.5 , 0.75])
    """
    found, null = np.asarray(values, dtype=np.float64), np.asarray(draws, dtype=np.float64)
    add_one_p(found, null)  # refuses other shapes
    compared = null[:, ~np.isnan(found)]
    largest = compared.max(axis=1) if compared.shape[1] else np.zeros(len(null))
    return add_one_p(found, np.broadcast_to(largest.reshape(-1, *[1] * found.ndim), null.shape))


def permutations(
    number: int,
    draws: int,
    groups: ArrayLike | None = None,
    seed: int = 0,
    within: bool = False,
) -> list[NDArray[np.intp]]:
    """Return random orders of items 0 ... number - 1, the same for the same seed.

    groups: (number,), numbers or names, or None; rows of a group, such as the positions of one
    image, stay together in their order, and replace another group. Groups must have equally many
    rows then. within: rows replace rows of the same group instead.
    Raises ValueError for groups of different sizes, unless `within`.

    >>> [order.tolist() for order in permutations(4, 2, groups=["a", "a", "b", "b"])]
    [[0, 1, 2, 3], [0, 1, 2, 3]]
    """
    if not isinstance(draws, int | np.integer) or draws < 1:
        raise ValueError(f"draws is {draws!r}; allowed are whole numbers from 1.")
    rng = np.random.default_rng(seed)
    if groups is None:
        return [rng.permutation(number) for _ in range(draws)]
    names, codes, counts = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)
    if codes.shape != (number,) or (not within and len(set(counts.tolist())) != 1):
        raise ValueError(
            f"groups has shape {codes.shape} and from {counts.min()} to {counts.max()} rows in a "
            f"group; allowed is a group for each of the {number} items, all of the same size."
        )
    by_group = np.argsort(codes, kind="stable")
    orders = []
    if within:
        for _ in range(draws):
            order = np.empty(number, dtype=np.intp)
            order[by_group] = np.lexsort((rng.random(number), codes))
            orders.append(order)
        return orders
    rows = by_group.reshape(len(names), -1)
    for _ in range(draws):
        order = np.empty(number, dtype=np.intp)
        order[rows] = rng.permutation(rows)  # of its lines
        orders.append(order)
    return orders


def permute_items(
    statistic: Callable[[NDArray[np.float64], NDArray[np.float64]], float],
    x: ArrayLike,
    y: ArrayLike,
    draws: int = 999,
    groups: ArrayLike | None = None,
    seed: int = 0,
    within: bool = False,
) -> Null:
    """Compare a similarity with its values for items that are matched at random.

    statistic: takes x, (P, n), and y, (P, n'), and returns a number that is larger the more similar
    they are; groups, seed, within: as for permutations. p is add_one_p, for the null hypothesis
    that all orders of the items of y are equally probable.
    Raises ValueError for different numbers of items.

    >>> from repatlas.geometry import kernel_alignment
    >>> x, noise = np.random.default_rng(0).standard_normal((2, 50, 3))
    >>> similarity = lambda x, y: kernel_alignment(x, y, debiased=True)
    >>> round(permute_items(similarity, x, x + noise, draws=99).p, 3)
    0.01
    """
    first, second = np.asarray(x), np.asarray(y)
    if len(first) != len(second):
        raise ValueError(
            f"x has {len(first)} items and y has {len(second)}; both must describe the same items."
        )
    value = float(statistic(first, second))
    orders = permutations(len(first), draws, groups, seed, within)
    null = np.array([statistic(first, second[order]) for order in orders], dtype=np.float64)
    return Null(value, float(add_one_p(value, null)), float(null.mean()), null, "items permuted")


def permuted_alignments(
    xs: Sequence[ArrayLike],
    ys: Sequence[ArrayLike] | None = None,
    draws: int = 999,
    groups: ArrayLike | None = None,
    seed: int = 0,
    seeds: Seeds | None = None,
    within: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return debiased alignments of all pairs of x and y, and of the pairs with permuted items.

    xs, ys: representations of the same P items, each (P, n) with any n; groups, seed, within: as
    for permutations. Returns the alignments, (xs, ys), and the draws, (draws, xs, ys), for max_t.
    In each draw all y's have the same order. The null hypothesis is that no y is related to any x;
    x's may be related to each other, and y's, too. So layers can be compared with one target.
    Without ys, all pairs of xs are compared, (xs, xs), with nan on the diagonal. Each x then has an
    independent order in a draw, and the null hypothesis is that no two are related. seeds: one for
    each x and, if there are ys, one for each y. Each representation then has the orders of its
    seed, so the pairs of one set can be computed in several calls.
    The debiased alignment is a cosine of kernels that are centred without their diagonals
    (U-centred; Szekely & Rizzo 2014), and permuting items permutes these. Memory: 8 P^2 bytes for
    each x and y; time: P^2 multiplications for each pair and draw. For many items, a test with a
    random thousand of them is valid, but has less power.
    Raises ValueError for different numbers of items, or fewer than 4.

    >>> x, noise, other = np.random.default_rng(0).standard_normal((3, 60, 4))
    >>> values, null = permuted_alignments([x, x + noise, other], draws=99)
    >>> max_t(values, null).round(2)
    array([[ nan, 0.01, 1.  ],
           [0.01,  nan, 0.59],
           [1.  , 0.59,  nan]])
    """
    first = _u_centred_kernels("xs", xs)
    second = first if ys is None else _u_centred_kernels("ys", ys)
    number = first.shape[1]
    if second.shape[1] != number:
        raise ValueError(
            f"xs[0] has {number} items and ys[0] has {second.shape[1]}; both must describe the "
            f"same items."
        )
    several = draws if ys is not None else draws * len(first)
    orders = permutations(number, several, groups, seed, within)
    as_they_are = [np.arange(number)] * max(len(first), len(second))
    values = _products(first, second, as_they_are, as_they_are)
    null = np.empty((draws, *values.shape))
    of_x = of_y = None
    if seeds is not None:
        of_x = [permutations(number, draws, groups, one, within) for one in seeds[0]]
        of_y = [permutations(number, draws, groups, one, within) for one in seeds[1] or ()] or of_x
    for i in range(draws):
        if of_x is not None and of_y is not None:
            null[i] = _products(first, second, [o[i] for o in of_x], [o[i] for o in of_y])
        elif ys is None:
            own = orders[i * len(first) : (i + 1) * len(first)]
            null[i] = _products(first, first, own, own)
        else:
            null[i] = _products(first, second, as_they_are, [orders[i]] * len(second))
    if ys is None:
        values[np.diag_indices(len(first))] = np.nan
        null[:, *np.diag_indices(len(first))] = np.nan
    return values, null


def _products(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    orders_x: list[NDArray[np.intp]],
    orders_y: list[NDArray[np.intp]],
) -> NDArray[np.float64]:
    """Return products of kernels, (xs, P, P) and (ys, P, P), with the items of each in its
    order."""
    total = np.zeros((len(x), len(y)))
    number = x.shape[1]
    lines = max(1, AT_A_TIME // (number * (len(x) + len(y))))
    for start in range(0, number, lines):
        rows = slice(start, start + lines)
        of_x, of_y = (
            np.array([k[o[rows]][:, o] for k, o in zip(kernels, orders, strict=False)])
            for kernels, orders in ((x, orders_x), (y, orders_y))
        )
        total += of_x.reshape(len(x), -1) @ of_y.reshape(len(y), -1).T
    return total


def _u_centred_kernels(name: str, patterns: Sequence[ArrayLike]) -> NDArray[np.float64]:
    """Return the U-centred kernels of representations, (number, P, P), each of norm 1."""
    kernels: list[NDArray[np.float64]] = []
    for i, x in enumerate(patterns):
        kernel = centred_kernel(x)
        number = len(kernels[0]) if kernels else len(kernel)
        if len(kernel) != number or number < 4:
            raise ValueError(
                f"{name}[0] has {number} items and {name}[{i}] has {len(kernel)}; all must "
                f"describe the same items, 4 or more."
            )
        kernels.append(_u_centred(kernel))
    if not kernels:
        raise ValueError(f"{name} is empty; allowed is one representation or more.")
    return np.array(kernels)


def _u_centred(kernel: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a kernel of norm 1 without its diagonal, whose rows add up to 0; nan if it is 0."""
    number = len(kernel)
    plain = kernel.copy()
    np.fill_diagonal(plain, 0)
    rows = plain.sum(axis=1) / (number - 2)
    centred = plain - rows[:, None] - rows + plain.sum() / ((number - 1) * (number - 2))
    np.fill_diagonal(centred, 0)
    norm = np.linalg.norm(centred)
    return centred / norm if norm > 1e-9 * np.linalg.norm(kernel) else np.full_like(kernel, np.nan)
