"""Kernel alignment: how similar two representations of the same items are."""

import numpy as np

from repgeom.geometry.patterns import as_patterns


def centred_kernel(patterns):
    """The centred linear kernel K = H X X^T H, H = I - 11^T / P (Alleman et al. 2024, section 3).

    patterns: X, (P, n), items x features. Returns (P, P).
    Raises ValueError for anything but a finite matrix.
    """
    patterns = as_patterns("patterns", patterns)
    # Taking one item off first makes identical items exactly zero, not the rounding of their mean,
    # and keeps the digits of patterns that sit on a large offset.
    centred = patterns - patterns[0]
    centred -= centred.mean(axis=0)
    return centred @ centred.T


def kernel_alignment(x, y):
    """C = Tr(Kx Ky) / sqrt(Tr(Kx Kx) Tr(Ky Ky)), K the centred kernels; in [0, 1].

    x: (P, n) and y: (P, n'), two representations of the same P items. This is linear CKA in its
    biased form (Kornblith et al. 2019, equation 4) and C of Alleman et al. 2024, section 3.
    nan if all items of x, or all items of y, are the same (their kernel is zero).
    Raises ValueError for different numbers of items.
    """
    x, y = as_patterns("x", x), as_patterns("y", y)
    if len(x) != len(y):
        raise ValueError(
            f"x has {len(x)} items and y has {len(y)}; both must describe the same items."
        )
    kernel_x, kernel_y = centred_kernel(x), centred_kernel(y)
    norms = np.linalg.norm(kernel_x) * np.linalg.norm(kernel_y)
    return float(np.vdot(kernel_x, kernel_y) / norms) if norms > 0 else float("nan")
