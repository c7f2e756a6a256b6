"""The K-flow of pathways from the mean of their initial weights: theory without a fit."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from repatlas.dynamics.kernel_flow import KernelFlow, mean_kernel, output_basis
from repatlas.experiments.items.network import Member, State
from repatlas.experiments.items.pathways import COMMON
from repatlas.experiments.items.task import Items, Task
from repatlas.experiments.items.theory import Theory
from repatlas.experiments.items.training import ItemTraining
from repatlas.record import Positive, canonical, short_hash


class MeanField(Theory):
    """Gradient descent of the kernels of pathways, from kappa n_h sigma^2 I."""

    kind: Literal["mean_field"]
    gradient: Literal["detached", "joint"] = "detached"
    """The gradient, "joint" or "detached" as for a gated network. ReLU networks have a joint
    gradient."""
    kappa: Positive = 1.0
    """The units that start in the common pathway, as a fraction of n_h: 1 for a gated network. A
    ReLU network recruits its units to pathways; for it kappa is fitted, with n_h all its units."""
    context_kappa: Positive = 1.0
    """The units that start in each context pathway, as a fraction of n_h."""

    @property
    def shape(self) -> str:
        return short_hash(
            canonical(self, {"sigma", "context_sigma", "kappa", "context_kappa", "units"})
        )

    def start(self, task: Task, items: Items, training: ItemTraining, seed: int) -> State:
        gates = self.gates(task)
        basis = output_basis(items.targets)
        kappas = [self.kappa if n == COMMON else self.context_kappa for n in gates.names]
        variance = np.array(kappas) * self.units * self.sigmas(gates) ** 2
        # The basis is kept: another machine's may have other signs.
        return {"kernels": mean_kernel(gates.masks, len(basis), variance), "basis": basis}

    @classmethod
    def program(cls, members: Sequence[Member], state: State) -> "Flow":
        return Flow(members, state)

    def products(self, task: Task) -> int:
        size = task.inputs + min(task.targets, task.items)
        return 2 * len(self.gates(task).names) * size**3


class Flow:
    """The K-flow of B networks."""

    def __init__(self, members: Sequence[Member], state: State):
        network, task = members[0].network, members[0].task
        gates = network.gates(task)
        self._inputs, self._basis = task.inputs, state["basis"]
        self._fixed = {name: values for name, values in state.items() if name != "kernels"}
        self._flow = KernelFlow(
            state["kernels"],
            np.stack([gates.seen(member.items) for member in members]),
            self._basis @ np.stack([member.items.targets for member in members]),
            [member.training.rate for member in members],
            network.gradient if gates.names[0] == COMMON else "joint",
        )

    @property
    def state(self) -> State:
        return self._fixed | {"kernels": self._flow.kernels}

    def losses(self) -> np.ndarray:
        return self._flow.errors()[1]

    def descend(self, epoch: int) -> None:
        self._flow.move()

    def checkpoint(self) -> State:
        n = self._inputs
        return {"maps": self.maps(), "kernels": self._flow.kernels[:, :, :n, :n]}

    def maps(self) -> np.ndarray:
        return self._basis.swapaxes(1, 2)[:, None] @ self._flow.maps
