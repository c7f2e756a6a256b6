"""Bures similarity: the fidelity of two kernels, also where representations are not known."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.kernels import as_kernel
from repatlas.geometry.patterns import refuse_other_items


def bures_similarity(kernel_x: ArrayLike, kernel_y: ArrayLike) -> float:
    """Return Tr((Kx^1/2 Ky Kx^1/2)^1/2) / sqrt(Tr(Kx) Tr(Ky)) of two centred kernels.

    kernel_x, kernel_y: (P, P), products of items after their mean is taken off, as
    repatlas.geometry.centred_kernel makes them; or any other centred kernel without negative
    eigenvalues. It is from 0 to 1, and has no unit. sqrt(2 - 2 similarity) is the normalised Bures
    distance, and arccos of the similarity is a metric.
    For the kernels of two representations it is the Procrustes similarity of the representations
    (Harvey et al. 2024): `procrustes` is faster and more exact where these are available.
    nan if one of the kernels is zero. Negative eigenvalues within rounding count as 0.
    Raises ValueError for a matrix that is not symmetric, not centred or has negative eigenvalues,
    and for different sizes.

    >>> from repatlas.geometry import centred_kernel
    >>> from repatlas.similarity import procrustes
    >>> x, y = np.random.default_rng(0).standard_normal((2, 20, 3))
    >>> same = bures_similarity(centred_kernel(x), centred_kernel(y))
    >>> round(same, 6) == round(procrustes(x, y).similarity, 6)
    True
    """
    kx, ky = as_kernel("kernel_x", kernel_x), as_kernel("kernel_y", kernel_y)
    refuse_other_items("kernel_x", kx, "kernel_y", ky)
    if not kx.any() or not ky.any():
        return float("nan")
    # |Kx^1/2 Ky^1/2|_* is the trace in the formula.
    products = _root("kernel_x", kx) @ _root("kernel_y", ky)
    total = float(np.linalg.svd(products, compute_uv=False).sum())
    return min(total / float(np.sqrt(np.trace(kx) * np.trace(ky))), 1.0)


def _root(name: str, kernel: NDArray[np.float64]) -> NDArray[np.float64]:
    values, vectors = np.linalg.eigh(kernel)
    if values[0] < -1e-5 * values[-1]:
        raise ValueError(
            f"{name} has the negative eigenvalue {values[0] / values[-1]:.2g} of its largest; "
            f"allowed is a matrix of products of centred patterns."
        )
    root: NDArray[np.float64] = vectors * np.sqrt(values.clip(min=0)) @ vectors.T
    return root
