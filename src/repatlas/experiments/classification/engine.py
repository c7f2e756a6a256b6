"""Multilayer perceptrons that learn the same images, as one batched program, gradients by hand.

Run g has weights W_l (H, N or H), biases b_l (H,) and a readout J (K, H) with bias c (K,). A batch
is X (B, N) with one-hot labels Y (K, B):

    A_0 = X^T,  U_l = W_l A_(l-1) + b_l,  A_l = f(U_l)                  (H, B), l = 1 .. L
    Z = J A_L + c,  E = (softmax(Z) - Y) / B                            (K, B)
    D_L = (J^T E) * f'(U_L),  D_l = (W_(l+1)^T D_(l+1)) * f'(U_l)       since dloss/dZ = E
    dloss/dW_l = D_l A_(l-1)^T,  dloss/db_l = D_l 1,  dloss/dJ = E A_L^T,  dloss/dc = E 1

for the cross-entropy, averaged over the batch. Nothing is computed below the lowest layer that is
still trained. A leading axis over the runs makes each line one batched operation.

A run has the same bits whatever other runs are in the block, for three reasons. Outputs are padded
to a multiple of 8, so products take the same path for one run as for many. The added rows have a
bias of minus infinity, so their softmax is 0. A batch is filled with images whose errors are set
to 0.
Parameters are in one array, padded with zeros, so that no two runs share a vector of the processor.
For the same reason there is one thread.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch

from repatlas.experiments.classification.training import NamingTraining, batches, freezing
from repatlas.images.content import CLASSES
from repatlas.networks.activation import activation as activation_of

OUTPUTS = -(-CLASSES // 8) * 8
VECTOR = 16
"""Numbers that the processor works on together, at most."""
SCORED = 4096
"""Images whose losses are computed together."""
MEAN, SQUARE, TINY = 0.9, 0.999, 1e-8
"""Adam's betas, and what keeps it from dividing by 0 (Kingma and Ba 2015, algorithm 1)."""
CURVES = ("loss", "training accuracy", "test accuracy")
"""What is recorded at the end of each pass, of all images."""


class Block(NamedTuple):
    """G runs of one seed with the same images, network and training, in the precision in which they
    must be trained (float32 in the workflow)."""

    inputs: np.ndarray
    """(n, N)"""
    labels: np.ndarray
    """(G, n): those to learn"""
    test_inputs: np.ndarray
    """(m, N)"""
    test_labels: np.ndarray
    """(m,)"""
    parameters: dict[str, np.ndarray]
    """(G, ...): to start from, as networks.mlp names them"""
    state: dict[str, np.ndarray] = {}  # noqa: RUF012  (never changed)
    """(G, ...): the other state that training continues from, as it was left at `start`; nothing at
    step 0"""


class Trained(NamedTuple):
    parameters: dict[str, np.ndarray]
    """(G, T, ...): at each of the T checkpoints"""
    state: dict[str, np.ndarray]
    """(G, ...): the other state that training can continue from at the last checkpoint"""
    passed: np.ndarray
    """(t,): the steps at which passes ended after `start`, and step 0 where training begins"""
    curves: dict[str, np.ndarray]
    """(G, t): loss and accuracies at these steps, float64"""
    diverged: np.ndarray
    """(G,): the step after the first batch with a non-finite output; -1 if none had one"""


def train(
    block: Block,
    activation: str,
    training: NamingTraining,
    seed: int,
    steps: list[int],
    device: str = "cpu",
    start: int = 0,
) -> Trained:
    """Train a block from step `start` to steps[-1]; return it as it was after each of `steps`.

    Step t uses batch t: a checkpoint at t has seen batches 0 .. t-1. Training that is interrupted
    at any step and continues from its parameters and state there ends with the same bits.
    """
    with one_thread(), torch.no_grad():
        return _train(block, activation, training, seed, steps, torch.device(device), start)


def _train(block, activation, training, seed, steps, device, start) -> Trained:
    networks = _Networks(block, activation, training, device, start)
    images = len(block.inputs)
    each = images // training.batch
    freezes = freezing(training, networks.depth + 1, each)
    stored: list[dict[str, np.ndarray]] = []
    passed, scores = [], []
    largest = torch.zeros(steps[-1] - start, len(block.labels), device=device)
    order = batches(seed, images, training.batch, steps[-1], start)
    for step in range(start, steps[-1] + 1):
        if step % each == 0 and (step > start or step == 0):
            passed.append(step)
            scores.append(networks.scores())
        if step == steps[len(stored)]:
            stored.append(networks.parameters())
        if step < steps[-1]:
            frozen = sum(step >= first for first in freezes)
            largest[step - start] = networks.step(next(order), frozen)
    bad = ~np.isfinite(largest.cpu().numpy()).T  # (G, steps)
    return Trained(
        {name: np.stack([each[name] for each in stored], axis=1) for name in stored[0]},
        networks.state(),
        np.array(passed, np.int64),
        {
            name: np.array([each[name] for each in scores]).reshape(-1, len(bad)).T
            for name in CURVES
        },
        np.array([start + run.argmax() + 1 if run.any() else -1 for run in bad]),
    )


class _Networks:
    """The tensors of a block; all but the inputs have a leading axis over the runs."""

    def __init__(self, block: Block, activation: str, training: NamingTraining, device, start):
        def tensor(array):
            return torch.from_numpy(np.ascontiguousarray(array)).to(device)

        self.activation, self.training, self.device = activation_of(activation), training, device
        self.runs, self.step_number = len(block.labels), start
        self.depth = sum(name.startswith("weights") for name in block.parameters)
        self.inputs, self.labels = tensor(block.inputs), tensor(block.labels)
        targets = torch.nn.functional.one_hot(self.labels, OUTPUTS).to(self.inputs.dtype)
        self.targets = targets.transpose(1, 2).contiguous()  # (G, K, n)
        self.test_inputs = tensor(block.test_inputs)
        self.test_labels = tensor(block.test_labels).expand(self.runs, -1)

        self.names = [(f"weights{n}", f"bias{n}") for n in range(1, self.depth + 1)]
        self.names.append(("readout", "output_bias"))
        self.starts = self._starts(block.parameters)
        kinds = ("value", "gradient", "mean", "square")
        self.flat = {kind: self.inputs.new_zeros(self.starts[-1]) for kind in kinds}
        self.views = {kind: self._views(self.flat[kind], block.parameters) for kind in self.flat}
        self.views["value"]["output_bias"][:, CLASSES:] = -torch.inf
        for name, values in block.parameters.items():
            self._unpadded("value", name).copy_(tensor(values))
            for kind in ("mean", "square"):
                if f"{kind}/{name}" in block.state:
                    self._unpadded(kind, name).copy_(tensor(block.state[f"{kind}/{name}"]))
        self._make_buffers()

    def _shape(self, name: str, parameters: dict[str, np.ndarray]) -> tuple[int, ...]:
        """Return the shape of a parameter of all runs, with padded outputs. A bias is a column."""
        _, *shape = parameters[name].shape
        if name in ("readout", "output_bias"):
            shape[0] = OUTPUTS
        return (self.runs, *shape) if len(shape) > 1 else (self.runs, *shape, 1)

    def _starts(self, parameters: dict[str, np.ndarray]) -> list[int]:
        """Return (L + 2,): where the parameters of each layer begin, and where the last ones
        end."""
        starts = [0]
        for layer in self.names:
            end = starts[-1]
            for name in layer:
                end += _padded(int(np.prod(self._shape(name, parameters))))
            starts.append(end)
        return starts

    def _views(self, flat: torch.Tensor, parameters: dict[str, np.ndarray]) -> dict[str, Any]:
        views, place = {}, 0
        for name in (name for layer in self.names for name in layer):
            shape = self._shape(name, parameters)
            views[name] = flat[place : place + int(np.prod(shape))].view(shape)
            place += _padded(views[name].numel())
        return views

    def _unpadded(self, kind: str, name: str) -> torch.Tensor:
        """Return a view of a parameter, or of a moment of it, without padding."""
        view = self.views[kind][name]
        if name in ("readout", "output_bias"):
            view = view[:, :CLASSES]
        return view.squeeze(2) if "bias" in name else view

    def _make_buffers(self) -> None:
        empty, batch = self.inputs.new_empty, _padded(self.training.batch)
        width = self.views["value"]["readout"].shape[2]
        self.hidden = [empty(self.runs, width, batch) for _ in range(self.depth)]
        self.before = [
            empty(self.runs, width, batch) if self.activation.needs_input else hidden
            for hidden in self.hidden
        ]
        self.gradient, self.below = empty(self.runs, width, batch), empty(self.runs, width, batch)
        self.output = empty(self.runs, OUTPUTS, batch)
        self.descent = torch.empty_like(self.flat["value"])

    def step(self, chosen: np.ndarray, frozen: int) -> torch.Tensor:
        """Train for one step on these images (B,), without changing the given number of frozen
        layers. Return the largest size of an output before the softmax, (G,)."""
        batch = len(chosen)
        chosen = torch.from_numpy(np.resize(chosen, _padded(batch))).to(self.device)
        values, gradients = self.views["value"], self.views["gradient"]
        inputs = self.inputs.index_select(0, chosen).t().expand(self.runs, -1, -1)
        activity = [inputs, *self.hidden]
        for layer in range(self.depth):
            weights, bias = (values[name] for name in self.names[layer])
            torch.baddbmm(bias, weights, activity[layer], out=self.before[layer])
            self.activation.forward(self.before[layer], self.hidden[layer])
        weights, bias = values["readout"], values["output_bias"]
        torch.baddbmm(bias, weights, activity[-1], out=self.output)
        largest = self.output[:, :CLASSES, :batch].abs().amax(dim=(1, 2))

        error = torch.softmax(self.output, dim=1)
        error.sub_(self.targets.index_select(2, chosen)).mul_(1 / batch)
        error[:, :, batch:] = 0
        for layer in range(self.depth, frozen - 1, -1):
            weights, bias = self.names[layer]
            torch.bmm(error, activity[layer].transpose(1, 2), out=gradients[weights])
            torch.sum(error, dim=2, keepdim=True, out=gradients[bias])
            if layer > frozen:
                torch.bmm(values[weights].transpose(1, 2), error, out=self.gradient)
                self.activation.backward_(self.gradient, self.before[layer - 1], activity[layer])
                error, self.gradient, self.below = self.gradient, self.below, self.gradient
        self.step_number += 1
        self._descend(slice(self.starts[frozen], None))
        return largest

    def _descend(self, trained: slice) -> None:
        """Take one step of Adam with these parameters."""
        value, gradient, mean, square, descent = (
            array[trained] for array in (*self.flat.values(), self.descent)
        )
        mean.lerp_(gradient, 1 - MEAN)
        square.mul_(SQUARE).addcmul_(gradient, gradient, value=1 - SQUARE)
        torch.sqrt(square, out=descent)
        descent.mul_((1 - SQUARE**self.step_number) ** -0.5).add_(TINY)
        rate = self.training.learning_rate / (1 - MEAN**self.step_number)
        value.addcdiv_(mean, descent, value=-rate)

    def scores(self) -> dict[str, list[float]]:
        """Return the loss and the accuracy of each run, with its current parameters."""
        loss, training = self._of(self.inputs, self.labels)
        _, test = self._of(self.test_inputs, self.test_labels)
        return dict(zip(CURVES, (loss, training, test), strict=True))

    def _of(self, inputs: torch.Tensor, labels: torch.Tensor) -> tuple[list, list]:
        """Return the mean cross-entropy and the accuracy of each run on these images."""
        losses, hits = [], []
        for first in range(0, len(inputs), SCORED):
            part = slice(first, first + SCORED)
            logits, right = self._logits(inputs[part]).double(), labels[:, part, None]
            chosen = logits.transpose(1, 2).gather(2, right)[:, :, 0]
            losses.append((torch.logsumexp(logits, dim=1) - chosen).cpu().numpy())
            hits.append((logits.argmax(dim=1) == labels[:, part]).cpu().numpy())
        # Run by run, since sums over several may be added up in another order.
        loss, hit = np.concatenate(losses, axis=1), np.concatenate(hits, axis=1)
        return [float(run.mean()) for run in loss.copy()], [float(run.mean()) for run in hit]

    def _logits(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return the outputs before the softmax, (G, 10, m)."""
        values = self.views["value"]
        filled = torch.nn.functional.pad(inputs.t(), (0, -len(inputs) % VECTOR))
        activity = filled.expand(self.runs, -1, -1)
        for weights, bias in self.names[:-1]:
            before = torch.baddbmm(values[bias], values[weights], activity)
            activity = torch.empty_like(before)
            self.activation.forward(before, activity)
        output = torch.baddbmm(values["output_bias"], values["readout"], activity)
        return output[:, :CLASSES, : len(inputs)]

    def parameters(self) -> dict[str, np.ndarray]:
        return {
            name: self._unpadded("value", name).cpu().numpy().copy()
            for layer in self.names
            for name in layer
        }

    def state(self) -> dict[str, np.ndarray]:
        return {
            f"{kind}/{name}": self._unpadded(kind, name).cpu().numpy().copy()
            for kind in ("mean", "square")
            for layer in self.names
            for name in layer
        }


def _padded(number: int) -> int:
    return -(-number // VECTOR) * VECTOR


@contextmanager
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
