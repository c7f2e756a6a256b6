"""Lazy learning: a network with one hidden layer that is linear in its weights, around their start.

Y_hat = W_2 f(W_1 X), X (n_in, N), Y (n_out, N), and f stands for any activation function. Errors
and outputs are vectors with the N items of the first output first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class Lazy(NamedTuple):
    """What lazy learning predicts at T epochs."""

    losses: Array
    """(T,): half the sum of squares"""
    errors: Array
    """(T, n_out, N): sum of the errors of all epochs before, times the rate"""


def tangent_kernel(
    inputs: ArrayLike,
    activity: ArrayLike,
    slopes: ArrayLike,
    second: ArrayLike,
    trained: tuple[bool, bool] = (True, True),
) -> Array:
    """Return the neural tangent kernel, (n_out N, n_out N).

    inputs: X, (n_in, N); activity: f(W_1 X), and slopes: f'(W_1 X), (H, N); second: W_2, (n_out,
    H); trained: whether W_1 and W_2 are trained.

    >>> tangent_kernel([[2.0]], activity=[[3.0]], slopes=[[1.0]], second=[[0.5]])
    array([[10.]])
    """
    x, h, g, w = (np.asarray(each, dtype=np.float64) for each in (inputs, activity, slopes, second))
    outputs, items = len(w), x.shape[1]
    kernel = np.zeros((outputs, items, outputs, items))
    if trained[0]:
        for number in range(outputs):
            weighted = (w * w[number])[:, :, None] * g  # (n_out, H, N)
            kernel[:, :, number] = (weighted.transpose(0, 2, 1) @ g) * (x.T @ x)
    if trained[1]:
        for number in range(outputs):
            kernel[number, :, number] += h.T @ h
    return kernel.reshape(outputs * items, outputs * items)


def lazy_learning(
    kernel: ArrayLike, outputs: ArrayLike, targets: ArrayLike, rate: float, epochs: ArrayLike
) -> Lazy:
    """Return what full-batch gradient descent on half the sum of squares does with a fixed kernel.

        errors(t) = (1 - eta K)^t errors(0)

    kernel: K, as from tangent_kernel; outputs: Y_hat at the start, and targets: (n_out, N); rate:
    eta; epochs: (T,). Where eta K has an eigenvalue above 2, losses grow without end.

    >>> lazy_learning([[1.0]], [[0.0]], [[2.0]], rate=0.5, epochs=[0, 1]).losses
    array([2. , 0.5])
    """
    values, vectors = np.linalg.eigh(np.asarray(kernel, dtype=np.float64))
    start = np.asarray(outputs, dtype=np.float64) - np.asarray(targets, dtype=np.float64)
    t = np.asarray(epochs, dtype=np.float64)[:, None]
    factors = 1 - rate * np.maximum(values, 0.0)
    left = factors**t
    still = np.abs(1 - factors) < 1e-14
    summed = np.where(still, rate * t, rate * (1 - left) / np.where(still, 1.0, 1 - factors))
    modes = vectors.T @ start.ravel()
    errors = (summed * modes) @ vectors.T
    return Lazy(((left * modes) ** 2).sum(axis=1) / 2, errors.reshape(-1, *start.shape))


def lazy_activity(
    inputs: ArrayLike, activity: ArrayLike, slopes: ArrayLike, second: ArrayLike, errors: ArrayLike
) -> Array:
    """Return the hidden activity, (H, N), to first order in the change of W_1.

    The arguments are as in tangent_kernel. errors: (n_out, N), as `Lazy.errors` at one epoch.

    >>> lazy_activity([[2.0]], [[3.0]], [[1.0]], [[0.5]], errors=[[-1.0]])
    array([[5.]])
    """
    x, h, g, w, e = (
        np.asarray(each, dtype=np.float64) for each in (inputs, activity, slopes, second, errors)
    )
    return h - g * ((((w.T @ e) * g) @ x.T) @ x)
