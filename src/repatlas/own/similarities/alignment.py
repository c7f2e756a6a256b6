"""Debiased kernel alignment (CKA), with the jackknife's interval over items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry import alignment_of_kernels, centred_kernel, chance_alignment
from repatlas.inference.alignment_pairs import aligned_pairs
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
from repatlas.own.progress import at_part, at_share
from repatlas.own.result import FEWEST_ITEMS, ITEMS_NEEDED, MOST_PERMUTED, NAN, PLAIN, Result
from repatlas.own.trials import Drawn

AT_A_TIME = 2**24
"""Numbers of permuted kernels at a time: 128 MiB."""


def pairs(xs: Arrays, ys: Arrays | None, drawn: Drawn, made: Made) -> Iterator[Compared]:
    """Yield the alignment of each pair. Chance is 0. p permutes 1000 random items where there are
    more. Fewer than 8 items have the plain alignment, with its chance level."""
    number, of_pairs = len(xs[0]), places(len(xs), None if ys is None else len(ys))
    if FEWEST_ITEMS <= number < ITEMS_NEEDED:
        yield from _pairs_of_few(xs, ys, drawn, made)
        return
    if number < FEWEST_ITEMS:
        reason = f"{number} items, {FEWEST_ITEMS} or more needed"
        nothing = Result("alignment", NAN, "plain", n=number, of="items", reason=reason)
        for i, j in of_pairs:
            yield Compared(i, j, nothing, NAN, np.full(drawn.draws, NAN))
        return
    options = {"groups": drawn.groups, "seed": drawn.seed, "threads": drawn.threads}
    found = aligned_pairs(
        [made.get(prepared_key(x), x) for x in xs],
        None if ys is None else [made.get(prepared_key(y), y) for y in ys],
        **options,
        report=at_share,
    )
    chosen = permuted_rows(number, drawn, MOST_PERMUTED)
    statistics, null = found.value, np.empty((0, *found.value.shape))
    p = np.full(found.value.shape, NAN)
    if drawn.draws:
        at_part(f"{drawn.draws} permutations of all pairs")
        some_x = [x[chosen] for x in xs]
        some_y = None if ys is None else [y[chosen] for y in ys]
        groups = None if drawn.groups is None else drawn.groups[chosen]
        if some_y is None or drawn.seeds is not None:
            statistics, null = permuted_alignments(
                some_x, some_y, drawn.draws, groups, drawn.seed, drawn.seeds
            )
        else:
            orders = permutations(len(chosen), drawn.draws, groups, drawn.seed)
            statistics, null = in_one_order(some_x, some_y, orders)
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


def in_one_order(
    xs: Arrays, ys: Arrays, orders: list[NDArray[np.intp]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return alignments like permuted_alignments, for orders that are the same for all y's.

    Only the smaller set has its kernels permuted, x's in the inverse order. Of one x and a
    hundred y's this takes a sixtieth of the time.
    """
    first, second = u_centred_kernels("xs", xs), u_centred_kernels("ys", ys)
    few, many = (first, second) if len(first) <= len(second) else (second, first)
    number = few.shape[1]
    every = [np.arange(number), *(np.argsort(o) if few is first else o for o in orders)]
    flat = many.reshape(len(many), -1)
    found = np.empty((len(every), len(few), len(many)))
    step = max(1, AT_A_TIME // (len(few) * number**2))
    for start in range(0, len(every), step):
        some = every[start : start + step]
        permuted = np.array([few[:, o[:, None], o] for o in some])
        products = permuted.reshape(len(some) * len(few), -1) @ flat.T
        found[start : start + step] = products.reshape(len(some), len(few), -1)
    if few is second:
        found = found.transpose(0, 2, 1)
    return found[0], found[1:]


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
    return alignment_of_kernels(centred_kernel(x), centred_kernel(y))
