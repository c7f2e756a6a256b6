"""A gated linear network with two hidden layers, whose pathways are trained one after the other."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from repatlas.dynamics.pathways import Contexts, context_gate, context_sets
from repatlas.experiments.items.network import (
    Member,
    Network,
    Seen,
    State,
    enough,
    half_squares,
    stacked,
)
from repatlas.experiments.items.pathways import COMMON
from repatlas.experiments.items.task import Items, Task
from repatlas.experiments.items.training import ItemTraining
from repatlas.record import LARGEST_WHOLE, Positive, Refused, canonical, refuse, short_hash
from repatlas.streams import stream


class GatedDeep(Network):
    """h_1 = W_1 x and h_2 = W_2 h_1, linear and ungated; y_hat = W_3 (g o h_2).

    The first units of h_2 are the common pathway, on for all items; the others make equally large
    pathways, each on in all contexts but one. All share W_1, and see all inputs. Nothing moves
    before epoch `common_from`. After it the common pathway descends its own loss. After
    `contexts_from` the context pathways descend the loss of all, also detached. All constants are
    from the authors, who tuned them by hand.

    Parameters: weights1, (H, n_in), weights2, (H, H), weights3, (n_out, H).
    """

    kind: Literal["gated_deep"]
    width: int = Field(420, ge=4, le=100_000)
    """Units H of each hidden layer."""
    common_units: int = Field(240, ge=1, le=100_000)
    """Units of the second layer in the common pathway."""
    sigma: Positive = 5.75e-4
    """Standard deviation of the initial weights W_1."""
    second_sigma: Positive = 5.5e-4
    """The standard deviation of the initial W_2, and of the columns of W_3 that belong to the
    common pathway."""
    context_sigma: Positive = 4e-3
    """The standard deviation of the other columns of the initial W_3."""
    common_from: int = Field(500, ge=0, le=LARGEST_WHOLE)
    """The first epoch in which the common pathway is trained."""
    contexts_from: int = Field(12_000, ge=0, le=LARGEST_WHOLE)
    """The first epoch in which the context pathways are trained, too."""

    @model_validator(mode="after")
    def _is_in_order(self):
        if self.common_units >= self.width:
            refuse(f"common_units: found {self.common_units}, allowed: below width, {self.width}")
        if self.contexts_from < self.common_from:
            refuse(f"contexts_from: found {self.contexts_from}, allowed: common_from or later")
        return self

    @property
    def label(self) -> str:
        return f"h{self.width}-l2"

    @property
    def shape(self) -> str:
        return short_hash(canonical(self, {"sigma", "second_sigma", "context_sigma"}))

    def gates(self, task: Task) -> tuple[list[str], np.ndarray]:
        """Return the names of the pathways, and (H, N), the gates of the second layer's units."""
        number = task.number_of_contexts
        sets = self._sets(task)
        units, rest = divmod(self.width - self.common_units, number)
        if rest:
            raise Refused(
                f"network.width: found {self.width} with {self.common_units} common units, allowed:"
                f" units that {number} contexts can share equally"
            )
        gates = [np.ones((self.common_units, task.items))]
        gates += [np.tile(context_gate(s, number, task.objects), (units, 1)) for s in sets]
        names = ["".join(str(context + 1) for context in chosen) for chosen in sets]
        return [COMMON, *names], np.concatenate(gates)

    def _sets(self, task: Task) -> list[Contexts]:
        return context_sets(task.number_of_contexts, [task.number_of_contexts - 1])

    def fit(self, task: Task) -> None:
        self.gates(task)
        enough("common_units", self.common_units, task.rank)
        # Context pathways learn differences between objects, and not their mean.
        contexts = task.number_of_contexts
        enough("width", self.width, self.common_units + contexts * (task.objects - 1))

    def start(self, task: Task, items: Items, training: ItemTraining, seed: int) -> State:
        third = np.full(self.width, self.context_sigma)
        third[: self.common_units] = self.second_sigma
        scales = {
            "weights1": ((self.width, task.inputs), self.sigma),
            "weights2": ((self.width, self.width), self.second_sigma),
            "weights3": ((task.targets, self.width), third),
        }
        return {
            name: (sigma * stream(seed, f"items {name}").standard_normal(shape)).astype(
                training.dtype
            )
            for name, (shape, sigma) in scales.items()
        }

    @classmethod
    def program(cls, members: Sequence[Member], state: State) -> "Scheduled":
        return Scheduled(members, state)

    def seen(self, task: Task, items: Items, parameters: State) -> Seen:
        first = parameters["weights1"] @ items.inputs
        second = (parameters["weights2"] @ first) * self.gates(task)[1]
        return Seen([first.T, second.T], (parameters["weights3"] @ second).T)

    def maps(self, task: Task, parameters: State) -> dict[str, np.ndarray]:
        names = self.gates(task)[0]
        stacks = [parameters[f"weights{number}"][None] for number in (1, 2, 3)]
        return dict(zip(names, _maps(*stacks, self.common_units, len(names) - 1)[0], strict=True))

    def reached(self, task: Task, items: Items) -> list[np.ndarray]:
        number, sets = task.number_of_contexts, self._sets(task)
        gates = [context_gate(chosen, number, task.objects) for chosen in sets]
        return [items.inputs, *(items.inputs * gate for gate in gates)]

    def products(self, task: Task) -> int:
        return task.items * (3 * self.stored(task) - self.width * task.inputs)

    def stored(self, task: Task) -> int:
        return self.width * (task.inputs + self.width + task.targets)


class Scheduled:
    """Gradient descent of B such networks."""

    def __init__(self, members: Sequence[Member], state: State):
        self.state = state
        self._network = members[0].network
        names, gates = self._network.gates(members[0].task)
        self._contexts = len(names) - 1
        self._gates = gates.astype(members[0].training.dtype)
        self._weights = [state[f"weights{number}"] for number in (1, 2, 3)]
        self._inputs, self._targets, self._rates = stacked(members)
        # All epochs write into the same arrays.
        hidden = (*self._weights[0].shape[:2], self._inputs.shape[2])
        self._first, self._second, self._inner_first, self._inner = (
            np.empty(hidden, self._inputs.dtype) for _ in range(4)
        )
        self._own_errors, self._errors = np.empty_like(self._targets), np.empty_like(self._targets)
        self._changes = [np.empty_like(weights) for weights in self._weights]

    def losses(self) -> np.ndarray:
        w1, w2, w3 = self._weights
        n = self._network.common_units
        np.matmul(w1, self._inputs, out=self._first)
        np.matmul(w2, self._first, out=self._second)
        self._second *= self._gates
        np.matmul(w3[:, :, :n], self._second[:, :n], out=self._own_errors)
        self._own_errors -= self._targets
        np.matmul(w3[:, :, n:], self._second[:, n:], out=self._errors)
        self._errors += self._own_errors
        return half_squares(self._errors)

    def descend(self, epoch: int) -> None:
        if epoch < self._network.common_from:
            return
        n = self._network.common_units
        w1, w2, w3 = self._weights
        change1, change2, change3 = self._changes
        second, back = np.swapaxes(self._second, 1, 2), np.swapaxes(w3, 1, 2)
        parts = [(self._own_errors, slice(0, n))]
        if epoch >= self._network.contexts_from:
            parts.append((self._errors, slice(n, None)))
        for errors, units in parts:
            errors *= self._rates
            np.matmul(back[:, units], errors, out=self._inner[:, units])
            np.matmul(errors, second[:, :, units], out=change3[:, :, units])
        # All that moves: units of the common pathway alone, or all.
        moved = slice(0, n) if len(parts) == 1 else slice(None)
        self._inner *= self._gates
        inner = self._inner[:, moved]
        np.matmul(np.swapaxes(w2[:, moved], 1, 2), inner, out=self._inner_first)
        np.matmul(self._inner_first, np.swapaxes(self._inputs, 1, 2), out=change1)
        np.matmul(inner, np.swapaxes(self._first, 1, 2), out=change2[:, moved])
        w1 -= change1
        w2[:, moved] -= change2[:, moved]
        w3[:, :, moved] -= change3[:, :, moved]

    def checkpoint(self) -> State:
        return self.state

    def maps(self) -> np.ndarray:
        return _maps(*self._weights, self._network.common_units, self._contexts)


def _maps(
    first: np.ndarray, second: np.ndarray, third: np.ndarray, common: int, contexts: int
) -> np.ndarray:
    """Return (B, 1 + contexts, n_out, n_in): W_3 W_2 W_1 of the units of each pathway."""
    ends = np.linspace(common, third.shape[2], contexts + 1).astype(int)
    parts = [slice(0, common), *(slice(*pair) for pair in pairwise(ends))]
    return np.stack([third[:, :, part] @ (second[:, part] @ first) for part in parts], axis=1)
