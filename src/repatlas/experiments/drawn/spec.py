"""The identity of a network with a drawn activation function, except the seed."""

import json
import re
from functools import cached_property
from itertools import product
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from repatlas.experiments.clusters.arrays import PACKAGE, AnyTask, AnyTaskGrid, geometry_key
from repatlas.grids import Steps, grid_of, records
from repatlas.named import module_of
from repatlas.networks.drawn import MOST
from repatlas.networks.mlp import Network
from repatlas.record import Positive, Record, canonical, refuse, short_hash


class DrawnNetwork(Record):
    """A network with one hidden layer of drawn functions. Everything else is the default of
    networks on clusters: initial weights are uniform, biases are trained, the readout is binary and
    frozen."""

    function: int = Field(ge=0, lt=MOST)
    """The number of the activation function."""
    width: int = Field(120, ge=2, le=100_000, multiple_of=2)
    """Neurons H of the hidden layer."""

    @property
    def start(self) -> Network:
        """A network that starts with the same parameters."""
        return Network(activation="identity", width=self.width)

    @property
    def trained(self) -> list[str]:
        """The names of the parameters that are trained."""
        return self.start.trained


class Descent(Record):
    """Gradient descent on batches of a fixed set of samples."""

    learning_rate: Positive = 0.1
    """Step size of the descent on the mean loss of a batch."""
    batch: int = Field(200, ge=1, le=100_000)
    """Samples in a batch."""
    samples: int = Field(5000, ge=1, le=10_000_000)
    """Samples in the training set, over all clusters."""


class Spec(Record):
    """Task, network and training. A run is a spec with a seed; a checkpoint is a run at a step."""

    experiment: Literal["drawn"] = "drawn"
    """The type of network."""
    task: AnyTask
    network: DrawnNetwork
    training: Descent = Descent()

    @property
    def key(self) -> str:
        """12 hexadecimal digits, from the non-default values alone."""
        return short_hash(canonical(self))

    @property
    def family(self) -> str:
        """Networks that one job trains: of all functions, with one task generator and one shape."""
        task, training, width = self.task, self.training, self.network.width
        shapes = [task.clusters, training.samples, training.batch]
        name = f"{task.kind}-n{task.inputs}-h{width}"
        return f"{name}-{short_hash(json.dumps(shapes), digits=6)}"

    @property
    def data(self) -> str:
        """The name of the arrays that it is trained on, before a slash, in the file of its data."""
        return geometry_key(self.task)

    def modules(self) -> list[str]:
        """Return the modules that it names."""
        return [module_of(PACKAGE, self.task.kind)]


RANGE = re.compile(r"(\d+)-(\d+)")


def _numbers(value: Any) -> Any:
    """Return the numbers of a range such as 0-799; anything else as it is."""
    if isinstance(value, str) and (found := RANGE.fullmatch(value)):
        first, last = map(int, found.groups())
        return [*range(first, min(last, MOST) + 1)]
    return value


class DrawnGrid(grid_of(DrawnNetwork)):  # type: ignore[misc]
    """A grid of networks with drawn functions."""

    function: Annotated[
        grid_of(DrawnNetwork).model_fields["function"].rebuild_annotation(),
        BeforeValidator(_numbers, json_schema_input_type=int | list[int] | str),
    ] = Field(min_length=1)
    """The number of the activation function, several numbers, or a range such as 0-799."""


DescentGrid = grid_of(Descent)


class Grid(Record):
    """Specs, as the product of all axes, and the steps at which their networks are stored."""

    experiment: Literal["drawn"] = "drawn"
    """The type of networks."""
    task: AnyTaskGrid
    """The task that the networks learn: four clusters or more, and one target."""
    network: DrawnGrid
    """The network."""
    training: DescentGrid = DescentGrid()
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
        return {"Scored", "Patterns", "Labelled", "Noisy"}

    def refuse_measures(self, measures: set[str]) -> None:
        """Refuse tasks and measures that mean nothing for its networks."""
        if any(spec.task.targets != 1 for spec in self.specs()):
            refuse("task: found several targets, allowed: 1, since the readout is binary")
        if "decoding" in measures and self.conditions > 8:
            refuse(f"measures: found 'decoding' with {self.conditions} clusters, allowed: up to 8")

    def modules(self) -> set[str]:
        """Return the modules that its specs name."""
        return {module_of(PACKAGE, self.task.kind)}

    def data(self, family: str, seed: int) -> tuple[str, dict]:
        """Return the place of the data of a family and a seed, and what is wanted there: tasks."""
        return f"{family}/seed-{seed}", json.loads(canonical(self.task, {"noise_variance"}))
