"""The identity of a network on a few items: everything that determines it, except the seed."""

import json
from itertools import product
from typing import Annotated, Literal

from pydantic import Field, model_validator

from repatlas.experiments.items.network import PACKAGE as NETWORKS
from repatlas.experiments.items.network import AnyNetwork, AnyNetworkGrid, network_class
from repatlas.experiments.items.task import PACKAGE as TASKS
from repatlas.experiments.items.task import AnyTask, AnyTaskGrid, task_key
from repatlas.experiments.items.training import ItemTraining
from repatlas.grids import Steps, grid_of, records
from repatlas.named import module_of
from repatlas.record import Record, Refused, canonical, refuse, short_hash


class Spec(Record):
    """Task, network and training. A run is a spec with a seed; a checkpoint is a run at an epoch.

    The number of epochs is not part of it: where training has a schedule, the epochs at which it
    switches are settings of the network.
    """

    experiment: Literal["items"]
    """The kind of network."""
    task: AnyTask
    network: AnyNetwork
    training: ItemTraining = ItemTraining()

    @model_validator(mode="after")
    def _fits_its_task(self):
        try:
            self.network.fit(self.task)
        except Refused as error:
            refuse(str(error))
        return self

    @property
    def key(self) -> str:
        """12 hexadecimal digits, from the non-default values alone."""
        return short_hash(canonical(self))

    @property
    def family(self) -> str:
        """Networks that one job trains, many of them at a time: of one kind, on tasks of one family
        and size. A readable name that ends in a hash of what it doesn't spell out."""
        task, network = self.task, self.network
        sizes = [task.inputs, task.targets, task.items, self.training.precision]
        name = f"{task.kind}-n{task.inputs}-{network.kind.replace('_', '-')}-{network.label}"
        return f"{name}-{short_hash(json.dumps(sizes), digits=6)}"

    @property
    def data(self) -> str:
        """The name of the arrays that it is trained on, before a slash, in the file of its data."""
        return task_key(self.task)

    def modules(self) -> list[str]:
        """Return the modules that it names."""
        return [module_of(TASKS, self.task.kind), module_of(NETWORKS, self.network.kind)]


ItemTrainingGrid = grid_of(ItemTraining)


class Grid(Record):
    """Specs, as the product of all axes, and the epochs at which their networks are stored."""

    experiment: Literal["items"]
    """The kind of networks."""
    task: AnyTaskGrid
    """The task that the networks learn."""
    network: AnyNetworkGrid
    """The network, or the theory of one."""
    training: ItemTrainingGrid = ItemTrainingGrid()
    """How it is trained."""
    steps: Annotated[Steps, Field(min_length=1)]
    """Epochs at which a checkpoint is stored; 0 is before training. The losses of all epochs up to
    the last are stored in any case."""

    def specs(self) -> list[Spec]:
        """Return every spec of the grid, each once."""
        return [
            Spec(experiment="items", task=task, network=network, training=training)
            for task, network, training in product(
                records(self.task), records(self.network), records(self.training)
            )
        ]

    @property
    def families(self) -> list[str]:
        """The families of its networks. Each family makes one job for each seed. They are not
        cached: a preview copies a grid and removes contexts, on which families depend."""
        return sorted({spec.family for spec in self.specs()})

    @property
    def conditions(self) -> int:
        """The number of items of the task with the most items."""
        return max(spec.task.items for spec in self.specs())

    @property
    def has(self) -> set[str]:
        """The needs of measures that its networks answer, by their names. Theories, which
        have no units, answer fewer."""
        common = {"Scored", "Patterns", "Recorded", "OnItems", "RunOnItems"}
        if not network_class(self.network.kind).has_units:
            return common
        return common | {"WithUnits", "RunWithUnits"}

    def modules(self) -> set[str]:
        """Return the modules that its specs name."""
        return {module_of(TASKS, self.task.kind), module_of(NETWORKS, self.network.kind)}

    def data(self, family: str, seed: int) -> tuple[str, dict]:
        """Return the place of the data of its networks, the same for all seeds, and what is wanted
        there: tasks."""
        return self.task.kind, json.loads(canonical(self.task))
