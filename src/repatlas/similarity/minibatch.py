"""Kernel alignment of representations that come in batches of items, one batch in memory."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from repatlas.geometry.alignment import ROUNDING
from repatlas.geometry.kernels import Centred
from repatlas.geometry.patterns import refuse_other_items

FEWEST = 4
"""The fewest items for the unbiased estimate."""


def minibatch_kernel_alignment(batches: Iterable[tuple[ArrayLike, ArrayLike]]) -> float:
    """Return the debiased kernel alignment of many items, in one pass over batches.

        sum_b H_b(x, y) / sqrt(sum_b H_b(x, x) sum_b H_b(y, y)),   H = U / (n (n - 3))

    batches: pairs of x, (n, h1), and y, (n, h2), of the same n >= 4 items; an iterator will do, as
    only one batch is held at a time. U is the unbiased estimate of kernel_alignment with
    debiased=True; H estimates the same quantity from each batch, whatever its size (HSIC; Song et
    al. 2012). Sums are over batches, and the ratio is taken at the end (Nguyen et al. 2021, section
    3): a mean of ratios of batches would be biased.
    It is from -1 to 1, about 0 for unrelated data, and the same with x and y exchanged. Rotations,
    shifts and isotropic scales of x or y, the same for all batches, don't change it. With one batch
    it is kernel_alignment with debiased=True. Batches of items in random order estimate the
    alignment of all items. Batches of sorted items, such as one class each, do not.
    nan if in each batch the items of x, or of y, are all equally far from one another.
    Raises ValueError without a batch, for a batch that is no pair, of fewer than 4 items, of
    different numbers of items, or of other features than the first one.

    >>> x, y = np.random.default_rng(0).standard_normal((2, 1000, 5))
    >>> y += x
    >>> batches = ((x[rows], y[rows]) for rows in np.split(np.arange(1000), 10))
    >>> from repatlas.geometry import kernel_alignment
    >>> alignment = kernel_alignment(x, y, debiased=True)
    >>> round(minibatch_kernel_alignment(batches), 2), round(alignment, 2)
    (0.51, 0.5)
    """
    totals, unit, features = np.zeros((2, 3)), None, None
    for number, batch in enumerate(batches, start=1):
        a, b = _as_pair(number, batch)
        widths = a.patterns.shape[1], b.patterns.shape[1]
        if widths != (features := features or widths):
            raise ValueError(
                f"batch {number} has {widths} features in x and y, batch 1 has {features}; all "
                f"batches must have the same."
            )
        values = [
            [a.unbiased_overlap(b), a.unbiased_overlap(a), b.unbiased_overlap(b)],
            [a.overlap(b), a.overlap(a), b.overlap(b)],
        ]
        # Each batch has a separate unit, a power of two: convert it to the unit of the first batch.
        unit = unit or (a.exponent, b.exponent)
        to_x, to_y = 2 * (a.exponent - unit[0]), 2 * (b.exponent - unit[1])
        items = len(a.patterns)
        totals += np.ldexp(values, [to_x + to_y, 2 * to_x, 2 * to_y]) / (items * (items - 3))
    if features is None:
        raise ValueError("batches is empty; allowed are one batch or more.")
    (both, *sizes), (_, *plain) = totals
    if any(size <= ROUNDING * bound for size, bound in zip(sizes, plain, strict=True)):
        return float("nan")
    return float(both / np.sqrt(sizes[0] * sizes[1]))


def _as_pair(number: int, batch: tuple[ArrayLike, ArrayLike]) -> tuple[Centred, Centred]:
    if not isinstance(batch, tuple | list) or len(batch) != 2:
        raise ValueError(
            f"batch {number} is {type(batch).__name__}; allowed is a pair (x, y) of the same items."
        )
    names = f"x of batch {number}", f"y of batch {number}"
    a, b = Centred(names[0], batch[0]), Centred(names[1], batch[1])
    refuse_other_items(names[0], a.patterns, names[1], b.patterns)
    if len(a.patterns) < FEWEST:
        raise ValueError(
            f"batch {number} has {len(a.patterns)} items; allowed are {FEWEST} or more."
        )
    return a, b
