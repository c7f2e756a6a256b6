"""The K-flow as a theory of ReLU networks: how many units each pathway recruits is fitted."""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from repatlas.dynamics.kernel_flow import mean_kernel, output_basis
from repatlas.dynamics.recruitment import fit_recruitment
from repatlas.experiments.items.network import Member, State
from repatlas.experiments.items.networks.mean_field import Flow
from repatlas.experiments.items.networks.relu import Relu
from repatlas.experiments.items.task import Items, Task
from repatlas.experiments.items.theory import Theory
from repatlas.experiments.items.training import ItemTraining
from repatlas.record import LARGEST_WHOLE, Refused

FLOWS = 150
"""Flows of a fit, about: 50 from each of three starts."""


class Recruited(Theory):
    """A mean field, joint, from kappa n_h sigma^2 I, with n_h all units of a ReLU network.

    kappa of the common pathway and of context pathways are fitted to the losses of a ReLU network
    with `sigma` in all layers, which is trained for that. `context_sigma` has no meaning here.
    Parameters: the parameters of a theory, and kappas, (2,). Two free numbers fit many curves, so
    this fit is no evidence for gates. Units show the gates. Where the ReLU network diverged there
    is no fit: kappas are nan, and the theory counts as diverged from epoch 0 on.
    """

    gradient: ClassVar[str] = "joint"

    kind: Literal["recruited"]
    units: int = Field(700, ge=1, le=100_000)
    """Hidden units n_h of the ReLU network."""
    fitted_until: int = Field(4000, ge=1, le=LARGEST_WHOLE)
    """The last epoch whose loss is fitted."""
    fitted_to: Literal["first", "own"] = "first"
    """The ReLU network that is fitted. With "first" it is the network of seed 0, so that other
    seeds can test the fit. With "own" it is the network with the seed of the theory, so that each
    network has its own fit."""

    def fit(self, task: Task) -> None:
        super().fit(task)
        if not self.common or self.pathways == "none":
            raise Refused(
                "network.common: found a network of kind 'recruited' without a common pathway or"
                " without others, allowed: both"
            )

    def start(self, task: Task, items: Items, training: ItemTraining, seed: int) -> State:
        gates, basis = self.gates(task), output_basis(items.targets)
        losses = self._relu_losses(task, items, training, seed if self.fitted_to == "own" else 0)
        fitted = np.full(2, np.nan)
        if np.isfinite(losses).all():
            found = fit_recruitment(
                losses,
                gates.seen(items),
                gates.masks,
                items.targets,
                self.units,
                self.sigma,
                training.rate,
            )
            fitted = np.array([found.common, found.context])
        kappas = np.full(len(gates.names), fitted[1])
        kappas[0] = fitted[0]
        kernels = mean_kernel(gates.masks, len(basis), kappas * self.units * self.sigma**2)
        return {"kernels": kernels, "basis": basis, "kappas": fitted}

    def products_before(self, task: Task) -> int:
        relu = Relu(kind="relu", width=self.units, sigma=self.sigma)
        return self.fitted_until * (relu.products(task) + FLOWS * self.products(task))

    def _relu_losses(
        self, task: Task, items: Items, training: ItemTraining, seed: int
    ) -> np.ndarray:
        """Return (fitted_until + 1,), the losses of the ReLU network of this seed."""
        relu = Relu(kind="relu", width=self.units, sigma=self.sigma)
        initial = relu.start(task, items, training, seed)
        program = Relu.program(
            [Member(relu, task, training, items)],
            {name: values[None].copy() for name, values in initial.items()},
        )
        losses = []
        with np.errstate(over="ignore", invalid="ignore"):
            for epoch in range(self.fitted_until + 1):
                losses.append(program.losses()[0])
                program.descend(epoch)
        return np.array(losses)

    @classmethod
    def program(cls, members: Sequence[Member], state: State) -> "RecruitedFlow":
        return RecruitedFlow(members, state)

    def products(self, task: Task) -> int:
        size = task.inputs + min(task.targets, task.items)
        return 2 * len(self.gates(task).names) * size**3


class RecruitedFlow(Flow):
    """The K-flow of B such theories."""

    def checkpoint(self) -> State:
        return super().checkpoint() | {"kappas": self.state["kappas"]}
