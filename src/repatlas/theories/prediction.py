"""What all theories share: the start of a network, and a prediction."""

from typing import Any, NamedTuple

import numpy as np

from repatlas.geometry import alignment_of_kernels, centred_kernel
from repatlas.networks.activation import activation


class Prediction(NamedTuple):
    """What a theory predicts; None where it predicts nothing."""

    losses: np.ndarray | None = None
    """(E,): losses at the compared epochs, as fractions of the first loss"""
    alignment: np.ndarray | None = None
    """(T,): target alignment at checkpoints; nan at checkpoints without a prediction"""


class Items(NamedTuple):
    """The start of a network with one hidden layer that learns N items from full batches."""

    inputs: np.ndarray
    """X, (n_in, N)"""
    targets: np.ndarray
    """Y, (n_out, N)"""
    first: np.ndarray
    """W_1, (H, n_in)"""
    second: np.ndarray
    """W_2, (n_out, H)"""
    activation: str
    rate: float
    epochs: np.ndarray
    """(E,): the epochs at which losses are compared"""
    steps: np.ndarray
    """(T,): the epochs of checkpoints"""

    def activate(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return activity and slopes, (H, N) both, for first weights, (H, n_in)."""
        function = activation("identity" if self.activation == "linear" else self.activation)
        u = weights @ self.inputs
        return np.asarray(function.value(u)), np.asarray(function.slope(u)) * np.ones_like(u)

    @property
    def errors(self) -> np.ndarray:
        """(n_out, N): outputs minus targets, at the start."""
        return self.second @ self.activate(self.first)[0] - self.targets

    @property
    def loss(self) -> float:
        """The loss at the start, half the sum of squares."""
        return float(np.sum(self.errors**2)) / 2


class Clusters(NamedTuple):
    """The start of a network with one hidden layer and a frozen readout of one output, and the
    noisy samples that it learns in batches."""

    inputs: np.ndarray
    """(m, N) float32, of samples, with a column of ones for biases if these are trained"""
    labels: np.ndarray
    """(m,) float32"""
    centres: np.ndarray
    """(P, N) of clusters, with the same column"""
    targets: np.ndarray
    """(P, 1)"""
    first: np.ndarray
    """(H, N), with a column of biases if these are trained"""
    readout: np.ndarray
    """(H,) float32"""
    activation: str
    rate: float
    loss: float
    """The loss of the samples at the start"""
    batches: list[np.ndarray]
    """The samples of each step"""
    steps: list[int]
    """(T,): the steps of checkpoints"""

    @property
    def function(self) -> Any:
        return activation(self.activation)


def alignment(hidden: np.ndarray, targets: np.ndarray) -> float:
    """Return target alignment of (N, H) activity; 0 where the activity is constant, and infinity
    where it diverged, so that the error of such a prediction is infinite."""
    if not np.isfinite(hidden).all():
        return np.inf
    if not hidden.size:
        return 0.0
    kernel = centred_kernel(hidden)
    return alignment_of_kernels(kernel, centred_kernel(targets)) if kernel.any() else 0.0


def at_the_end(value: float, checkpoints: int) -> np.ndarray:
    """Return a prediction for the last checkpoint alone."""
    return np.append(np.full(checkpoints - 1, np.nan), value)


def with_infinity(losses: np.ndarray) -> np.ndarray:
    """Return losses with infinity instead of nan: they diverged."""
    return np.where(np.isnan(losses), np.inf, losses)
