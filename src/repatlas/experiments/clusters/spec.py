"""The identity of a network on clusters: everything that determines it, except the seed."""

import json
from functools import cached_property
from itertools import product
from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from repatlas.experiments.clusters.arrays import PACKAGE, AnyTask, AnyTaskGrid, geometry_key
from repatlas.experiments.clusters.training import Training
from repatlas.grids import Steps, grid_of, records
from repatlas.named import module_of
from repatlas.networks.mlp import READOUT_GROUPS, Network
from repatlas.record import Record, canonical, refuse, short_hash


class Spec(Record):
    """Task, network and training. A run is a spec with a seed; a checkpoint is a run at a step.

    The number of steps is not part of it: training has no schedule, so a network at step 200 is
    the same whether training stops there or goes on.
    """

    experiment: Literal["clusters"] = "clusters"
    """The kind of network. As a default it is not in the key."""
    task: AnyTask
    network: Network
    training: Training = Training()

    @model_validator(mode="after")
    def _has_a_readout(self):
        readout, targets, width = self.network.readout, self.task.targets, self.network.width
        if targets != {"binary": 1, "groups": 2}.get(readout, targets):
            raise PydanticCustomError(
                "readout",
                "network.readout: found {readout} for {targets} targets, allowed: normal, trained",
                {"readout": repr(readout), "targets": targets},
            )
        if readout == "groups" and width % len(READOUT_GROUPS):
            raise PydanticCustomError(
                "width",
                "network.width: found {width}, allowed: multiples of 8 with readout 'groups'",
                {"width": width},
            )
        return self

    @property
    def key(self) -> str:
        """12 hexadecimal digits, from the non-default values alone: a new hyper-parameter with a
        neutral default changes no key."""
        return short_hash(canonical(self))

    @property
    def family(self) -> str:
        """Networks of one family share a task generator and all tensor shapes: one job trains
        them together. A readable name that ends in a hash of what it doesn't spell out."""
        task, network, training = self.task, self.network, self.training
        shapes = [task.clusters, training.samples, training.batch]
        name = f"{task.kind}-n{task.inputs}-h{network.width}"
        if (task.targets, network.depth) != (1, 1):
            shapes += [task.targets, network.depth]
            name += f"-p{task.clusters}-k{task.targets}-l{network.depth}"
        return f"{name}-{short_hash(json.dumps(shapes), digits=6)}"

    @property
    def data(self) -> str:
        """The name of the arrays that it is trained on, before a slash, in the file of its data."""
        return geometry_key(self.task)

    def modules(self) -> list[str]:
        """Return the modules that it names."""
        return [
            module_of(PACKAGE, self.task.kind),
            module_of("networks.activations", self.network.activation),
        ]


NetworkGrid = grid_of(Network)
TrainingGrid = grid_of(Training)


class Grid(Record):
    """Specs, as the product of all axes, and the steps at which their networks are stored."""

    experiment: Literal["clusters"] = "clusters"
    """The kind of networks."""
    task: AnyTaskGrid
    """The task that the networks learn."""
    network: NetworkGrid
    """The network."""
    training: TrainingGrid = TrainingGrid()
    """How it is trained."""
    steps: Annotated[Steps, Field(min_length=1)]
    """Training steps (batches) after which a checkpoint is stored; 0 is before training."""

    def specs(self) -> list[Spec]:
        """Return every spec of the grid, each once."""
        return [
            Spec(task=task, network=network, training=training)
            for task, network, training in product(
                records(self.task), records(self.network), records(self.training)
            )
        ]

    @cached_property
    def families(self) -> list[str]:
        """The families of its networks. Each family makes one job for each seed."""
        return sorted({spec.family for spec in self.specs()})

    @property
    def conditions(self) -> int:
        """The largest number of clusters that a task of the grid has."""
        return max(getattr(self.task, "clusters", [4]))

    @property
    def has(self) -> set[str]:
        """The needs of measures that its networks answer, by their names."""
        common = {"Scored", "Patterns", "Labelled", "Noisy"}
        return common | {"LastLayers", "OnClusters", "RunOnClusters"}

    def refuse_measures(self, measures: set[str]) -> None:
        """Refuse measures that mean nothing for its networks."""
        for name in ("effective_weights", "selectivity", "update"):
            if name in measures and self.task.kind == "aligned":
                refuse(f"measures: found {name!r}, for tasks with an inter-class axis only")
        if "decoding" in measures and self.conditions > 8:
            refuse(f"measures: found 'decoding' with {self.conditions} clusters, allowed: up to 8")

    def modules(self) -> set[str]:
        """Return the modules that its specs name."""
        activations = self.network.activation
        return {
            module_of(PACKAGE, self.task.kind),
            *(module_of("networks.activations", name) for name in activations),
        }

    def data(self, family: str, seed: int) -> tuple[str, dict]:
        """Return the place of the data of a family and a seed, and what is wanted there: tasks. The
        noise around the centres is drawn in training."""
        return f"{family}/seed-{seed}", json.loads(canonical(self.task, {"noise_variance"}))
