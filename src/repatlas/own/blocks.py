"""Rows that are not independent: rows of a run, a session or a film stay together.

Folds hold out whole blocks, a jackknife leaves out whole blocks, and permutations move the labels
of whole blocks, in their order, to other blocks. What neighbouring rows of a block share, such as
drift or slow noise, is then the same in the data and in each draw of the null. If blocks cannot
change places, labels are shuffled within blocks, and the reason of the result says so.
"""

from math import factorial, lgamma, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry import condition_means
from repatlas.geometry.design import coded

ORDERS = 20
"""Fewer orders of the blocks allow no p value of 0.05."""


def coded_rows(
    name: str, value: Any, rows: int, what: str
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the values of a column, and the index of the value of each row, (rows,)."""
    values, codes = coded(name, value)
    if codes.shape != (rows,):
        raise ValueError(
            f"{name} has shape {codes.shape}; allowed is one for each of the {rows} {what}."
        )
    return values, codes


def as_blocks(value: Any, rows: int, what: str) -> NDArray[np.intp]:
    """Return the number of each row's block, (rows,). Raises ValueError for another number of rows
    or a single block."""
    names, blocks = coded_rows("blocks", value, rows, what)
    if len(names) < 2:
        raise ValueError(
            f"blocks has {names.tolist()[0]!r} alone; allowed are two blocks or more, such as runs."
        )
    return blocks


class Exchange(NamedTuple):
    """What permutations may move."""

    allowed: bool = True
    within: bool = False
    """Rows of a block, instead of whole blocks"""
    reason: str = ""
    """Why rows move within blocks, or why nothing may move"""


def exchange(blocks: NDArray[np.intp] | None, levels: NDArray[np.intp] | None = None) -> Exchange:
    """Return whether whole blocks may change places, or rows within blocks, or neither.

    blocks: (m,), or None; levels: (m, k), the labels of each row, or None for a representation.
    """
    if blocks is None:
        return Exchange()
    counts = np.bincount(blocks)
    counts = counts[counts > 0]
    why = ""
    if counts.min() < counts.max():
        why = f"blocks have from {counts.min()} to {counts.max()} rows"
    elif factorial(len(counts)) < ORDERS:
        why = f"{len(counts)} blocks have {factorial(len(counts))} orders, {ORDERS} needed"
    elif levels is not None:
        of_blocks = levels[np.argsort(blocks, kind="stable")].reshape(len(counts), -1)
        if (of_blocks == of_blocks[0]).all():
            why = "all blocks have the same labels in the same order"
    if not why:
        return Exchange()
    what = "items" if levels is None else "labels"
    if _orders_within(blocks, levels) < log(ORDERS) - 1e-9:
        same = f", and within blocks {what} have fewer than {ORDERS} orders"
        return Exchange(allowed=False, reason=f"no p: {why}{same}")
    reason = f"p is from {what} shuffled within blocks, since {why}: it holds if their order within"
    return Exchange(within=True, reason=f"{reason} blocks was random")


def _orders_within(blocks: NDArray[np.intp], levels: NDArray[np.intp] | None) -> float:
    """Return the logarithm of how many orders of labels there are within blocks."""
    total = 0.0
    for block in np.unique(blocks):
        rows = np.flatnonzero(blocks == block)
        total += lgamma(len(rows) + 1)
        if levels is not None:
            same = np.unique(levels[rows], axis=0, return_counts=True)[1]
            total -= sum(lgamma(number + 1) for number in same)
    return total


def halves_of_blocks(
    samples: NDArray[Any],
    conditions: NDArray[np.intp],
    blocks: NDArray[np.intp],
    rng: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the means of each condition, (P, n), over a random half of the blocks and over the
    others. Raises ValueError where a half lacks a condition."""
    names, number = np.unique(blocks, return_inverse=True)
    second = rng.permutation(len(names))[number.ravel()] < len(names) / 2
    has = [np.unique(conditions[half]) for half in (~second, second)]
    every = np.unique(conditions)
    if min(map(len, has)) < len(every):
        raise ValueError("a half of the blocks lacks a condition: halves are made of whole blocks")
    first, other = (condition_means(samples[half], conditions[half]) for half in (~second, second))
    return first, other
