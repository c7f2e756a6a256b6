"""Networks of full layers without biases: y_hat = W_(L+1) f(W_L ... f(W_1 x)).

Parameters: weights1, (H, n_in), weights2, (H, H), ..., the last (n_out, H).
"""

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from repatlas.experiments.items.network import (
    Member,
    Network,
    Seen,
    State,
    enough,
    half_squares,
    stacked,
)
from repatlas.experiments.items.task import Items, Task
from repatlas.experiments.items.training import ItemTraining
from repatlas.record import Positive, canonical, short_hash
from repatlas.streams import stream

Activate = Callable[[np.ndarray, np.ndarray], np.ndarray | None]
"""Replaces u by f(u), and writes f'(u) into a second array, which it returns; None if the slope is
1 everywhere."""


class Layered(Network):
    """The base of relu, linear and tanh."""

    activate: ClassVar[Activate]

    width: int = Field(700, ge=1, le=100_000)
    """Units H of each hidden layer."""
    depth: int = Field(1, ge=1, le=10)
    """Hidden layers L."""
    sigma: Positive = 0.005 / 700
    """Standard deviation of the initial weights, of all layers."""
    initial: Literal["equal", "fan_in"] = "equal"
    """With "fan_in" the standard deviation in a layer with n inputs is sigma / sqrt(n)."""

    @property
    def label(self) -> str:
        return f"h{self.width}-l{self.depth}"

    @property
    def shape(self) -> str:
        return short_hash(canonical(self, {"sigma", "initial"}))

    def fit(self, task: Task) -> None:
        enough("width", self.width, task.rank)

    def sizes(self, task: Task) -> list[tuple[int, int]]:
        """Return (outputs, inputs) of each layer of weights."""
        units = [task.inputs, *[self.width] * self.depth, task.targets]
        return list(zip(units[1:], units[:-1], strict=True))

    def start(self, task: Task, items: Items, training: ItemTraining, seed: int) -> State:
        """Return normal numbers of the seed, the same for every sigma and activation, times
        sigma."""
        found = {}
        for number, shape in enumerate(self.sizes(task), start=1):
            normal = stream(seed, f"items weights {number}").standard_normal(shape)
            scale = self.sigma / (np.sqrt(shape[1]) if self.initial == "fan_in" else 1.0)
            found[f"weights{number}"] = (scale * normal).astype(training.dtype)
        return found

    @classmethod
    def program(cls, members: Sequence[Member], state: State) -> "Descent":
        return Descent(members, state, cls.activate)

    def seen(self, task: Task, items: Items, parameters: State) -> Seen:
        layers, hidden = [], items.inputs
        for number in range(1, self.depth + 1):
            hidden = parameters[f"weights{number}"] @ hidden
            type(self).activate(hidden, np.empty_like(hidden))
            layers.append(hidden.T)
        outputs = parameters[f"weights{self.depth + 1}"] @ hidden
        return Seen(layers, outputs.T)

    def products(self, task: Task) -> int:
        weights = [out * into for out, into in self.sizes(task)]
        return task.items * (3 * sum(weights) - weights[0])

    def stored(self, task: Task) -> int:
        return sum(out * into for out, into in self.sizes(task))


class Descent:
    """Gradient descent of B networks of full layers.

    All epochs write into the same arrays. Arrays of a new place in memory in each epoch take longer
    than the products of small networks.
    """

    def __init__(self, members: Sequence[Member], state: State, activate: Activate):
        self.state = state
        self._weights = [state[f"weights{number}"] for number in range(1, len(state) + 1)]
        inputs, self._targets, self._rates = stacked(members)
        self._activate = activate
        shapes = [(*weights.shape[:2], inputs.shape[2]) for weights in self._weights]
        # The inputs, the activity of hidden layers, and the errors.
        self._layers = [inputs, *(np.empty(shape, inputs.dtype) for shape in shapes)]
        self._slopes = [np.empty(shape, inputs.dtype) for shape in shapes[:-1]]
        self._gradients = [np.empty(shape, inputs.dtype) for shape in shapes]
        self._changes = [np.empty_like(weights) for weights in self._weights]

    def losses(self) -> np.ndarray:
        self._curved = False
        for number, slope in enumerate(self._slopes):
            units = self._layers[number + 1]
            np.matmul(self._weights[number], self._layers[number], out=units)
            self._curved = self._activate(units, slope) is not None
        *_, last, errors = self._layers
        np.matmul(self._weights[-1], last, out=errors)
        errors -= self._targets
        return half_squares(errors)

    def descend(self, epoch: int) -> None:
        gradient = np.multiply(self._rates, self._layers[-1], out=self._gradients[-1])
        for number in reversed(range(len(self._weights))):
            weights, change = self._weights[number], self._changes[number]
            np.matmul(gradient, np.swapaxes(self._layers[number], 1, 2), out=change)
            if number:
                below = self._gradients[number - 1]
                gradient = np.matmul(np.swapaxes(weights, 1, 2), gradient, out=below)
                if self._curved:
                    gradient *= self._slopes[number - 1]
            weights -= change

    def checkpoint(self) -> State:
        return self.state

    def maps(self) -> np.ndarray | None:
        """Return (B, 1, n_out, n_in): the product of all weights, where the network is linear."""
        if self._curved:
            return None
        product = self._weights[0]
        for weights in self._weights[1:]:
            product = weights @ product
        return product[:, None]
