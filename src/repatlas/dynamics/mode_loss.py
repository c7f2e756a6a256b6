"""The loss of a sum of modes with fixed patterns, at many strengths at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.dynamics.symmetric import common_modes

Array = NDArray[np.float64]


class ModeLoss:
    """L(pi) = |sum_k pi_k A_k - Y|^2 / 2, for fixed patterns A_k.

    patterns: A, (K, n_out, N); targets: Y, (n_out, N). The modes are not expanded to outputs at
    each epoch: with an orthonormal basis of A and Y, L is a sum of K + 1 squares or fewer.

    >>> loss = ModeLoss([[[1.0, 0.0]], [[0.0, 1.0]]], [[1.0, 2.0]])
    >>> loss([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]]).round(6)
    array([2.5, 2. , 0. ])
    """

    def __init__(self, patterns: ArrayLike, targets: ArrayLike):
        y = np.asarray(targets, dtype=np.float64).ravel()
        a = np.asarray(patterns, dtype=np.float64).reshape(-1, y.size)
        # Squares of differences keep their digits near 0, where pi^T G pi - 2 b pi would not.
        self._triangle = np.linalg.qr(np.vstack([a, y]).T, mode="r")

    def __call__(self, strengths: ArrayLike) -> Array:
        """Return the loss, (...,), at the strengths of the K pathways, (..., K)."""
        pi = np.asarray(strengths, dtype=np.float64)
        with_targets = np.concatenate([pi, np.full((*pi.shape[:-1], 1), -1.0)], axis=-1)
        # Not a product of matrices: its rows would differ in bits with their number.
        errors = np.einsum("...k,jk->...j", with_targets, self._triangle)
        return np.sum(errors**2, axis=-1) / 2


def symmetric_loss(
    common: ArrayLike, context: ArrayLike, singular_values: ArrayLike, objects: int, contexts: int
) -> Array:
    """Return the loss of the symmetric contextual task, when errors of the two phases are
    orthogonal.

        L = N/2 sum_a d_a (s_a / d_a - pi_a)^2
            + (C - 1)/2 sum_a (s_a - sqrt(C / (C - 1)) pi_ctx_a)^2

    common: (..., n + C - 1), strengths of the modes of common_modes; context: (..., n - 1), of the
    object modes of each context pathway, of one or of all but one context; singular_values: (n,),
    of H, the constant mode first. It is 32 C at 0 for the tree of 8 objects, and 0 at the end.

    >>> tree = np.sqrt([15, 7, 3, 3, 1, 1, 1, 1])
    >>> float(symmetric_loss(np.zeros(10), np.zeros(7), tree, objects=8, contexts=3).round(9))
    96.0
    """
    h, c = np.asarray(singular_values, dtype=np.float64), contexts
    modes = common_modes(h, objects, c)
    first = modes.d * (modes.s / modes.d - np.asarray(common)) ** 2
    second = (h[1:] - np.sqrt(c / (c - 1)) * np.asarray(context)) ** 2
    return objects * c / 2 * first.sum(axis=-1) + (c - 1) / 2 * second.sum(axis=-1)
