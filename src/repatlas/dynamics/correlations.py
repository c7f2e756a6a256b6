"""Correlations between inputs and targets, and their modes: what drives linear pathways."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

NEGLIGIBLE = 1e-10
"""Singular values below this part of the largest are rounding: their modes are dropped."""


class Modes(NamedTuple):
    """The modes of a pathway's correlation, sorted by strength, the largest first."""

    left: Array
    """u, (k, n_out): directions of the output"""
    right: Array
    """v, (k, n_in): directions of the input"""
    s: Array
    """(k,): singular values of Sigma_yx, which set the speed of learning"""
    d: Array
    """(k,): v^T Sigma_xx v of the same v, which with s sets where learning ends, s / d"""


def input_output(gated: ArrayLike, targets: ArrayLike) -> Array:
    """Return sigma_yx(p) = Y G_p^T / N, the correlation of the targets with what a pathway sees.

    gated: G, (..., n_in, N), see gated_inputs; targets: Y, (n_out, N). Returns (..., n_out, n_in).

    >>> input_output([[1.0, 0.0], [0.0, 1.0]], [[2.0, 4.0]])
    array([[1., 2.]])
    """
    g, y = np.asarray(gated, dtype=np.float64), np.asarray(targets, dtype=np.float64)
    return y @ np.swapaxes(g, -1, -2) / y.shape[-1]


def modes(gated: ArrayLike, targets: ArrayLike) -> Modes:
    """Return the modes of Sigma_yx of one pathway, each with d from the basis of Sigma_yx.

    gated: G, (n_in, N); targets: Y, (n_out, N), or a residual in its place. Sigma_yx = U S V^T, and
    d_a = v_a^T Sigma_xx v_a. Singular values and eigenvalues that are sorted apart from each other
    would pair modes wrongly. Modes with s below 1e-10 of the largest are left out. Where singular
    values coincide, the directions are any basis of the space that they share (Saxe, McClelland and
    Ganguli 2019).

    >>> found = modes([[1.0, 0.0], [0.0, 1.0]], [[2.0, 4.0]])
    >>> found.s.round(4), found.d
    (array([2.2361]), array([0.5]))
    """
    g = np.asarray(gated, dtype=np.float64)
    u, s, vt = np.linalg.svd(input_output(g, targets), full_matrices=False)
    # Zero everywhere, it has none.
    kept = s > NEGLIGIBLE * max(s.max(initial=0.0), np.finfo(float).tiny)
    right = vt[kept]
    along = right @ g  # (k, N)
    return Modes(u.T[kept], right, s[kept], np.sum(along**2, axis=1) / g.shape[1])


def linear_residual(inputs: ArrayLike, targets: ArrayLike) -> Array:
    """Return R = Y - Y X^+ X, what no linear map of the inputs explains of the targets.

    inputs: X, (n_in, N); targets: Y, (n_out, N). R X^T = 0: the residual is uncorrelated with all
    inputs. |R|^2 / 2 is the least loss of a linear network.

    >>> residual = linear_residual([[1.0, 1.0]], [[0.0, 2.0]])
    >>> bool(np.allclose(residual, [[-1, 1]]))
    True
    """
    x, y = np.asarray(inputs, dtype=np.float64), np.asarray(targets, dtype=np.float64)
    _, s, vt = np.linalg.svd(x, full_matrices=False)
    basis = vt[s > NEGLIGIBLE * s.max(initial=0.0)]  # (r, N): the row space of X
    return y - (y @ basis.T) @ basis


def commutator(inputs: ArrayLike, targets: ArrayLike) -> float:
    """Return how far Sigma_yx and Sigma_xx are from having the same right singular vectors.

    |A B - B A| / |A B| in Frobenius norms, A = Sigma_yx^T Sigma_yx and B = Sigma_xx. It is 0 if one
    V diagonalises both, which closed forms of learning assume.

    inputs: X, (n_in, N); targets: Y, (n_out, N). nan if A B is 0.

    >>> commutator(np.eye(2), np.diag([1.0, 2.0]))
    0.0
    """
    x = np.asarray(inputs, dtype=np.float64)
    yx, xx = input_output(x, targets), x @ x.T / x.shape[1]
    product = yx.T @ yx @ xx
    size = np.linalg.norm(product)
    return float(np.linalg.norm(product - product.T) / size) if size > 0 else float("nan")


def frobenius_cosine(a: ArrayLike, b: ArrayLike) -> float:
    """Return <A, B> / (|A| |B|) of two matrices of one shape, from -1 to 1. nan if one of them is
    zero.

    It takes the place of overlaps of single singular vectors, which mean nothing where singular
    values coincide. Raises ValueError for different shapes.

    >>> frobenius_cosine([[1, 0], [0, 1]], [[1, 0], [0, -1]])
    0.0
    """
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if x.shape != y.shape:
        raise ValueError(f"a has shape {x.shape} and b {y.shape}; both must have the same.")
    size = np.linalg.norm(x) * np.linalg.norm(y)
    return float(np.vdot(x, y) / size) if size > 0 else float("nan")
