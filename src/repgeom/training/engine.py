"""The training engine: many networks of one shape as one batched program, gradients by hand.

For run g with weights W (H, N), bias b (H,) and frozen readout J (K, H), on a batch X (B, N):

    U = W X^T + b,  A = f(U),  Z = J A,  E = sigmoid(Z) - Y          (H, B) and (K, B)
    dL/dU = (J^T E) * f'(U)          since dL/dZ = E for the binary cross-entropy
    W -= rate/B * dL/dU X,  b -= rate/B * sum over the batch of dL/dU

with the loss summed over the K outputs and averaged over the batch. A leading axis over the runs
makes each line one batched operation. The readout is padded with zero rows to a multiple of 8:
the products then take the same path for one run as for many, and a run gets the same bits whatever
runs beside it. One thread, for the same reason: parallelism comes from processes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import torch

from repgeom.networks.activations import ACTIVATIONS
from repgeom.training.data import Training, batches

OUTPUTS_MULTIPLE = 8


class Block(NamedTuple):
    """G runs of one seed that share activation, training and initial values.

    Arrays are numpy, in the precision to train in (float32 in the workflow).
    """

    centres: np.ndarray
    """(G, P, N)"""
    labels: np.ndarray
    """(G, P, K) of 0 and 1"""
    deviations: np.ndarray
    """(G,): standard deviation of the training noise"""
    weights: np.ndarray
    """(H, N), or (G, H, N) where they differ: those to start from"""
    bias: np.ndarray
    """(H,) or (G, H)"""
    readout: np.ndarray
    """(K, H): frozen"""
    conditions: np.ndarray
    """(samples,): cluster of each sample"""
    noise: np.ndarray
    """(samples, N): standard normal"""


class Trained(NamedTuple):
    weights: np.ndarray
    """(G, T, H, N): at each of the T checkpoints"""
    bias: np.ndarray
    """(G, T, H)"""
    diverged: np.ndarray
    """(G,): the first step that found a non-finite output or weight; -1 if none did"""


def train(
    block: Block,
    activation: str,
    training: Training,
    seed: int,
    steps: list[int],
    train_bias: bool = True,
    device: str = "cpu",
    start: int = 0,
) -> Trained:
    """Train a block from step `start` to steps[-1]; return it as it was after each of `steps`.

    Step t uses batch t: a checkpoint at t has seen batches 0 .. t-1. Training that is interrupted
    at any step and goes on from its weights there ends with the same bits.
    """
    with one_thread(), torch.inference_mode():
        return _train(
            block, activation, training, seed, steps, train_bias, torch.device(device), start
        )


def _train(block, activation, training, seed, steps, train_bias, device, start) -> Trained:
    def tensor(array):
        return torch.from_numpy(np.ascontiguousarray(array)).to(device)

    runs, (width, inputs), batch = len(block.centres), block.weights.shape[-2:], training.batch
    forward_, backward_ = ACTIVATIONS[activation].forward_, ACTIVATIONS[activation].backward_
    centres, conditions, noise = map(tensor, (block.centres, block.conditions, block.noise))
    deviations = tensor(block.deviations)[:, None, None]
    labels = tensor(_pad(block.labels, axis=2)).transpose(1, 2).contiguous()  # (G, K, P)
    readout = tensor(_pad(block.readout, axis=0)).expand(runs, -1, -1)  # (G, K, H)
    # Copies, since they are trained in place.
    weights = tensor(np.array(np.broadcast_to(block.weights, (runs, width, inputs))))
    bias = tensor(np.array(np.broadcast_to(block.bias, (runs, width)))).unsqueeze(2)  # (G, H, 1)

    x = torch.empty(runs, batch, inputs, dtype=weights.dtype, device=device)
    hidden = torch.empty(runs, width, batch, dtype=weights.dtype, device=device)
    gradient = torch.empty_like(hidden)
    output = torch.empty(runs, readout.shape[1], batch, dtype=weights.dtype, device=device)
    # The largest output of each step: not finite from the step on at which a run diverges.
    largest = torch.zeros(steps[-1] - start, runs, dtype=weights.dtype, device=device)

    stored_weights, stored_bias = [], []
    rate = training.learning_rate / batch
    order = batches(seed, training, steps[-1], start)
    for step in range(start, steps[-1] + 1):
        if step == steps[len(stored_weights)]:
            stored_weights.append(weights.cpu().clone())
            stored_bias.append(bias.squeeze(2).cpu().clone())
            if step == steps[-1]:
                break
        samples = tensor(next(order))
        condition = conditions.index_select(0, samples)
        torch.mul(noise.index_select(0, samples), deviations, out=x)
        x.add_(centres.index_select(1, condition))
        torch.baddbmm(bias, weights, x.transpose(1, 2), out=hidden)
        forward_(hidden)
        torch.bmm(readout, hidden, out=output)
        torch.amax(output.abs(), dim=(1, 2), out=largest[step - start])
        error = output.sigmoid_().sub_(labels.index_select(2, condition))
        torch.bmm(readout.transpose(1, 2), error, out=gradient)
        backward_(gradient, hidden)
        weights.baddbmm_(gradient, x, alpha=-rate)
        if train_bias:
            bias.sub_(gradient.sum(dim=2, keepdim=True), alpha=rate)

    all_weights = torch.stack(stored_weights, dim=1).numpy()
    all_bias = torch.stack(stored_bias, dim=1).numpy()
    return Trained(all_weights, all_bias, _divergence(largest, all_weights, steps, start))


def _pad(array: np.ndarray, axis: int) -> np.ndarray:
    widths = [(0, 0)] * array.ndim
    widths[axis] = (0, -array.shape[axis] % OUTPUTS_MULTIPLE)
    return np.pad(array, widths)


def _divergence(largest, weights: np.ndarray, steps: list[int], start: int) -> np.ndarray:
    """(G,): outputs are looked at in every step, weights at the checkpoints: a tanh network with
    infinite weights still has finite outputs."""
    bad_outputs = ~np.isfinite(largest.cpu().numpy())  # (steps, G)
    bad_weights = ~np.isfinite(weights).all(axis=(2, 3))  # (G, T)
    found = [
        min([*(start + np.flatnonzero(outputs)), *np.array(steps)[at_checkpoint]], default=-1)
        for outputs, at_checkpoint in zip(bad_outputs.T, bad_weights, strict=True)
    ]
    return np.array(found, dtype=np.int64)


@contextmanager
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
