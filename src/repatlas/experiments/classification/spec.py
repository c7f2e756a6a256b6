"""The identity of a network that classifies images: everything that determines it, except the
seed."""

from functools import cached_property
from itertools import product
from typing import Annotated, Literal

from pydantic import Field, model_validator

from repatlas.experiments.classification.networks import AnyNetwork, AnyNetworkGrid
from repatlas.experiments.classification.task import ImageTask
from repatlas.experiments.classification.training import NamingTraining
from repatlas.grids import Steps, grid_of, records
from repatlas.images.content import CLASSES
from repatlas.images.published import PACKAGE, DataSetName, data_set
from repatlas.named import module_of
from repatlas.record import Record, canonical, refuse, short_hash


class Spec(Record):
    """Data set, task, network and training. A run is a spec with a seed; a checkpoint is a run at a
    step.

    How long a network is trained is part of it only where layers are frozen: such training has a
    schedule, and an end that the schedule is relative to.
    """

    experiment: Literal["classification"] = "classification"
    """The kind of network."""
    data_set: DataSetName
    task: ImageTask = ImageTask()
    network: AnyNetwork
    training: NamingTraining = NamingTraining()

    @property
    def key(self) -> str:
        """12 hexadecimal digits, from the non-default values alone."""
        return short_hash(canonical(self))

    @property
    def family(self) -> str:
        """Networks that one job trains: of one data set and one kind."""
        return f"{self.data_set}-{self.network.kind}".replace("_", "-")

    @property
    def data(self) -> str:
        """The name of the arrays that it is trained on, before a slash, in the file of its data."""
        return "images"

    def modules(self) -> list[str]:
        """Return the modules that it names."""
        return [
            module_of(PACKAGE, self.data_set),
            module_of("networks.activations", self.network.activation),
        ]


TaskGrid = grid_of(ImageTask)
TrainingGrid = grid_of(NamingTraining)


class Grid(Record):
    """Networks on one data set, as the product of all axes, and when they are stored."""

    experiment: Literal["classification"] = "classification"
    """The kind of networks."""
    data_set: DataSetName
    """The images."""
    task: TaskGrid = TaskGrid()
    """What the networks learn of them."""
    network: AnyNetworkGrid
    """The network."""
    training: TrainingGrid = TrainingGrid()
    """How it is trained."""
    steps: Annotated[Steps, Field(min_length=1)]
    """The steps at which a checkpoint is stored, in steps of the optimiser (batches), or for a
    small_cnn in passes over the images; 0 is before training. Losses and accuracies are stored at
    the end of every pass."""

    @model_validator(mode="after")
    def _fits_its_images(self):
        published = data_set(self.data_set)
        images = published.SIZES["train"]
        fewest = min(images if n is None else n for n in self.task.images)
        most = max(n or 0 for n in self.task.images)
        if most > images:
            refuse(f"task.images: found {most}, allowed: at most the {images} training images")
        if (batch := max(self.training.batch)) > fewest:
            refuse(f"training.batch: found {batch}, allowed: at most the {fewest} training images")
        side = min(published.SHAPE[1:])
        deepest = side.bit_length() - 1  # each convolution halves the sides
        if self.network.kind == "small_cnn" and max(self.network.depth) > deepest:
            refuse(
                f"network.depth: found {max(self.network.depth)}, allowed: at most {deepest} for a"
                f" small_cnn on images of {side} x {side}"
            )
        return self

    def specs(self) -> list[Spec]:
        """Return every spec of the grid, each once. Without frozen layers, networks of different
        lengths of training are the same."""
        found = [
            Spec(data_set=self.data_set, task=task, network=network, training=training)
            for task, network, training in product(
                records(self.task), records(self.network), records(self.training)
            )
        ]
        return list({spec.key: spec for spec in found}.values())

    @cached_property
    def families(self) -> list[str]:
        """The families of its networks. Each family makes one job for each seed."""
        return sorted({spec.family for spec in self.specs()})

    @property
    def conditions(self) -> int:
        """How many classes the images have."""
        return CLASSES

    @property
    def has(self) -> set[str]:
        """The needs of measures that its networks answer, by their names."""
        return {"Scored", "Recorded", "LastLayers", "OnImages", "RunOnImages"}

    def modules(self) -> set[str]:
        """Return the modules that its specs name."""
        activations = self.network.activation
        return {
            module_of(PACKAGE, self.data_set),
            *(module_of("networks.activations", name) for name in activations),
        }

    def data(self, family: str, seed: int) -> tuple[str, dict]:
        """Return the place of the data of its networks, the same for all seeds, and what is wanted
        there: the data set."""
        return self.data_set, {"data_set": self.data_set}
