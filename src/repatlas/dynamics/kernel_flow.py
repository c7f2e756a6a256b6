"""K-flow: gradient descent of a gated linear network, in the kernel of its weights.

Let Z = [W_1^T; W_2], ((n_in + n_out) x n_h), for a pathway with one hidden layer, and

    K = Z Z^T.

The lower left block of K is the map W_2 W_1. An epoch of full-batch gradient descent is

    K <- (I + A) K (I + A),    A = [[0, Gamma^T], [Gamma, 0]],    Gamma = -eta E G^T,

E the errors that the pathway descends and G its gated inputs. From K = Z Z^T it is gradient
descent, step by step and at any width. From the mean of random weights, kappa n_h sigma^2 I, it is
a theory of the curve, without aligned or balanced weights and without modes that share a basis. It
extends the dynamics of Saxe, Sodhani and Lewallen (2022), section 3, and is ours.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.dynamics.correlations import NEGLIGIBLE

Array = NDArray[np.float64]
Gradient = Literal["joint", "detached"]


def kernel_of(first: ArrayLike, second: ArrayLike) -> Array:
    """Return K = Z Z^T of a pathway's weights. first: W_1, (..., n_h, n_in); second: W_2, (...,
    n_out, n_h). Returns (..., n_in + n_out, n_in + n_out).

    >>> kernel_of([[1.0, 2.0]], [[3.0]])
    array([[1., 2., 3.],
           [2., 4., 6.],
           [3., 6., 9.]])
    """
    w1, w2 = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    z = np.concatenate([np.swapaxes(w1, -1, -2), w2], axis=-2)
    return z @ np.swapaxes(z, -1, -2)


def mean_kernel(mask: ArrayLike, outputs: int, variance: ArrayLike) -> Array:
    """Return the mean of K for independent random weights: `variance` on the diagonal, and 0 for
    inputs that the mask hides. mask: (P, n_in); variance: (..., P), kappa n_h sigma^2 of each
    pathway.

    >>> mean_kernel([[1, 0]], outputs=1, variance=[0.5])[0]
    array([[0.5, 0. , 0. ],
           [0. , 0. , 0. ],
           [0. , 0. , 0.5]])
    """
    shown = np.asarray(mask, dtype=np.float64)
    diagonal = np.concatenate([shown, np.ones((len(shown), outputs))], axis=1)
    diagonal = np.asarray(variance, dtype=np.float64)[..., None] * diagonal
    return diagonal[..., None] * np.eye(diagonal.shape[-1])


def output_basis(targets: ArrayLike) -> Array:
    """Return (r, n_out), orthonormal rows: the space of the targets' columns. From kernels that are
    multiples of I nothing is learned outside of it, so K may be restricted to it, exactly.

    >>> abs(output_basis([[3.0, 6.0], [4.0, 8.0]])).round(3)
    array([[0.6, 0.8]])
    """
    u, s, _ = np.linalg.svd(np.asarray(targets, dtype=np.float64), full_matrices=False)
    return u[:, s > NEGLIGIBLE * s.max(initial=0.0)].T


class KernelFlow:
    """The flow of the kernels of P pathways, of B networks at once.

    kernels: K, (B, P, n_in + n_out, n_in + n_out); gated: (B or 1, P, n_in, N), see gated_inputs;
    targets: (B or 1, n_out, N), perhaps in output_basis; rate: eta, (B,). gradient: "joint", the
    gradient of the loss, or "detached". With "detached" the first pathway, the common one, descends
    its own loss |M_1 G_1 - Y|^2 / 2, as if it were alone, and the others descend the loss of all.

    A pathway without competitors learns its target:

    >>> flow = KernelFlow(0.1 * np.eye(2)[None, None], [[[[1.0]]]], [[[2.0]]], [0.1])
    >>> losses = [float(flow.descend()[0]) for _ in range(100)]
    >>> losses[0], losses[-1] < 1e-6
    (2.0, True)
    """

    def __init__(
        self,
        kernels: ArrayLike,
        gated: ArrayLike,
        targets: ArrayLike,
        rate: ArrayLike,
        gradient: Gradient = "joint",
    ):
        self.kernels = np.array(kernels, dtype=np.float64)
        self._gated = np.asarray(gated, dtype=np.float64)
        self._targets = np.asarray(targets, dtype=np.float64)
        self._rate = np.asarray(rate, dtype=np.float64)[:, None, None]
        self._detached = gradient == "detached"
        size = self.kernels.shape[-1]
        # I + A, whose off-diagonal blocks are written again in each epoch.
        self._move = np.broadcast_to(np.eye(size), self.kernels.shape).copy()
        self._half_moved = np.empty_like(self.kernels)

    @property
    def maps(self) -> Array:
        """M, (B, P, n_out, n_in)."""
        inputs = self._gated.shape[-2]
        return self.kernels[..., inputs:, :inputs]

    def errors(self) -> tuple[Array, Array]:
        """Return E = sum_p M_p G_p - Y, (B, n_out, N), and (B,), the loss |E|^2 / 2."""
        self._outputs = self.maps @ self._gated  # (B, P, n_out, N)
        errors = self._outputs[:, 0].copy()
        for pathway in range(1, self._outputs.shape[1]):
            errors += self._outputs[:, pathway]
        errors -= self._targets
        self._errors = errors
        return errors, np.sum(np.square(errors).reshape(len(errors), -1), axis=1) / 2

    def move(self) -> None:
        """Move the kernels for one epoch, by the errors of the last call of `errors`."""
        inputs = self._gated.shape[-2]
        seen = np.swapaxes(self._gated, -1, -2)
        gamma = (-self._rate * self._errors)[:, None] @ seen  # (B, P, n_out, n_in)
        if self._detached:
            own = -self._rate * (self._outputs[:, 0] - self._targets)
            gamma[:, 0] = own @ seen[:, 0]
        self._move[..., inputs:, :inputs] = gamma
        self._move[..., :inputs, inputs:] = np.swapaxes(gamma, -1, -2)
        np.matmul(self._move, self.kernels, out=self._half_moved)
        np.matmul(self._half_moved, self._move, out=self.kernels)

    def descend(self) -> Array:
        """Descend for one epoch, and return the losses, (B,), before it."""
        _, losses = self.errors()
        self.move()
        return losses
