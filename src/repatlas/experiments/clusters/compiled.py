"""The engine for one core: one network at a time, all its steps in one compiled loop.

It does what engine.py does with torch, with the same gradients by hand. A network and its batch
stay in the cache of the core, and nothing is called from Python between two products of matrices. A
network has the same bits whatever other networks are in the block, because it shares no memory and
no operation with them.

All parameters of a network are one vector, layer by layer: weights (n, m) for n inputs and m
outputs of the layer, then biases (m,). The readout is the last layer. Activity is another vector,
layer by layer (batch, n).
"""

from functools import cache
from typing import Any

import numpy as np
import scipy.linalg  # noqa: F401  (its BLAS, which numba calls, is limited to a thread once loaded)
from numba import config, from_dtype, types
from numba.extending import register_jitable
from threadpoolctl import threadpool_limits

from repatlas.compiling.machine_code import machine_code
from repatlas.experiments.clusters.engine import LOW_EPOCHS, Block, Trained
from repatlas.experiments.clusters.training import Training, batches
from repatlas.networks.activation import activation as activation_of

if config.DISABLE_JIT:
    raise ImportError("numba is told to compile nothing")

MEAN, SQUARE, TINY = 0.9, 0.999, 1e-8
"""Adam's betas and epsilon"""


def train(
    block: Block,
    activation: str,
    trained: list[str],
    training: Training,
    seed: int,
    steps: list[int],
    start: int = 0,
) -> Trained:
    """Train as `train` of engine.py does, for an activation that has loops."""
    with threadpool_limits(limits=1, user_api="blas"):
        return _train(block, activation, trained, training, seed, steps, start)


def _train(block, activation, trained, training, seed, steps, start) -> Trained:
    order = np.array(list(batches(seed, training, steps[-1], start)), np.int32)
    order = order.reshape(-1, training.batch)
    checkpoints, states, ends = [], [], []
    for run in range(len(block.centres)):
        network = _Network(block, run, activation, trained, training, order, start)
        checkpoints.append(_stacked(network.train(steps)))
        states.append(network.state())
        ends.append((network.diverged, network.converged))
    return Trained(_stacked(checkpoints), _stacked(states), *np.array(ends).T)


class _Network:
    """One network of a block in training."""

    def __init__(
        self,
        block: Block,
        run: int,
        activation: str,
        trained: list[str],
        training: Training,
        order: np.ndarray,
        start: int,
    ):
        self.training, self.trained, self.order = training, trained, order
        self.step = self.start = start
        self.diverged = self.converged = -1
        first = block.parameters["weights1"]
        depth = sum(name.startswith("weights") for name in block.parameters)
        width, inputs = first.shape[-2:]
        outputs, dtype = block.labels.shape[2], block.noise.dtype
        sizes = np.array([inputs, *[width] * depth, outputs])
        names = [f"{kind}{n}" for n in range(1, depth + 1) for kind in ("weights", "bias")]
        self.places: dict[str, tuple[slice, tuple[int, ...]]] = {}
        end = 0
        for number, name in enumerate([*names, "readout", "output_bias"]):
            n, m = sizes[number // 2 : number // 2 + 2]
            shape = (m,) if "bias" in name else (n, m)
            begin, end = end, end + int(np.prod(shape))
            self.places[name] = slice(begin, end), shape

        self.value, self.mean, self.square = (np.zeros(end, dtype) for _ in range(3))
        for name, array in block.parameters.items():
            own = array if array.ndim == len(self.places[name][1]) else array[run]
            self._view(self.value, name)[:] = own
        for name, array in block.state.items():
            kind, _, parameter = name.partition("/")
            if parameter:
                self._view(getattr(self, kind), parameter)[:] = array[run]
        before = block.state.get("epoch_loss"), block.state.get("low_epochs")
        self.epoch_loss, self.low_epochs = np.zeros(1), 0
        if before[0] is not None:
            self.epoch_loss[0], self.low_epochs = before[0][run], int(before[1][run])

        self._descend = _compiled(activation, dtype)
        self._arguments = (
            self.value,
            np.zeros_like(self.value),
            self.mean,
            self.square,
            sizes,
            np.array([name in trained for name in self.places]),
            np.empty(training.batch * int(sizes.sum()), dtype),
            np.empty((2, training.batch * width), dtype),
            np.ascontiguousarray(block.noise),
            np.ascontiguousarray(block.conditions, np.int64),
            np.ascontiguousarray(block.centres[run], dtype),
            np.ascontiguousarray(block.labels[run], dtype),
            float(block.deviations[run]),
            block.rectified,
            training.learning_rate,
            training.optimiser == "adam",
            training.errors == "equal",
            training.stop_below is not None,
            self.epoch_loss,
        )

    def train(self, steps: list[int]) -> list[dict[str, np.ndarray]]:
        """Train to the last of these steps; return what is trained at each."""
        checkpoints = []
        self._stop_low()
        for stop in steps:
            while self.step < stop and self.converged < 0:
                self._train_until(stop)
            checkpoints.append({name: self._view(self.value, name).copy() for name in self.trained})
        return checkpoints

    def _train_until(self, stop: int) -> None:
        """Train to this step, or to the end of the epoch if that is earlier and ends training."""
        step, epoch = self.step, self.training.epoch
        if self.training.stop_below is not None:
            stop = min(stop, (step // epoch + 1) * epoch)
        bad = self._descend(
            *self._arguments, self.order[step - self.start : stop - self.start], step
        )
        if bad >= 0 and self.diverged < 0:
            self.diverged = step + bad + 1
        self.step = stop
        if self.training.stop_below is not None and stop % epoch == 0:
            low = self.epoch_loss[0] / epoch < self.training.stop_below
            self.low_epochs = self.low_epochs + 1 if low else 0
            self.epoch_loss[0] = 0
            self._stop_low()

    def _stop_low(self) -> None:
        if self.training.stop_below is not None and self.low_epochs >= LOW_EPOCHS:
            self.converged = self.step

    def state(self) -> dict[str, np.ndarray]:
        state = {}
        if self.training.optimiser == "adam":
            moments = {"mean": self.mean, "square": self.square}
            state = {
                f"{kind}/{name}": self._view(moment, name).copy()
                for kind, moment in moments.items()
                for name in self.trained
            }
        if self.training.stop_below is not None:
            state["epoch_loss"] = self.epoch_loss[0].copy()
            state["low_epochs"] = np.int32(self.low_epochs)
        return state

    def _view(self, vector: np.ndarray, name: str) -> np.ndarray:
        """Return a parameter within a vector of all, in the shape that networks.mlp gives it."""
        place, shape = self.places[name]
        return vector[place].reshape(shape).T


def _stacked(arrays: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.stack([each[name] for each in arrays]) for name in arrays[0]}


@cache
def _compiled(activation: str, dtype: np.dtype) -> Any:
    """Return descend for an activation, without its last two parameters."""
    loops = activation_of(activation).loops
    number = from_dtype(np.dtype(dtype))
    vector, matrix = number[::1], number[:, ::1]
    kinds = types.void(vector), types.void(vector, vector)
    signature = types.int64(
        *[vector] * 4,
        types.int64[::1],
        types.boolean[::1],
        *(vector, matrix),
        *(matrix, types.int64[::1], matrix, matrix),
        *(types.float64, types.boolean),
        *(types.float64, types.boolean, types.boolean, types.boolean, types.float64[::1]),
        *(types.int32[:, ::1], types.int64),
        *map(types.FunctionType, kinds),
    )
    fast = {"fastmath": {"contract"}}
    forward, backward = (
        machine_code(loop, kind, **fast) for loop, kind in zip(loops, kinds, strict=True)
    )
    compiled = machine_code(descend, signature, **fast)
    return lambda *arguments: compiled(*arguments, forward, backward)


def descend(
    value, gradient, mean, square, sizes, trained, activity, errors,
    noise, conditions, centres, labels, deviation, rectified,
    rate, adam, equal, loses, epoch_loss, order, step, forward, backward,
):  # fmt: skip
    """Take a step of training for each row of `order`, the samples of a batch. Return the number of
    the first step, from 0, with an output that is not finite; -1 if there is none.

    value, gradient and Adam's mean and square: all parameters; sizes: the units of the inputs, of
    each hidden layer, and the outputs; trained: for each layer its weights and its biases;
    activity, errors: memory for all layers, and for two; loses: whether to add the mean loss of
    each batch to epoch_loss, (1,); step: the steps before the first; forward, backward: loops of
    the activation.
    """
    batch, layers = order.shape[1], len(sizes) - 1
    bad = -1
    for number in range(len(order)):
        samples = order[number]
        x = activity[: batch * sizes[0]].reshape(batch, sizes[0])
        _put_together(x, samples, noise, conditions, centres, deviation, rectified)

        start = place = 0
        for layer in range(layers):
            n, m = sizes[layer], sizes[layer + 1]
            after = place + batch * n
            u = activity[after : after + batch * m].reshape(batch, m)
            weights = value[start : start + n * m].reshape(n, m)
            np.dot(activity[place:after].reshape(batch, n), weights, u)
            _add_to_rows(u, value[start + n * m : start + (n + 1) * m])
            if layer < layers - 1:
                forward(activity[after : after + batch * m])
                start, place = start + (n + 1) * m, after

        # u has the outputs, and then their errors.
        loss, finite = _errors(u, samples, conditions, labels, equal, loses)
        epoch_loss[0] += loss / batch
        if not finite and bad < 0:
            bad = number

        for layer in range(layers - 1, -1, -1):
            n, m = sizes[layer], sizes[layer + 1]
            below = activity[place : place + batch * n]
            if trained[2 * layer]:
                changes = gradient[start : start + n * m].reshape(n, m)
                np.dot(below.reshape(batch, n).T, u, changes)
            if trained[2 * layer + 1]:
                _sum_rows(u, gradient[start + n * m : start + (n + 1) * m])
            if layer:
                weights = value[start : start + n * m].reshape(n, m)
                error = errors[layer % 2, : batch * n]
                np.dot(u, weights.T, error.reshape(batch, n))
                backward(error, below)
                u = error.reshape(batch, n)
                start -= (sizes[layer - 1] + 1) * n
                place -= batch * sizes[layer - 1]

        start = 0
        for layer in range(layers):
            n, m = sizes[layer], sizes[layer + 1]
            for kind, length in enumerate((n * m, m)):
                part = slice(start, start + length)
                if trained[2 * layer + kind] and adam:
                    _take_step_of_adam(
                        value[part], gradient[part], mean[part], square[part], rate,
                        step + number + 1,
                    )  # fmt: skip
                elif trained[2 * layer + kind]:
                    _take_step(value[part], gradient[part], rate)
                start += length
    return bad


@register_jitable
def _put_together(x, samples, noise, conditions, centres, deviation, rectified):
    """Write the inputs of a batch into x: (batch, N)."""
    batch, inputs = x.shape
    deviation, zero = x.dtype.type(deviation), x.dtype.type(0)
    for i in range(batch):
        row, centre, around = x[i], centres[conditions[samples[i]]], noise[samples[i]]
        for j in range(inputs):
            row[j] = around[j] * deviation + centre[j]
        if rectified:
            for j in range(inputs):
                row[j] = max(row[j], zero)


@register_jitable
def _add_to_rows(u, bias):
    batch, units = u.shape
    for i in range(batch):
        for j in range(units):
            u[i, j] += bias[j]


@register_jitable
def _sum_rows(u, sums):
    batch, units = u.shape
    sums[:] = 0
    for i in range(batch):
        for j in range(units):
            sums[j] += u[i, j]


@register_jitable
def _errors(u, samples, conditions, labels, equal, loses):
    """Replace outputs u, (batch, K), by their errors. Return the loss of the batch, if it counts,
    and whether all outputs were finite."""
    batch, outputs = u.shape
    one, half, zero = u.dtype.type(1), u.dtype.type(0.5), u.dtype.type(0)
    share = u.dtype.type(1 / batch)
    loss, finite = 0.0, True
    for i in range(batch):
        y = labels[conditions[samples[i]]]
        for k in range(outputs):
            z = u[i, k]
            finite = finite and np.isfinite(z)
            if loses:
                loss += max(z, zero) - z * y[k] + np.log1p(np.exp(-abs(z)))
            probability = half if equal else one / (one + np.exp(-z))
            u[i, k] = (probability - y[k]) * share
    return loss, finite


@register_jitable
def _take_step(value, gradient, rate):
    rate = value.dtype.type(rate)
    for p in range(len(value)):
        value[p] -= rate * gradient[p]


@register_jitable
def _take_step_of_adam(value, gradient, mean, square, rate, step):
    real = value.dtype.type
    one_less_mean, one_less_square, kept = real(1 - MEAN), real(1 - SQUARE), real(SQUARE)
    rate = real(rate / (1 - MEAN**step))
    root, tiny = real(np.sqrt(1 - SQUARE**step)), real(TINY)
    for p in range(len(value)):
        g = gradient[p]
        first = mean[p] + one_less_mean * (g - mean[p])
        second = kept * square[p] + one_less_square * g * g
        mean[p] = first
        square[p] = second
        value[p] -= rate * first / (np.sqrt(second) / root + tiny)
