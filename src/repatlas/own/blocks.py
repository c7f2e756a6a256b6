"""Rows that are not independent: rows of a run, a session or a film stay together.

Folds hold out whole blocks, a jackknife leaves out whole blocks, and permutations move the labels
of whole blocks, in their order, to other blocks. What neighbouring rows of a block share, such as
drift or slow noise, is then the same in the data and in each draw of the null.
"""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry import condition_means
from repatlas.geometry.design import coded

ORDERS = 20
"""Fewer orders of the blocks allow no p value of 0.05."""


def as_blocks(value: Any, rows: int, what: str) -> NDArray[np.intp]:
    """Return the number of each row's block, (rows,). Raises ValueError for another number of rows
    or a single block."""
    names, blocks = coded("blocks", value)
    if blocks.shape != (rows,):
        raise ValueError(
            f"blocks has shape {blocks.shape}; allowed is one for each of the {rows} {what}."
        )
    if len(names) < 2:
        raise ValueError(
            f"blocks has {names.tolist()[0]!r} alone; allowed are two blocks or more, such as runs."
        )
    return blocks


def why_not_permuted(blocks: NDArray[np.intp], levels: NDArray[np.intp] | None = None) -> str:
    """Return why the labels of whole blocks cannot change places, or "" where they can.

    blocks: (m,); levels: (m, k), the labels of each row, or None for a representation.
    """
    counts = np.unique(blocks, return_counts=True)[1]
    if counts.min() < counts.max():
        return (
            f"no p: blocks have from {counts.min()} to {counts.max()} rows, and only blocks of the "
            f"same number can change places"
        )
    if levels is not None:
        order = np.argsort(blocks, kind="stable")
        of_blocks = levels[order].reshape(len(counts), -1)
        if (of_blocks == of_blocks[0]).all():
            return "no p: all blocks have the same labels in the same order"
    if factorial(len(counts)) < ORDERS:
        return f"no p: {len(counts)} blocks have {factorial(len(counts))} orders, {ORDERS} needed"
    return ""


def means_of_cells(
    samples: NDArray[Any], conditions: NDArray[np.intp], blocks: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the mean of each condition in each block that has it, (cells, n), and a row of each
    cell, (cells,), which tells its condition and block."""
    cell = blocks * (int(conditions.max()) + 1) + conditions
    _, first, number = np.unique(cell, return_index=True, return_inverse=True)
    return condition_means(samples, number.ravel()), first


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
