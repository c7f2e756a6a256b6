"""Participation ratio: how many dimensions a representation uses."""

import numpy as np

from repgeom.geometry.patterns import as_patterns


def participation_ratio(kernel):
    """(sum l)^2 / sum l^2 = Tr(K)^2 / ||K||_F^2, l the eigenvalues of K; from 1 to P - 1.

    kernel: K, (P, P), symmetric and centred (Alleman et al. 2024, appendix C). nan if it is zero.
    Raises ValueError for a matrix that is not symmetric, such as patterns passed by mistake.
    """
    kernel = as_patterns("kernel", kernel)
    scale = np.abs(kernel).max()
    if kernel.shape[0] != kernel.shape[1] or np.abs(kernel - kernel.T).max() > 1e-8 * scale:
        raise ValueError(f"kernel of shape {kernel.shape} is not a symmetric matrix.")
    return float((np.trace(kernel) / np.linalg.norm(kernel)) ** 2) if scale > 0 else float("nan")
