"""Products of pairs of representations, summed over blocks of items.

The product of a block is C_b = X_b^T Y_b, and the product of all items is C = sum_b C_b. <C, C_b>
and |C_b|^2 are sums of <C_b, C_c>. These also come from kernels:

    <C_b, C_c> = sum_(i in b, j in c) (x_i . x_j)(y_i . y_j).

Kernels are cheaper where features are more than items, and for many representations at once, since
each is multiplied with itself alone. They are made for two blocks at a time, and none is kept.

Products within a block are in single precision, and are added up in double precision. Arrays are
read from their start to their end, as many blocks at a time as fit into memory. They may be
memory-mapped files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, repeat

import numpy as np
from numpy.typing import NDArray

from repatlas.inference.blocked import HELD, Blocked, cache_in_memory
from repatlas.inference.float32 import product_float64, squared_lengths

PRODUCTS = 2**27
"""Numbers, in single precision, of products of blocks at a time: 512 MiB."""
TILE = 128
"""Columns of a triangle at a time. Products of fewer take longer, of more they are half unused."""


def pair_products(
    of_x: list[Blocked], of_y: list[Blocked], threads: int, report: Callable[[float], None]
) -> NDArray[np.float64]:
    """Return <C, C_b> and |C_b|^2 of each pair, (xs, ys, 2, blocks), in the cheaper way.

    of_x, of_y: the same list for the pairs of one set. Products of a representation with itself are
    stored in it. threads: how many pairs are computed at a time. report: is called with the share
    that is done.

    >>> x, y = (Blocked(of) for of in np.random.default_rng(0).standard_normal((2, 200, 5)))
    >>> pair_products([x], [y], 1, lambda share: None).shape
    (1, 1, 2, 20)
    """
    every = of_x if of_y is of_x else of_x + of_y
    number = len(every[0].patterns)
    width_x, width_y, widths = (
        np.array([of.patterns.shape[1] for of in some], dtype=np.float64)
        for some in (of_x, of_y, every)
    )
    own = sum(of.patterns.shape[1] ** 2 / 2 for of in every if of.products is None)
    between = width_x.sum() * width_y.sum()
    with_features = number * (between / 2 if of_y is of_x else own + between)
    with_kernels = number**2 * (widths.sum() + len(of_x) * len(of_y)) / 2
    if with_kernels < with_features:
        return _kernel_products(of_x, of_y, report)
    done, total = 0, len(of_x) * len(of_y)
    if of_y is of_x:
        total = len(of_x) * (len(of_x) + 1) // 2
    pairs = np.empty((len(of_x), len(of_y), 2, len(every[0].dealt)))

    def column(run: range, j: int) -> int:
        above = [i for i in run if of_y is not of_x or i <= j]
        y = of_y[j]
        with cache_in_memory([y] if above else [], HELD // 2):
            if above:  # now that it is held
                _ = y.sums, own_products(y)
            for i in above:
                x = of_x[i]
                pairs[i, j] = own_products(x) if x is y else _feature_products(x, y)
                if of_y is of_x:
                    pairs[j, i] = pairs[i, j]
        return len(above)

    for run in _runs([x.patterns.size for x in of_x], HELD // 2):
        with (
            cache_in_memory([of_x[i] for i in run], HELD // 2),
            ThreadPoolExecutor(threads) as pool,
        ):
            if of_y is not of_x:
                for i in run:
                    _ = of_x[i].sums, own_products(of_x[i])
            each = pool.map if threads > 1 else map
            for number in each(column, repeat(run), range(len(of_y))):
                done += number
                report(done / total)
    return pairs


def own_products(x: Blocked) -> NDArray[np.float64]:
    """Return <C, C_b> and |C_b|^2 of a representation with itself, (2, blocks). They are computed
    once, and kept in it. The patterns are scaled as in SingleCentred.

    >>> x = Blocked(np.random.default_rng(0).standard_normal((200, 5)), blocks=10)
    >>> own_products(x).shape, own_products(x) is x.products
    ((2, 10), True)
    """
    if x.products is None:
        with cache_in_memory([x], HELD // 2):
            x.products = _feature_products(x, x)
    return x.products


def _runs(sizes: Iterable[int], room: int) -> Iterator[range]:
    """Yield ranges of consecutive indices whose sizes add up to `room` at most, or of a single
    one."""
    start, total = 0, 0
    for place, size in enumerate(sizes):
        if place > start and total + size > room:
            yield range(start, place)
            start, total = place, 0
        total += size
    yield range(start, place + 1)


def _feature_products(x: Blocked, y: Blocked) -> NDArray[np.float64]:
    """Return <C, C_b> and |C_b|^2, (2, blocks), from products of features.

    PRODUCTS limits the columns of x at a time. If y is x, two different sets of columns are
    multiplied once, and count twice.
    """
    width, width_y, blocks = x.patterns.shape[1], y.patterns.shape[1], len(x.dealt)
    edges = [*range(0, width, max(1, PRODUCTS // (blocks * width_y))), width]
    total = np.zeros((2, blocks))
    for start, stop in pairwise(edges):
        columns = slice(start, stop)
        if x is not y:
            total += _inner(x, y, columns, slice(width_y))
            continue
        total += _inner(x, x, columns, columns)
        if stop < width:
            total += 2 * _inner(x, x, columns, slice(stop, width))
    return total


def _inner(x: Blocked, y: Blocked, of_x: slice, of_y: slice) -> NDArray[np.float64]:
    """Return <C, C_b> and |C_b|^2 of these columns, (2, blocks)."""
    if x is y and of_x == of_y:
        return _inner_symmetric(x, of_x)
    shape = len(x.dealt), *(len(range(of.stop)[of]) for of in (of_x, of_y))
    products = np.empty(shape, dtype=np.promote_types(x.dtype, y.dtype))
    for b, product in enumerate(products):
        np.matmul(x.block(b, of_x).T, y.block(b, of_y), out=product)
    flat = products.reshape(len(products), -1)
    between = product_float64(flat, flat)
    return np.stack([between.sum(axis=1), between.diagonal()])


def _inner_symmetric(x: Blocked, columns: slice) -> NDArray[np.float64]:
    """Return _inner of x with itself from one triangle of its products, in little more than half
    the time. Tiles on the diagonal count once, the others twice."""
    edges = [*range(0, len(range(columns.stop)[columns]), TILE), None]
    between = np.zeros((len(x.dealt), len(x.dealt)))
    blocks = [x.block(b, columns) for b in range(len(x.dealt))]
    for start, stop in pairwise(edges):
        left = [block[:, start:stop].T for block in blocks]
        for times, right in ((1, slice(start, stop)), (2, slice(stop, None))):
            if right.start is None:
                continue
            products = [
                (a @ block[:, right]).ravel() for a, block in zip(left, blocks, strict=True)
            ]
            flat = np.stack(products)
            between += times * product_float64(flat, flat)
    return np.stack([between.sum(axis=1), between.diagonal()])


def _kernel_products(
    of_x: list[Blocked], of_y: list[Blocked], report: Callable[[float], None]
) -> NDArray[np.float64]:
    """Return what pair_products returns, from the kernels of two blocks of items at a time."""
    every = of_x if of_y is of_x else of_x + of_y
    sizes = [len(rows) for rows in every[0].dealt]
    features = sum(of.patterns.shape[1] for of in every)
    pairs = np.zeros((len(of_x), len(of_y), 2, len(sizes)))
    own = np.zeros((len(every), 2, len(sizes)))
    dtype = np.result_type(*(of.dtype for of in every))
    runs = list(_runs([size * features for size in sizes], HELD // 2))
    for place, run in enumerate(runs):
        held = [of.read(run) for of in every]
        for other in runs[place:]:
            others = held if other is run else [of.read(other) for of in every]
            for b, c in ((b, c) for b in run for c in other if b <= c):
                found = np.zeros(pairs.shape[:2]), np.zeros(len(every))
                lines = max(1, PRODUCTS // (len(every) * sizes[c]))
                for start in range(0, sizes[b], lines):
                    rows = slice(start, min(start + lines, sizes[b]))
                    kernels = np.empty((len(every), rows.stop - start, sizes[c]), dtype)
                    for kernel, first, second in zip(kernels, held, others, strict=True):
                        of_b, of_c = first[b - run.start], second[c - other.start]
                        np.matmul(of_b[rows], of_c.T, out=kernel)
                    flat = kernels.reshape(len(every), -1)
                    found[0][:] += product_float64(flat[: len(of_x)], flat[-len(of_y) :])
                    found[1][:] += squared_lengths(flat)
                for total, of_blocks in zip((pairs, own), found, strict=True):
                    total[..., 0, b] += of_blocks
                    if b == c:
                        total[..., 1, b] = of_blocks
                    else:
                        total[..., 0, c] += of_blocks
        report((place + 1) / len(runs))
    for of, products in zip(every, own, strict=True):
        if of.products is None:
            of.products = products
    return pairs
