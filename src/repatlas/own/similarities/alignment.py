"""Debiased kernel alignment (CKA), with the jackknife's interval over items."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry import alignment_of_kernels, centred_kernel, chance_alignment
from repatlas.geometry.kernels import Centred, total_of
from repatlas.geometry.patterns import parts, release
from repatlas.inference.alignment_pairs import aligned_pairs, is_inexact
from repatlas.inference.blocked import Blocked
from repatlas.inference.float32 import ROUNDING, product_float64, squared_lengths
from repatlas.inference.intervals import FEWEST
from repatlas.inference.permutation import _u_centred_kernels as u_centred_kernels
from repatlas.inference.permutation import add_one_p, permutations, permuted_alignments
from repatlas.own.compared import (
    Arrays,
    Compared,
    Made,
    compared,
    permuted_rows,
    places,
    prepared_key,
)
from repatlas.own.progress import at_part
from repatlas.own.result import FEWEST_ITEMS, ITEMS_NEEDED, MOST_PERMUTED, NAN, PLAIN, Result
from repatlas.own.trials import Drawn

AT_A_TIME = 2**23
"""Numbers of kernels at a time: 32 MiB for each thread."""
SQRT2 = np.float32(np.sqrt(2))
SINGLE = 1e-6
"""The rounding of an alignment in single precision, at most."""


def pairs(xs: Arrays, ys: Arrays | None, drawn: Drawn, made: Made) -> Iterator[Compared]:
    """Yield the alignment of each pair. Chance is 0. p permutes 1000 random items where there are
    more. Fewer than 8 items have the plain alignment, with its chance level."""
    number, of_pairs = len(xs[0]), places(len(xs), None if ys is None else len(ys))
    if number < ITEMS_NEEDED:
        yield from _pairs_of_few(xs, ys, drawn, made)
        return
    options = {"groups": drawn.groups, "seed": drawn.seed}

    def blocked(x: NDArray[Any]) -> Blocked:
        return made.get(prepared_key(x)) or Blocked(x, **options)

    with ThreadPoolExecutor(drawn.threads) as pool:
        of_x, of_y = (None if of is None else list(pool.map(blocked, of)) for of in (xs, ys))

    def at_share(share: float) -> None:
        at_part(f"{share:.0%} of pairs")

    found = aligned_pairs(of_x, of_y, **options, threads=drawn.threads, report=at_share)
    chosen = permuted_rows(number, drawn, MOST_PERMUTED)
    statistics, null = found.value, np.empty((0, *found.value.shape))
    p = np.full(found.value.shape, NAN)
    if drawn.draws:
        at_part(f"{drawn.draws} permutations of all pairs")
        with ThreadPoolExecutor(drawn.threads) as pool:
            some_x = list(pool.map(_rows_in_memory, xs, repeat(chosen)))
            some_y = None if ys is None else list(pool.map(_rows_in_memory, ys, repeat(chosen)))
        groups = None if drawn.groups is None else drawn.groups[chosen]
        if some_y is None or drawn.seeds is not None or any(map(is_inexact, of_x + of_y)):
            statistics, null = permuted_alignments(
                some_x, some_y, drawn.draws, groups, drawn.seed, drawn.seeds, drawn.within
            )
        else:
            orders = permutations(len(chosen), drawn.draws, groups, drawn.seed, drawn.within)
            statistics, null = in_one_order(some_x, some_y, orders, drawn.threads)
        p = add_one_p(statistics, null)
    for i, j in of_pairs:
        value, low = float(found.value[i, j]), float(found.low[i, j])
        reason = ""
        if np.isnan(value):
            reason = "all items of a, or of b, are the same, or equally far from one another"
        elif np.isnan(low) and drawn.groups is not None and len(set(drawn.groups)) < FEWEST:
            reason = f"{len(set(drawn.groups))} blocks, {FEWEST} needed for an interval"
        elif np.isnan(low):
            reason = "no interval: without some items the others are equally far from one another"
        result = Result(
            "alignment",
            value,
            found.estimator,
            low=low,
            high=float(found.high[i, j]),
            chance=0.0,
            p=float(p[i, j]),
            n=number,
            of="items",
            reason=reason,
        )
        yield Compared(i, j, result, float(statistics[i, j]), null[:, i, j])


def _rows_in_memory(x: NDArray[Any], rows: NDArray[np.intp]) -> NDArray[Any]:
    """Return these rows, and give back the memory of a memory-mapped file that holds others."""
    found: NDArray[Any] = x[rows]
    release(x)
    return found


def in_one_order(
    xs: Arrays, ys: Arrays, orders: list[NDArray[np.intp]], threads: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return alignments like permuted_alignments, for orders that are the same for all y's.

    They are computed in single precision. The alignments of items in their own order are lowered by
    its rounding, so that a draw that is equal counts as large. Only the smaller set has its kernels
    permuted, x's in the inverse order. The rows of a U-centred kernel add up to 0, so its product
    with a plain kernel is its product with the U-centred one. Some rows of all kernels are made at
    a time, right of the diagonal, and none is kept. threads: how many such parts are made at once.
    The number does not change the results.
    """
    few, many = (xs, ys) if len(xs) <= len(ys) else (ys, xs)
    kernels = u_centred_kernels("few", few).astype(np.float32)
    number = kernels.shape[1]
    every = [np.arange(number), *(np.argsort(o) if few is xs else o for o in orders)]

    def products_of_rows(rows: slice) -> tuple[NDArray[np.float64], ...]:
        rest = slice(rows.start, number)
        permuted = np.stack([kernel[o[rows]][:, o[rest]] for o in every for kernel in kernels])
        plain = np.stack([lines_of(rows, rest) for lines_of in made])
        square = np.einsum("iaa->ia", plain[:, :, : plain.shape[1]])
        diagonal = square.astype(np.float64)
        square[:] = 0
        for lines in (permuted, plain):
            # What is right of the square on the diagonal counts for both triangles.
            lines[:, :, plain.shape[1] :] *= SQRT2
        flat = plain.reshape(len(many), -1)
        products = product_float64(permuted.reshape(len(permuted), -1), flat)
        return products, squared_lengths(flat), diagonal.sum(axis=1), (diagonal**2).sum(axis=1)

    with ThreadPoolExecutor(threads) as pool:
        made = list(pool.map(_lines_of_kernel, many))
        some = parts(number, number * (len(every) * len(few) + len(many)), AT_A_TIME)
        sums = zip(*pool.map(products_of_rows, some), strict=True)
        products, norms, traces, squares = map(total_of, sums)
    unbiased = norms - 2 / (number - 2) * squares
    unbiased += traces**2 / ((number - 1) * (number - 2))
    norms += squares
    unbiased[unbiased <= ROUNDING * norms] = NAN
    products[: len(few)] -= SINGLE * np.sqrt(norms)
    found = (products / np.sqrt(unbiased)).reshape(len(every), len(few), len(many))
    if few is not xs:
        found = found.transpose(0, 2, 1)
    return found[0], found[1:]


def _lines_of_kernel(x: NDArray[Any]) -> Callable[[slice, slice], NDArray[np.float32]]:
    """Return a function that makes these rows and columns of the centred kernel of x."""
    centred = Centred("x", x)
    if x.shape[1] > len(x):
        kernel = centred.kernel.astype(np.float32)
        return lambda rows, columns: kernel[rows, columns]
    patterns = centred.read().astype(np.float32)
    return lambda rows, columns: patterns[rows] @ patterns[columns].T


def _pairs_of_few(xs: Arrays, ys: Arrays | None, drawn: Drawn, made: Made) -> Iterator[Compared]:
    """Yield plain alignments: debiased ones of few items vary too much to say anything. Chance is
    their mean over all orders of the items, in closed form."""
    number = len(xs[0])
    for pair in compared("alignment", PLAIN, plain_alignment, np.asarray, xs, ys, drawn, made):
        if np.isfinite(pair.result.value):
            x, y = xs[pair.i], (xs if ys is None else ys)[pair.j]
            few = f"no interval: {number} items, {ITEMS_NEEDED} needed"
            result = pair.result._replace(chance=chance_alignment(x, y), reason=few)
            pair = pair._replace(result=result)
        yield pair


def plain_alignment(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the plain kernel alignment from kernels, since kernel_alignment warns of few items."""
    if len(x) < FEWEST_ITEMS:
        raise ValueError(f"{len(x)} items, {FEWEST_ITEMS} or more needed")
    return alignment_of_kernels(centred_kernel(x), centred_kernel(y))
