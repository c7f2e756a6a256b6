"""Participation ratio: how many dimensions a representation uses."""

import numpy as np

from repatlas.geometry.kernels import Centred, as_kernel


def participation_ratio(kernel):
    """(sum l)^2 / sum l^2 = Tr(K)^2 / ||K||_F^2, l the eigenvalues of K; from 1 to P - 1.

    kernel: K, (P, P), symmetric and centred (Alleman et al. 2024, appendix C), as centred_kernel
    makes it. It has no unit: a factor of K doesn't change it. nan if K is zero.
    Raises ValueError for a matrix that is not symmetric, such as patterns passed by mistake, one
    that is not centred, and one whose trace is smaller than its norm, since it is no kernel.

    >>> round(participation_ratio([[2, -1, -1], [-1, 2, -1], [-1, -1, 2]]), 4)
    2.0
    """
    kernel = as_kernel("kernel", kernel)
    norm = np.linalg.norm(kernel)
    return float((np.trace(kernel) / norm) ** 2) if norm > 0 else float("nan")


def participation_ratio_of_features(patterns):
    """participation_ratio of the centred kernel of patterns, X: (P, n), items x features.

    Up to a factor, the eigenvalues are those of the features' covariance matrix, and the smaller
    of the two matrices is used: memory is min(P, n)^2 numbers beside X. Factors, offsets and
    rotations of X don't change it. It is the plain form: few items bias it downwards, to P - 1 at
    most. nan if all items are the same.
    Raises ValueError for anything but a finite matrix.

    >>> import numpy as np
    >>> round(participation_ratio_of_features(np.eye(5)), 4)
    4.0
    """
    centred = Centred("patterns", patterns)
    total = centred.squares.sum()
    return float(total**2 / centred.overlap(centred)) if total > 0 else float("nan")
