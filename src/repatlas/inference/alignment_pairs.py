"""Debiased kernel alignment of many pairs of representations, with jackknife intervals.

The items are dealt to blocks b. With X, Y: (P, n), (P, n') with the means taken off, the product of
a block is C_b = X_b^T Y_b, and that of all is C = sum_b C_b. What the alignment needs of X and Y
are |C|^2 = sum_bc <C_b, C_c> and sums over items. Without block b, when P_b items are left with the
means u and v, it needs

    |C - C_b - P_b u v^T|^2 = |C|^2 - 2 <C, C_b> + |C_b|^2
                              - 2 P_b sum_(i not in b) (x_i . u)(y_i . v) + P_b^2 |u|^2 |v|^2,

so that the matrix of the products <C_b, C_c> of the blocks gives the whole and all deletions at
once. The same matrix comes from kernels, <C_b, C_c> = sum_(i in b, j in c) (x_i . x_j)(y_i . y_j),
which are cheaper where features are more than items.

Means are taken off in double precision. Products within a block are in single precision, and are
added up in double precision. Arrays are read block by block: they may be memory-mapped files.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.kernels import Centred
from repatlas.inference.jackknife import BLOCKS, deal, ends

HELD = 2**28
"""Numbers, in single precision, of arrays that are held rather than read again: 1 GiB."""
PRODUCTS = 2**27
"""Numbers, in single precision, of products of blocks at a time: 512 MiB."""
CHUNK = 2**13
"""Numbers that are added up in single precision."""
ROUNDING = 1e-6
"""Of the norm of a kernel: what is smaller is rounding, in single precision."""


class AlignedPairs(NamedTuple):
    """Of each pair of x's and y's, (len(xs), len(ys)): value, the debiased alignment; low and high,
    the ends of its 95 % interval; plain, the plain alignment; chance, the chance level of that. The
    chance level of `value` is about 0.

    >>> x, y = np.random.default_rng(0).standard_normal((2, 200, 5))
    >>> pair = aligned_pairs([x], [y])
    >>> pair.chance.round(3), pair.plain.round(3), bool(pair.low < 0 < pair.high)
    (array([[0.024]]), array([[0.016]]), True)
    """

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    plain: NDArray[np.float64]
    chance: NDArray[np.float64]
    estimator: str = "debiased kernel alignment, delete-block jackknife over items"


def aligned_pairs(
    xs: Sequence[ArrayLike],
    ys: Sequence[ArrayLike] | None = None,
    blocks: int = BLOCKS,
    groups: ArrayLike | None = None,
    seed: int = 0,
) -> AlignedPairs:
    """Debiased kernel alignment of each x with each y, with 95 % intervals and chance levels.

    xs, ys: representations of the same P items in the same order, each (P, n) with any n, arrays or
    memory-mapped files; without ys, all pairs of xs. value is kernel_alignment(x, y, debiased=True)
    (Song et al. 2012), within the rounding of single precision, about 1e-6; low and high are the
    delete-block jackknife's over items (jackknife_interval, which has blocks, groups and seed);
    plain and chance are kernel_alignment(x, y) and chance_alignment(x, y). The same seed deals the
    items of all pairs and calls alike.
    Each array is read once or a few times, in blocks. Time: P n n' multiplications for each pair,
    P n^2 / 2 for each x and y; where that is less, P^2 (n + 2) / 2 for each of them and P^2 / 2 for
    each pair. Memory: at most about 2 GB beside the arrays, and 400 P numbers for each x and y.
    nan as in kernel_alignment; low and high also where there are fewer than six blocks.
    Raises ValueError for different numbers of items, fewer than 4 items or so few that a deletion
    leaves fewer, or anything but finite matrices.

    Of 300 items, y is x with as much noise again: the alignment of all items is 1/2.

    >>> x, noise = np.random.default_rng(0).standard_normal((2, 300, 10))
    >>> pairs = aligned_pairs([x, x + noise])
    >>> pairs.value.round(2)
    array([[1. , 0.5],
           [0.5, 1. ]])
    >>> bool(pairs.low[0, 1] < 0.5 < pairs.high[0, 1])
    True
    """
    if not len(xs) or (ys is not None and not len(ys)):
        raise ValueError("xs or ys is empty; allowed is one representation or more.")
    first = _Blocked("xs[0]", xs[0])
    dealt = deal(len(first.patterns), blocks, None, groups, seed)
    left = len(first.patterns) - max(map(len, dealt))
    if left < 4:
        raise ValueError(
            f"xs[0] has {len(first.patterns)} items in {len(dealt)} blocks, {left} without the "
            f"largest; debiased alignment needs 4 or more."
        )
    of_x = [first, *(_Blocked(f"xs[{i}]", x) for i, x in enumerate(xs) if i)]
    of_y = of_x if ys is None else [_Blocked(f"ys[{i}]", y) for i, y in enumerate(ys)]
    for y in of_x + of_y:
        if len(y.patterns) != len(first.patterns):
            raise ValueError(
                f"xs[0] has {len(first.patterns)} items and {y.name} has {len(y.patterns)}; all "
                f"must describe the same items."
            )
    every = of_x if ys is None else of_x + of_y
    held = sum(of.patterns.size for of in every) <= HELD
    for of in every:
        of.deal(dealt, held)
    pairs, own = _products(of_x, of_y, dealt)
    sizes = np.array([0, *map(len, dealt)])
    between = _unbiased(pairs, of_x, of_y, sizes)
    own_x, own_y = own[: len(of_x)], own[-len(of_y) :]
    alone_x = np.stack([_alone(of, g, sizes) for of, g in zip(of_x, own_x, strict=True)], axis=1)
    alone_y = np.stack([_alone(of, g, sizes) for of, g in zip(of_y, own_y, strict=True)], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        aligned = between / np.sqrt(alone_x[:, :, None] * alone_y[:, None, :])
        low, high = ends(aligned[0], aligned[1:], sizes[1:])
        norm_x, norm_y = (np.sqrt([g.sum() for g in of]) for of in (own_x, own_y))
        plain = pairs.sum(axis=(2, 3)) / np.outer(norm_x, norm_y)
        total_x, total_y = (np.array([of.kept[0].sum() for of in ofs]) for ofs in (of_x, of_y))
        chance = np.outer(total_x / norm_x, total_y / norm_y) / (len(first.patterns) - 1)
    return AlignedPairs(aligned[0], low, high, plain, chance)


class _Blocked:
    """A representation whose items are dealt to blocks."""

    def __init__(self, name: str, patterns: ArrayLike):
        self.name = name
        self.centred = Centred(name, patterns)
        self.patterns = self.centred.patterns
        self.blocks: list[NDArray[np.float32]] | None = None

    def deal(self, dealt: list[NDArray[np.intp]], held: bool) -> None:
        """Read the blocks, for the sums over items; `held` keeps them."""
        self.dealt = dealt
        number, width = self.patterns.shape
        sums, self.blocks = np.empty((len(dealt), width)), [] if held else None
        squares = np.empty(number)
        for b, rows in enumerate(dealt):
            block = self.centred.read(rows)
            sums[b], squares[rows] = block.sum(axis=0), np.einsum("ij,ij->i", block, block)
            if held:
                self.blocks.append(block.astype(np.float32))
        sizes = np.array([len(rows) for rows in dealt])
        # The mean of the items that are left; the first row is without a deletion.
        means = np.vstack([np.zeros(width), -sums / (number - sizes)[:, None]])
        self.lengths = np.einsum("ij,ij->i", means, means)
        self.along = np.empty((len(dealt) + 1, number))
        for b, rows in enumerate(dealt):
            block = self.blocks[b] if held else self.centred.read(rows)
            self.along[:, rows] = means.astype(block.dtype) @ block.T
        # Squared distances from these means.
        self.kept = squares - 2 * self.along + self.lengths[:, None]
        for b, rows in enumerate(dealt, start=1):
            self.along[b, rows] = self.kept[b, rows] = 0

    def read(self, b: int, columns: slice = slice(None)) -> NDArray[np.float32]:
        """Block b in single precision."""
        if self.blocks is not None:
            return self.blocks[b][:, columns]
        return self.centred.read(self.dealt[b], columns).astype(np.float32)


def _products(
    of_x: list[_Blocked], of_y: list[_Blocked], dealt: list[NDArray[np.intp]]
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """The products of blocks, (blocks, blocks), of each pair, (xs, ys, blocks, blocks), and of each
    representation with itself: of all x's, then of all y's unless they are the x's."""
    every = of_x if of_y is of_x else of_x + of_y
    number = len(every[0].patterns)
    widths = [np.array([of.patterns.shape[1] for of in some]) for some in (of_x, of_y, every)]
    with_features = number * (np.outer(*widths[:2]).sum() + (widths[2] ** 2).sum() / 2)
    with_kernels = number**2 * (widths[2].sum() + len(of_x) * len(of_y)) / 2
    if with_kernels < with_features:
        return _of_kernels(of_x, of_y, dealt)
    own = [_of_features(of, of) for of in every]
    pairs = np.empty((len(of_x), len(of_y), len(dealt), len(dealt)))
    for i, x in enumerate(of_x):
        for j, y in enumerate(of_y):
            if of_y is of_x and j <= i:
                pairs[i, j] = own[i] if i == j else pairs[j, i]
            else:
                pairs[i, j] = _of_features(x, y)
    return pairs, own


def _of_features(x: _Blocked, y: _Blocked) -> NDArray[np.float64]:
    """The products of blocks, from as many columns of x at a time as PRODUCTS allows. With itself,
    x has each product of two different sets of columns twice, and it is made once."""
    width, width_y, blocks = x.patterns.shape[1], y.patterns.shape[1], len(x.dealt)
    at_a_time = max(1, PRODUCTS // (blocks * width_y))
    edges = [*range(0, width, at_a_time), width]
    gram = np.zeros((blocks, blocks))
    for start, stop in pairwise(edges):
        columns = slice(start, stop)
        if x is not y:
            gram += _inner(x, y, columns, slice(None))
            continue
        gram += _inner(x, x, columns, columns)
        if stop < width:
            gram += 2 * _inner(x, x, columns, slice(stop, None))
    return gram


def _inner(x: _Blocked, y: _Blocked, of_x: slice, of_y: slice) -> NDArray[np.float64]:
    """<C_b, C_c> of the products C_b of these columns, (blocks, blocks)."""
    products = []
    for b in range(len(x.dealt)):
        block = x.read(b, of_x)
        # The product of an array with itself takes half of the time.
        other = block if x is y and of_x == of_y else y.read(b, of_y)
        products.append((block.T @ other).ravel())
    return _added_up(np.array(products), np.array(products))


def _of_kernels(
    of_x: list[_Blocked], of_y: list[_Blocked], dealt: list[NDArray[np.intp]]
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """As _products, from kernels of two blocks of items at a time."""
    every = of_x if of_y is of_x else of_x + of_y
    pairs = np.zeros((len(of_x), len(of_y), len(dealt), len(dealt)))
    own = np.zeros((len(every), len(dealt), len(dealt)))
    for b, c in zip(*np.triu_indices(len(dealt)), strict=True):
        lines = max(1, PRODUCTS // (len(every) * len(dealt[c])))
        for start in range(0, len(dealt[b]), lines):
            kernels = np.array(
                [(of.read(b)[start : start + lines] @ of.read(c).T).ravel() for of in every]
            )
            pairs[:, :, b, c] += _added_up(kernels[: len(of_x)], kernels[-len(of_y) :])
            own[:, b, c] += np.einsum("ij,ij->i", kernels, kernels, dtype=np.float64)
        pairs[:, :, c, b], own[:, c, b] = pairs[:, :, b, c], own[:, b, c]
    return pairs, list(own)


def _added_up(x: NDArray[np.float32], y: NDArray[np.float32]) -> NDArray[np.float64]:
    """x y^T in double precision, but for CHUNK products at a time."""
    total = np.zeros((len(x), len(y)))
    for start in range(0, x.shape[1], CHUNK):
        total += x[:, start : start + CHUNK] @ y[:, start : start + CHUNK].T
    return total


def _unbiased(
    pairs: NDArray[np.float64],
    of_x: list[_Blocked],
    of_y: list[_Blocked],
    sizes: NDArray[np.intp],
) -> NDArray[np.float64]:
    """U of kernel_alignment of all items and without each block, (1 + blocks, xs, ys)."""
    left = (len(of_x[0].patterns) - sizes).reshape(-1, 1, 1).astype(np.float64)
    without = np.diagonal(pairs, axis1=2, axis2=3) - 2 * pairs.sum(axis=3)
    overlaps = np.zeros((len(sizes), len(of_x), len(of_y)))
    overlaps[1:] = np.moveaxis(without, 2, 0)
    overlaps += pairs.sum(axis=(2, 3))
    along_x, along_y = (np.stack([of.along for of in some], axis=1) for some in (of_x, of_y))
    lengths_x, lengths_y = (np.stack([of.lengths for of in some], axis=1) for some in (of_x, of_y))
    overlaps -= 2 * left * (along_x @ along_y.swapaxes(1, 2))
    overlaps += left**2 * lengths_x[:, :, None] * lengths_y[:, None, :]
    del along_x, along_y
    kept_x, kept_y = (np.stack([of.kept for of in some], axis=1) for some in (of_x, of_y))
    both = kept_x.sum(axis=2)[:, :, None] * kept_y.sum(axis=2)[:, None, :]
    diagonals = kept_x @ kept_y.swapaxes(1, 2)
    estimates: NDArray[np.float64] = (
        overlaps - left / (left - 2) * diagonals + both / ((left - 1) * (left - 2))
    )
    return estimates


def _alone(of: _Blocked, own: NDArray[np.float64], sizes: NDArray[np.intp]) -> NDArray[np.float64]:
    """U of x with itself, (1 + blocks,); nan where it is 0."""
    estimates = _unbiased(own[None, None], [of], [of], sizes)[:, 0, 0]
    return np.where(estimates > ROUNDING * own.sum(), estimates, np.nan)
