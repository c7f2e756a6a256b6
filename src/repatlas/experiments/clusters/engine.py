"""The training engine: many networks of one shape as one batched program, gradients by hand.

It trains on a GPU, and on a CPU what compiled.py cannot train.

For run g with weights W_l (H, N or H), biases b_l (H,) and readout J (K, H) with bias c (K,), on a
batch X (B, N):

    A_0 = X^T,  U_l = W_l A_(l-1) + b_l,  A_l = f(U_l)                  (H, B), l = 1 .. L
    Z = J A_L + c,  E = (sigmoid(Z) - Y) / B                            (K, B)
    D_L = (J^T E) * f'(U_L),  D_l = (W_(l+1)^T D_(l+1)) * f'(U_l)       since dloss/dZ = E
    dloss/dW_l = D_l A_(l-1)^T,  dloss/db_l = D_l 1,  dloss/dJ = E A_L^T,  dloss/dc = E 1

for the binary cross-entropy, summed over the K outputs and averaged over the batch; with equal
errors E = (1/2 - Y) / B instead. A leading axis over the runs makes each line one batched
operation.

The outputs are padded to a multiple of 8 with rows of zeros, whose targets of 1/2 keep their errors
at zero. The products then take the same path for one run as for many, so a run has the same bits
whatever other runs are in the block. For the same reason there is one thread: parallelism comes
from processes.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from repatlas.experiments.clusters.training import Training, batches
from repatlas.networks.activation import activation as activation_of

OUTPUTS_MULTIPLE = 8
LOW_EPOCHS = 2
"""A network has converged when this number of consecutive epochs have a loss below `stop_below`."""


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
    conditions: np.ndarray
    """(samples,): cluster of each sample"""
    noise: np.ndarray
    """(samples, N): standard normal"""
    parameters: dict[str, np.ndarray]
    """The parameters to start from, by name: all that networks.mlp lists, frozen ones too. They
    have a leading axis (G, ...) where the runs differ."""
    state: dict[str, np.ndarray] = {}  # noqa: RUF012  (never changed)
    """(G, ...): the other state that training continues from, as it was left at `start`; nothing at
    step 0"""
    rectified: bool = False
    """Whether inputs are cut at 0"""


class Trained(NamedTuple):
    parameters: dict[str, np.ndarray]
    """(G, T, ...): the trained ones, at each of the T checkpoints"""
    state: dict[str, np.ndarray]
    """(G, ...): the other state that training can continue from at the last checkpoint"""
    diverged: np.ndarray
    """(G,): the step after the first batch with a non-finite output; -1 if none had one"""
    converged: np.ndarray
    """(G,): the step after which training stopped since the loss was low; -1 if it did not"""


def train(
    block: Block,
    activation: str,
    trained: list[str],
    training: Training,
    seed: int,
    steps: list[int],
    device: str = "cpu",
    start: int = 0,
) -> Trained:
    """Train a block from step `start` to steps[-1]; return it as it was after each of `steps`.

    `trained` names the parameters to train. Step t uses batch t: a checkpoint at t has seen batches
    0 .. t-1. Training that is interrupted at any step and continues from its parameters and state
    there ends with the same bits.
    """
    with one_thread(), torch.no_grad():
        return _train(
            block, activation, trained, training, seed, steps, torch.device(device), start
        )


def _train(block, activation, trained, training, seed, steps, device, start) -> Trained:
    def tensor(array):
        return torch.from_numpy(np.ascontiguousarray(array)).to(device)

    runs = len(block.centres)
    networks = _Networks(block, activation, trained, training, tensor, start)
    stored = {
        name: np.empty((runs, len(steps), *block.parameters[name].shape[-_rank(name) :]),
                       block.noise.dtype)
        for name in trained
    }  # fmt: skip
    state = networks.state()
    # The largest output of each step: not finite after the step at which a run diverges.
    largest = torch.zeros(steps[-1] - start, runs, dtype=networks.noise.dtype, device=device)
    converged = np.full(runs, -1)
    going = np.arange(runs)  # the runs that `networks` has

    def store(checkpoints, of=slice(None)):
        for name, values in networks.trained_parameters().items():
            stored[name][going[of], checkpoints] = values[of]

    def stop_low(step):
        """Store the runs whose loss is low as they are, and stop training them."""
        nonlocal going
        low = networks.low_epochs.cpu().numpy() >= LOW_EPOCHS
        if not low.any():
            return
        for checkpoint in range(reached, len(steps)):
            store(checkpoint, of=low)
        for name, values in networks.state().items():
            state[name][going[low]] = values[low]
        converged[going[low]] = step
        networks.keep(torch.from_numpy(np.flatnonzero(~low)).to(device))
        going = going[~low]

    reached = 0
    # All at once: a copy to a GPU waits for what the GPU computes.
    order = list(batches(seed, training, steps[-1], start))
    order = tensor(np.array(order, np.int64).reshape(-1, training.batch))
    if training.stop_below is not None:
        stop_low(start)
    for step in range(start, steps[-1] + 1):
        if step == steps[reached]:
            store(reached)
            reached += 1
        if step == steps[-1] or not len(going):
            break
        output = networks.step(order[step - start])
        if len(going) == runs:
            torch.amax(output, dim=(1, 2), out=largest[step - start])
        else:
            largest[step - start, torch.from_numpy(going)] = torch.amax(output, dim=(1, 2))
        if training.stop_below is not None and (step + 1) % training.epoch == 0:
            networks.end_epoch()
            stop_low(step + 1)

    for name, values in networks.state().items():
        state[name][going] = values
    diverged = _divergence(largest, start)
    return Trained(stored, state, diverged, converged)


class _Networks:
    """The tensors of the runs that still train; all have a leading axis over them."""

    def __init__(self, block: Block, activation, trained, training, tensor, start):
        self.activation, self.training = activation_of(activation), training
        self.depth = sum(name.startswith("weights") for name in block.parameters)
        self.outputs = block.labels.shape[2]
        self.conditions, self.noise = tensor(block.conditions), tensor(block.noise)
        self.centres = tensor(block.centres)
        self.deviations = tensor(block.deviations)[:, None, None]
        labels = _pad(block.labels, axis=2, value=0.5)
        self.labels = tensor(labels).transpose(1, 2).contiguous()  # (G, K, P)
        self.parameters, self.trained = {}, trained
        no_bias = np.zeros(self.outputs, block.noise.dtype)
        for name, array in ({"output_bias": no_bias} | block.parameters).items():
            rank = _rank(name)
            if name in ("readout", "output_bias"):
                array = _pad(array, axis=array.ndim - rank)
            # A copy, since it is trained in place.
            parameter = tensor(array).expand(len(block.centres), *array.shape[-rank:]).clone()
            self.parameters[name] = parameter.unsqueeze(2) if "bias" in name else parameter
        self.step_number, self.rectified = start, block.rectified
        self.moments = {}
        if training.optimiser == "adam":
            for kind in ("mean", "square"):
                for name in trained:
                    like = self.parameters[name]
                    before = block.state.get(f"{kind}/{name}")
                    moment = torch.zeros_like(like)
                    if before is not None:
                        moment[:, : before.shape[1]] = tensor(before).reshape(
                            len(before), -1, *like.shape[2:]
                        )
                    self.moments[f"{kind}/{name}"] = moment
        if training.stop_below is not None:
            runs = len(block.centres)
            # Copies, since training changes them in place.
            epoch_loss = block.state.get("epoch_loss", np.zeros(runs))
            low_epochs = block.state.get("low_epochs", np.zeros(runs, np.int32))
            self.epoch_loss, self.low_epochs = map(tensor, map(np.array, (epoch_loss, low_epochs)))
        self._prepare()

    def _prepare(self) -> None:
        """Allocate buffers for the runs that still train, and make their optimiser."""
        weights, batch = self.parameters["weights1"], self.training.batch
        runs, width, inputs = weights.shape
        empty = weights.new_empty
        self.x = empty(runs, batch, inputs)
        self.hidden = [empty(runs, width, batch) for _ in range(self.depth)]
        self.before = [
            empty(runs, width, batch) if self.activation.needs_input else hidden
            for hidden in self.hidden
        ]
        self.gradient, self.below = empty(runs, width, batch), empty(runs, width, batch)
        self.output = empty(runs, self.labels.shape[1], batch)
        self.size = torch.empty_like(self.output)
        self.replay = None
        self.adam = None
        if self.training.optimiser == "adam":
            for name in self.trained:
                self.parameters[name].grad = torch.empty_like(self.parameters[name])
            trained = [self.parameters[name] for name in self.trained]
            rate, on_gpu = self.training.learning_rate, weights.device.type == "cuda"
            self.adam = torch.optim.Adam(trained, lr=rate, fused=True, capturable=on_gpu)
            for name in self.trained:
                self.adam.state[self.parameters[name]] = {
                    "step": torch.tensor(float(self.step_number), device=weights.device),
                    "exp_avg": self.moments[f"mean/{name}"],
                    "exp_avg_sq": self.moments[f"square/{name}"],
                }

    def keep(self, index: torch.Tensor) -> None:
        """Keep only these of the runs."""
        for name in ("centres", "labels", "deviations", "epoch_loss", "low_epochs"):
            setattr(self, name, getattr(self, name).index_select(0, index))
        for tensors in (self.parameters, self.moments):
            for name in tensors:
                tensors[name] = tensors[name].index_select(0, index)
        self._prepare()

    def step(self, samples: torch.Tensor) -> torch.Tensor:
        """Take one step of training on these samples (B,). Return the size of the outputs before
        the sigmoid, (G, K, B), in an array that the next step overwrites.

        A GPU gets the kernels of a step one by one in the first step, and all at once later."""
        self.step_number += 1
        if self.replay:
            return self.replay(samples)
        size = self._step(samples)
        if samples.device.type == "cuda":
            self.replay = _recorded(self._step, samples)
        return size

    def _step(self, samples: torch.Tensor) -> torch.Tensor:
        noise = self.noise.index_select(0, samples)
        condition = self.conditions.index_select(0, samples)
        parameters, activity = self.parameters, [self.x.transpose(1, 2)]
        torch.index_select(self.centres, 1, condition, out=self.x)
        self.x.addcmul_(noise, self.deviations)
        if self.rectified:
            self.x.clamp_(min=0)
        for layer, (before, hidden) in enumerate(zip(self.before, self.hidden, strict=True), 1):
            weights, bias = parameters[f"weights{layer}"], parameters[f"bias{layer}"]
            torch.bmm(weights, activity[-1], out=before).add_(bias)
            self.activation.forward(before, hidden)
            activity.append(hidden)
        torch.bmm(parameters["readout"], activity[-1], out=self.output)
        self.output.add_(parameters["output_bias"])
        torch.abs(self.output, out=self.size)

        labels = self.labels.index_select(2, condition)
        if self.training.stop_below is not None:
            self._add_loss(labels)
        if self.training.errors == "equal":
            self.output.fill_(0.5)
        else:
            self.output.sigmoid_()
        error = self.output.sub_(labels).mul_(1 / self.training.batch)
        torch.bmm(parameters["readout"].transpose(1, 2), error, out=self.gradient)
        self._descend("readout", "output_bias", error, activity[-1])
        for layer in range(self.depth, 0, -1):
            self.activation.backward_(self.gradient, self.before[layer - 1], activity[layer])
            weights = parameters[f"weights{layer}"]
            if layer > 1:
                torch.bmm(weights.transpose(1, 2), self.gradient, out=self.below)
            self._descend(f"weights{layer}", f"bias{layer}", self.gradient, activity[layer - 1])
            self.gradient, self.below = self.below, self.gradient
        if self.adam:
            self.adam.step()
        return self.size

    def _descend(self, weights: str, bias: str, gradient, activity) -> None:
        """Take a step down the gradients: gradient activity^T for weights, and gradient 1 for
        biases. The step of Adam follows later."""
        rate = self.training.learning_rate
        if weights in self.trained:
            parameter, activity = self.parameters[weights], activity.transpose(1, 2)
            if self.adam:
                torch.bmm(gradient, activity, out=parameter.grad)
            else:
                parameter.baddbmm_(gradient, activity, alpha=-rate)
        if bias in self.trained:
            parameter = self.parameters[bias]
            if self.adam:
                torch.sum(gradient, dim=2, keepdim=True, out=parameter.grad)
            else:
                parameter.sub_(gradient.sum(dim=2, keepdim=True), alpha=rate)

    def _add_loss(self, labels) -> None:
        loss = binary_cross_entropy_with_logits(
            self.output[:, : self.outputs], labels[:, : self.outputs], reduction="none"
        )
        self.epoch_loss += loss.flatten(1).double().sum(1) / self.training.batch

    def end_epoch(self) -> None:
        low = self.epoch_loss / self.training.epoch < self.training.stop_below
        self.low_epochs.add_(1).mul_(low)
        self.epoch_loss.zero_()

    def trained_parameters(self) -> dict[str, np.ndarray]:
        """Return the trained parameters, by name. On a CPU the next step changes them."""
        return {name: self._unpadded(name, self.parameters[name]) for name in self.trained}

    def state(self) -> dict[str, np.ndarray]:
        state = {
            f"{kind}/{name}": self._unpadded(name, self.moments[f"{kind}/{name}"]).copy()
            for kind in ("mean", "square")
            for name in (self.trained if self.moments else ())
        }
        if self.training.stop_below is not None:
            state |= {
                "epoch_loss": self.epoch_loss.cpu().numpy().copy(),
                "low_epochs": self.low_epochs.cpu().numpy().copy(),
            }
        return state

    def _unpadded(self, name: str, values: torch.Tensor) -> np.ndarray:
        if name in ("readout", "output_bias"):
            values = values[:, : self.outputs]
        return (values.squeeze(2) if "bias" in name else values).cpu().numpy()


def _recorded(step: Callable, samples: torch.Tensor) -> Callable:
    """Return a function that does what `step` does with samples on a GPU, by a CUDA graph. Takes no
    step. For few networks a GPU computes faster than Python launches kernels."""
    chosen, graph = samples.clone(), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = step(chosen)

    def replay(samples):
        chosen.copy_(samples)
        graph.replay()
        return found

    return replay


def _rank(name: str) -> int:
    """Return the number of dimensions of a parameter of one network."""
    return 1 if "bias" in name else 2


def _pad(array: np.ndarray, axis: int, value: float = 0) -> np.ndarray:
    widths = [(0, 0)] * array.ndim
    widths[axis] = (0, -array.shape[axis] % OUTPUTS_MULTIPLE)
    return np.pad(array, widths, constant_values=value)


def _divergence(largest, start: int) -> np.ndarray:
    """Return the step after the first batch with an output that is not finite, (G,), whichever
    steps are stored. A tanh network with infinite weights has finite outputs; its measures notice
    the divergence."""
    bad = ~np.isfinite(largest.cpu().numpy())  # (steps, G)
    if not len(bad):
        return np.full(bad.shape[1], -1)
    return np.where(bad.any(axis=0), start + bad.argmax(axis=0) + 1, -1)


@contextmanager
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
