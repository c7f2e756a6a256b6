"""The training of one network with a drawn function: gradients by hand, in one compiled loop.

The function is a vector of numbers, so numba compiles the loop once for all functions. Without
numba, numpy takes the same steps in three times the time.

For weights W (N, H), biases b (H,), the frozen readout J (H, 1) and a batch X (B, N):

    U = X W + b,  Z = f(U) J,  E = (sigmoid(Z) - Y) / B,  D = (E J^T) * f'(U)
    dloss/dW = X^T D,  dloss/db = 1^T D
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from repatlas.compiling.machine_code import machine_code
from repatlas.networks.drawn import BENDS, Shape


def steps_taken_by(compiled: bool) -> Callable[..., int]:
    """Return the function that takes steps of training: compiled, or with numpy."""
    return _compiled() if compiled else descend_with_numpy


@cache
def _compiled() -> Callable[..., int]:
    from numba import float32, float64, int32, int64

    vector, matrix = float32[::1], float32[:, ::1]
    signature = int64(
        *(matrix, vector, matrix, vector),
        *(matrix, int64[::1], matrix, vector, float64, float64, int32[:, ::1]),
    )
    return machine_code(descend, signature, fastmath={"contract"})


def descend(
    weights, bias, readout, numbers, noise, conditions, centres, labels, deviation, rate, order
):
    """Take a step of training for each row of `order`, (steps, B), the samples of a batch. Return
    the number of the first step, from 0, with an output that is not finite; -1 if there is none.

    Side effects: changes weights (N, H) and bias (H,). readout: (H, 1); numbers: of the function;
    noise: (samples, N); conditions: (samples,); centres: (P, N); labels: (P,).
    """
    inputs, width = weights.shape
    batch = order.shape[1]
    real = weights.dtype.type
    x, u = np.empty((batch, inputs), real), np.empty((batch, width), real)
    slope, z = np.empty((batch, width), real), np.empty((batch, 1), real)
    changes = np.empty((inputs, width), real)
    one, share = real(1), real(1 / batch)
    deviation, rate = real(deviation), real(rate)
    offset, line, constant, square = numbers[0], numbers[1], numbers[2], numbers[3]
    first, second, third = numbers[4], numbers[5], numbers[6]
    half1, half2, half3 = numbers[7], numbers[8], numbers[9]
    bad = -1
    for number in range(len(order)):
        for i in range(batch):
            sample = order[number, i]
            row, centre, around = x[i], centres[conditions[sample]], noise[sample]
            for j in range(inputs):
                row[j] = around[j] * deviation + centre[j]
        np.dot(x, weights, u)
        for i in range(batch):
            for j in range(width):
                v = u[i, j] + bias[j] + offset
                p, q, r = v - first, v - second, v - third
                # The slope of a bend is p / root, and its value is square of root / root.
                p2, q2, r2 = p * p + square, q * q + square, r * r + square
                p1, q1, r1 = one / np.sqrt(p2), one / np.sqrt(q2), one / np.sqrt(r2)
                u[i, j] = (
                    line * v + constant + half1 * (p2 * p1) + half2 * (q2 * q1) + half3 * (r2 * r1)
                )
                slope[i, j] = line + half1 * (p * p1) + half2 * (q * q1) + half3 * (r * r1)
        np.dot(u, readout, z)
        for i in range(batch):
            if not np.isfinite(z[i, 0]) and bad < 0:
                bad = number
            error = one / (one + np.exp(-z[i, 0])) - labels[conditions[order[number, i]]]
            z[i, 0] = error * share
        for i in range(batch):
            for j in range(width):
                slope[i, j] *= z[i, 0] * readout[j, 0]
        np.dot(x.T, slope, changes)
        for i in range(inputs):
            for j in range(width):
                weights[i, j] -= rate * changes[i, j]
        for i in range(batch):
            for j in range(width):
                bias[j] -= rate * slope[i, j]
    return bad


def descend_with_numpy(
    weights, bias, readout, numbers, noise, conditions, centres, labels, deviation, rate, order
) -> int:
    """Take the steps of `descend`, without numba."""
    places, halves = numbers[4 : 4 + BENDS], numbers[4 + BENDS :]
    function = Shape(*numbers[:4], tuple(places), tuple(halves))
    bad = -1
    for number, samples in enumerate(order):
        condition = conditions[samples]
        x = noise[samples] * weights.dtype.type(deviation) + centres[condition]
        u = x @ weights + bias
        z = function.value(u) @ readout
        if not np.isfinite(z).all() and bad < 0:
            bad = number
        with np.errstate(over="ignore"):
            error = (1 / (1 + np.exp(-z)) - labels[condition][:, None]) / weights.dtype.type(len(x))
        back = (error @ readout.T) * function.slope(u)
        weights -= weights.dtype.type(rate) * (x.T @ back)
        bias -= weights.dtype.type(rate) * back.sum(axis=0)
    return bad
