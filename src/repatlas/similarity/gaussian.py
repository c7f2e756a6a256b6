"""Kernel alignment with Gaussian kernels, which see how near items are and not only directions."""

from __future__ import annotations

from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.kernels import Centred
from repatlas.geometry.patterns import refuse_other_items


def gaussian_kernel_alignment(x: ArrayLike, y: ArrayLike, bandwidth: float = 1.0) -> float:
    """Return the kernel alignment with the kernels exp(-d^2 / (2 bandwidth^2 median)).

    x: (m, h1) and y: (m, h2), items x features; d: the distances of their items. median: the median
    of all m^2 squared distances. The m zeros between an item and itself count, as in the code of
    Kornblith et al. 2019 (section 3: the bandwidth is a fraction of the median distance). The
    kernels are then centred and aligned as in alignment_of_kernels.

    It is from 0 to 1, and the same with x and y exchanged. Rotations, shifts and isotropic scales
    of x or y don't change it. For large bandwidths it is linear kernel_alignment. It is the plain
    form, which is biased upwards where items are few: compare it with its noise_floor.
    Memory: m^2 numbers for each of x and y, several times.
    nan if more than half of all squared distances of x, or of y, are 0: there is no scale then.
    Raises ValueError for different numbers of items, and for a bandwidth that is not above 0.

    Both representations are lines with their items in the same order, at other distances.

    >>> x = np.linspace(0, 1, 50)[:, None]
    >>> round(gaussian_kernel_alignment(x, x**3, bandwidth=0.5), 2)
    0.89
    """
    if not (isinstance(bandwidth, Real) and 0 < bandwidth < np.inf):
        raise ValueError(f"bandwidth is {bandwidth!r}; allowed is a number above 0.")
    a, b = Centred("x", x), Centred("y", y)
    refuse_other_items("x", a.patterns, "y", b.patterns)
    kernel_x, kernel_y = _kernel(a, bandwidth), _kernel(b, bandwidth)
    norms = np.linalg.norm(kernel_x) * np.linalg.norm(kernel_y)
    return float(np.vdot(kernel_x, kernel_y) / norms) if norms > 0 else float("nan")


def _kernel(x: Centred, bandwidth: float) -> NDArray[np.float64]:
    """Return the centred Gaussian kernel, (m, m); zero if it has no scale."""
    from scipy.spatial.distance import pdist, squareform  # here, since it takes long to import

    # pdist computes differences of items. Products of items, rounded, would give equal items a
    # distance.
    squares = pdist(x.read(), "sqeuclidean")
    items = len(x.patterns)
    median = _median(squares, items)
    if median == 0:
        return np.zeros((items, items))
    squares /= -2 * bandwidth**2 * median
    kernel: NDArray[np.float64] = squareform(np.exp(squares, out=squares))
    np.fill_diagonal(kernel, 1)
    kernel -= kernel.mean(axis=0)
    kernel -= kernel.mean(axis=1, keepdims=True)
    return kernel


def _median(squares: NDArray[np.float64], items: int) -> float:
    """Return the median of m zeros and of each square twice."""
    # The middle positions of m^2 sorted numbers; both are equal if m is odd.
    middle = [(place - items) // 2 for place in ((items**2 - 1) // 2, items**2 // 2)]
    if middle[0] < 0:  # of one item or two
        return float(squares.sum() / 2)
    return float(np.partition(squares, middle)[middle].mean())
