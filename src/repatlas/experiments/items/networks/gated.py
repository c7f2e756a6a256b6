"""A gated deep linear network: pathways of linear units, on for some items alone."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from repatlas.experiments.items.descent import GatedDescent
from repatlas.experiments.items.network import Member, Seen, State
from repatlas.experiments.items.pathways import COMMON, Pathways
from repatlas.experiments.items.task import Items, Task
from repatlas.experiments.items.training import ItemTraining
from repatlas.record import canonical, short_hash
from repatlas.streams import stream


class Gated(Pathways):
    """Y_hat = sum_p W_2^p W_1^p (m_p o X) diag(g_p), with n_h units in each pathway.

    Parameters: weights1, (P n_h, n_in), and weights2, (n_out, P n_h), pathways one after the other.
    """

    kind: Literal["gated"]
    gradient: Literal["detached", "joint"] = "detached"
    """"joint" is the gradient of the loss. "detached" is the choice of the authors. The common
    pathway descends its own loss, |Y_com - Y|^2 / 2, as if it were alone. The other pathways
    together descend the loss of all, with Y_com held fixed."""

    @property
    def shape(self) -> str:
        return short_hash(canonical(self, {"sigma", "context_sigma"}))

    def start(self, task: Task, items: Items, training: ItemTraining, seed: int) -> State:
        """Return normal numbers for each pathway. They depend on the seed and the pathway's
        name."""
        gates = self.gates(task)
        first, second = [], []
        for name, mask, sigma in zip(gates.names, gates.masks, self.sigmas(gates), strict=True):
            normal = stream(seed, f"items pathway {name} weights 1")
            first.append(sigma * mask * normal.standard_normal((self.units, task.inputs)))
            normal = stream(seed, f"items pathway {name} weights 2")
            second.append(sigma * normal.standard_normal((task.targets, self.units)))
        return {
            "weights1": np.concatenate(first).astype(training.dtype),
            "weights2": np.concatenate(second, axis=1).astype(training.dtype),
        }

    @classmethod
    def program(cls, members: Sequence[Member], state: State) -> "Racing":
        return Racing(members, state)

    def seen(self, task: Task, items: Items, parameters: State) -> Seen:
        gates = self.gates(task).gates.repeat(self.units, axis=0)
        hidden = (parameters["weights1"] @ items.inputs) * gates
        return Seen([hidden.T], (parameters["weights2"] @ hidden).T)

    def maps(self, task: Task, parameters: State) -> dict[str, np.ndarray]:
        names = self.gates(task).names
        found = _maps(parameters["weights1"][None], parameters["weights2"][None], len(names))
        return dict(zip(names, found[0], strict=True))

    def products(self, task: Task) -> int:
        first, second = self._weights(task)
        return task.items * (3 * (first + second) - first)

    def stored(self, task: Task) -> int:
        return sum(self._weights(task))

    def _weights(self, task: Task) -> tuple[int, int]:
        hidden = self.units * len(self.gates(task).names)
        return hidden * task.inputs, hidden * task.targets


class Racing(GatedDescent):
    """Gradient descent of pathways."""

    def __init__(self, members: Sequence[Member], state: State):
        network, task = members[0].network, members[0].task
        gates = network.gates(task)
        self._pathways = len(gates.names)
        dtype = members[0].training.dtype
        detached = network.gradient == "detached" and gates.names[0] == COMMON
        super().__init__(
            members,
            state,
            gates.gates.repeat(network.units, axis=0)[None],
            gates.masks.repeat(network.units, axis=0).astype(dtype),
            network.units if detached else 0,
        )

    def maps(self) -> np.ndarray:
        return _maps(self._first, self._second, self._pathways)


def _maps(first: np.ndarray, second: np.ndarray, pathways: int) -> np.ndarray:
    """Return (B, P, n_out, n_in) from (B, P n_h, n_in) and (B, n_out, P n_h)."""
    number, hidden, inputs = first.shape
    units = hidden // pathways
    of_first = first.reshape(number, pathways, units, inputs)
    of_second = second.reshape(number, -1, pathways, units).swapaxes(1, 2)
    return of_second @ of_first
