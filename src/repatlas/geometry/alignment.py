"""Kernel alignment: how similar two representations of the same items are."""

from __future__ import annotations

import warnings
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from repatlas.geometry.kernels import Centred, as_kernel
from repatlas.geometry.patterns import refuse_other_items

CHANCE = 0.1
"""kernel_alignment warns where unrelated representations have more on average."""
ROUNDING = 1e-12
"""An unbiased estimate of Tr(K K) below this share of the plain one counts as zero."""


def kernel_alignment(x: ArrayLike, y: ArrayLike, debiased: bool = False) -> float:
    """Return the kernel alignment C = Tr(Kx Ky) / sqrt(Tr(Kx Kx) Tr(Ky Ky)).

    x: (P, n) and y: (P, n'), two representations of the same P items.

    Kx and Ky are their centred linear kernels. C is from 0 to 1. This is linear CKA (Kornblith et
    al. 2019, equation 4) and C of Alleman et al. 2024, section 3. It has no unit: factors, offsets
    and rotations of x or y don't change it. It takes the memory of min(P, n)^2 numbers in addition
    to x and y, since Tr(Kx Ky) is also |X^T Y|_F^2.

    The plain form is biased upwards if the items are few. Its mean over all orders of y's items is
    sqrt(d_x d_y) / (P - 1), where d are the participation ratios. This is the value for unrelated x
    and y: 0.99 for noise of 20 items x 2000 features. Use the plain form if there are no other
    items, such as for the means of all conditions; alignment_of_kernels computes it without a
    warning. Use debiased=True for items that are a sample, P >= 4. Unbiased estimators then replace
    the three traces (Song et al. 2012, equation 5),

        U(x, y) = Tr(Kx Ky) - P / (P - 2) sum_i r_i s_i + sum_i r_i sum_i s_i / ((P - 1)(P - 2)),

    where r and s are the diagonals of Kx and Ky. Its mean is about 0 for unrelated x and y, so it
    may be negative.

    C is nan if all items of x, or all items of y, are equal, so that their kernel is zero. With
    debiased it is nan also if all items are equally far from one another.
    Raises ValueError for different numbers of items.
    Warns (UserWarning) if the plain form has a mean above 0.1 for unrelated x and y.

    Noise as large as the signal, and of as many dimensions, leaves about 1/2; noise alone has
    about 0.

    >>> x, y = np.random.default_rng(0).standard_normal((2, 500, 4))
    >>> round(kernel_alignment(x, x + y), 3), round(kernel_alignment(x, y, debiased=True), 3)
    (0.497, 0.001)
    """
    a, b = Centred("x", x), Centred("y", y)
    refuse_other_items("x", a.patterns, "y", b.patterns)
    items = len(a.patterns)
    if debiased and items < 4:
        raise ValueError(f"x has {items} items; debiased alignment needs 4 or more.")
    if not (a.squares.any() and b.squares.any()):
        return float("nan")
    if debiased:
        size_a, size_b = a.unbiased_overlap(a), b.unbiased_overlap(b)
        if size_a <= ROUNDING * a.own_overlap or size_b <= ROUNDING * b.own_overlap:
            return float("nan")
        return a.unbiased_overlap(b) / sqrt(size_a * size_b)
    chance = _chance(a, b)
    if chance > CHANCE:
        warnings.warn(
            f"x and y have few items ({items}) for their dimensions: unrelated representations of "
            f"the same dimensions have a kernel alignment of {chance:.2f} on average. Use "
            f"debiased=True if the items are a sample of more, or alignment_of_kernels if they are "
            f"all that there are.",
            stacklevel=3,  # the call of the user: on_one_thread stands between
        )
    return a.overlap(b) / sqrt(a.own_overlap * b.own_overlap)


def chance_alignment(x: ArrayLike, y: ArrayLike) -> float:
    """Return the chance level of the plain kernel_alignment: its mean over all orders of y's items.

        sqrt(d_x d_y) / (P - 1),  d the participation ratios of the centred kernels

    x: (P, n) and y: (P, n'), patterns as for kernel_alignment; P >= 2. The mean is exact, for any x
    and y. Take the mean over all orders. A diagonal entry of Ky has the mean Tr(Ky) / P. Any other
    entry has the mean -Tr(Ky) / (P (P - 1)), because rows of Ky add up to 0. So the mean of Tr(Kx
    Ky) is Tr(Kx) Tr(Ky) / (P - 1), and |Kx|_F and |Ky|_F are constant. The level is from 1 / (P -
    1) to 1. For the debiased form it is about 0.
    nan if all items of x, or all items of y, are the same.
    Raises ValueError for different numbers of items, or a single one.

    Noise of 20 items in 2000 dimensions is nearly aligned with other such noise.

    >>> x, y = np.random.default_rng(0).standard_normal((2, 20, 2000))
    >>> round(chance_alignment(x, y), 2)
    0.99
    """
    a, b = Centred("x", x), Centred("y", y)
    refuse_other_items("x", a.patterns, "y", b.patterns)
    if len(a.patterns) < 2:
        raise ValueError("x has 1 item; alignment needs 2 or more.")
    return _chance(a, b) if a.squares.any() and b.squares.any() else float("nan")


def _chance(x: Centred, y: Centred) -> float:
    norms = sqrt(x.own_overlap * y.own_overlap)
    return float(x.squares.sum() * y.squares.sum() / ((len(x.patterns) - 1) * norms))


def alignment_of_kernels(kernel_x: ArrayLike, kernel_y: ArrayLike) -> float:
    """Return the plain alignment C = Tr(Kx Ky) / sqrt(Tr(Kx Kx) Tr(Ky Ky)) of two centred kernels.

    kernel_x, kernel_y: (P, P), as centred_kernel makes them (Alleman et al. 2024, section 3). C is
    from 0 to 1 and has no unit. See kernel_alignment for what it means where P is small. nan if one
    of the kernels is zero.
    Raises ValueError for a matrix that is not symmetric or not centred, and for different sizes.

    Of a triangle and two of its corners, here it is 6 / sqrt(18 * 4) = 1 / sqrt(2).

    >>> round(alignment_of_kernels([[2, -1, -1], [-1, 2, -1], [-1, -1, 2]],
    ...                            [[1, -1, 0], [-1, 1, 0], [0, 0, 0]]), 4)
    0.7071
    """
    kx, ky = as_kernel("kernel_x", kernel_x), as_kernel("kernel_y", kernel_y)
    refuse_other_items("kernel_x", kx, "kernel_y", ky)
    norms = np.linalg.norm(kx) * np.linalg.norm(ky)
    return float(np.vdot(kx, ky) / norms) if norms > 0 else float("nan")
