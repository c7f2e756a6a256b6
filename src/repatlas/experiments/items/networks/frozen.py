"""A control: the gates of a trained ReLU network, frozen, with its initial weights."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from repatlas.experiments.items.descent import GatedDescent
from repatlas.experiments.items.network import Member, Network, Seen, State, enough
from repatlas.experiments.items.networks.relu import Relu
from repatlas.experiments.items.task import Items, Task
from repatlas.experiments.items.training import ItemTraining
from repatlas.record import LARGEST_WHOLE, Positive, canonical, short_hash


class Frozen(Network):
    """Each unit keeps from epoch 0 the gate that it ends with in a ReLU network of the same seed.

    Every ReLU network is a gated network if the gates may change at each epoch. That does not show
    that constant gates describe it. This network shows the effect of constant gates. The ReLU
    network is trained first, which takes as long again.

    Parameters: weights1, (H, n_in), weights2, (n_out, H), gates, (H, N).
    """

    kind: Literal["frozen"]
    width: int = Field(700, ge=1, le=100_000)
    """Hidden units H."""
    sigma: Positive = 0.005 / 700
    """Standard deviation of the initial weights."""
    gates: Literal["items", "contexts"] = "items"
    """The gates as they are, by item; or rounded to contexts: a unit is on for all items of a
    context if it is on for more than half of them."""
    taken_at: int = Field(8000, ge=0, le=LARGEST_WHOLE)
    """The epoch of the ReLU network whose gates these are."""

    @property
    def label(self) -> str:
        return f"h{self.width}"

    def fit(self, task: Task) -> None:
        enough("width", self.width, task.rank)

    def products_before(self, task: Task) -> int:
        return self.taken_at * self.products(task)

    @property
    def shape(self) -> str:
        return short_hash(canonical(self, {"sigma"}))

    def start(self, task: Task, items: Items, training: ItemTraining, seed: int) -> State:
        relu = Relu(kind="relu", width=self.width, sigma=self.sigma)
        initial = relu.start(task, items, training, seed)
        program = Relu.program(
            [Member(relu, task, training, items)],
            {name: values[None].copy() for name, values in initial.items()},
        )
        for epoch in range(self.taken_at):
            program.losses()
            program.descend(epoch)
        on = program.state["weights1"][0] @ items.inputs.astype(training.dtype) > 0
        if self.gates == "contexts":
            by_context = on.reshape(self.width, task.number_of_contexts, task.objects)
            on = (by_context.mean(axis=2) > 0.5).repeat(task.objects, axis=1)
        return initial | {"gates": on}

    @classmethod
    def program(cls, members: Sequence[Member], state: State) -> GatedDescent:
        return GatedDescent(members, state, state["gates"])

    def seen(self, task: Task, items: Items, parameters: State) -> Seen:
        hidden = (parameters["weights1"] @ items.inputs) * parameters["gates"]
        return Seen([hidden.T], (parameters["weights2"] @ hidden).T)

    def products(self, task: Task) -> int:
        return self.width * task.items * (2 * task.inputs + 3 * task.targets)

    def stored(self, task: Task) -> int:
        return self.width * (task.inputs + task.targets)
