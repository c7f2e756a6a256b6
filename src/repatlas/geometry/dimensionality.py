"""Participation ratio: how many dimensions a representation uses."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from repatlas.geometry.kernels import Centred, as_kernel


def participation_ratio(kernel: ArrayLike) -> float:
    """Return the effective number of dimensions, (sum l)^2 / sum l^2 = Tr(K)^2 / |K|_F^2.

    kernel: K, (P, P), symmetric and centred, as centred_kernel makes it; l are its eigenvalues
    (Alleman et al. 2024, appendix C). The ratio is from 1 to P - 1, and has no unit: a factor of K
    doesn't change it. nan if K is zero.
    Raises ValueError for a matrix that is not symmetric, such as patterns passed by mistake, or not
    centred. A matrix whose trace is smaller than its norm is no kernel, and raises it, too.

    An equilateral triangle has two dimensions alike; three points on a line have one.

    >>> triangle = [[2, -1, -1], [-1, 2, -1], [-1, -1, 2]]
    >>> line = [[1, 0, -1], [0, 0, 0], [-1, 0, 1]]
    >>> round(participation_ratio(triangle), 4), round(participation_ratio(line), 4)
    (2.0, 1.0)
    """
    centred = as_kernel("kernel", kernel)
    norm = np.linalg.norm(centred)
    return float((np.trace(centred) / norm) ** 2) if norm > 0 else float("nan")


def participation_ratio_of_features(patterns: ArrayLike) -> float:
    """Return the participation ratio of the centred kernel of patterns, without making the kernel:

        (sum of the eigenvalues)^2 / (sum of the squared eigenvalues).

    patterns: X, (P, n), items x features. The kernel and the features' covariance matrix have the
    same eigenvalues, up to a factor. The smaller of the two is used, so memory is min(P, n)^2
    numbers in addition to X. The ratio is from 1 to P - 1. Factors, offsets and rotations of X do
    not change it. It is the plain form of participation_ratio: few items bias it downwards. It is
    nan if all items are the same.
    Raises ValueError for anything but a finite matrix.

    Five items equally far from one another span four equal dimensions.

    >>> round(participation_ratio_of_features(np.eye(5)), 4)
    4.0
    """
    centred = Centred("patterns", patterns)
    total = centred.squares.sum()
    return float(total**2 / centred.overlap(centred)) if total > 0 else float("nan")
