"""The identity of a network on images: everything that determines it, except the seed."""

from functools import cached_property
from itertools import product
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from repatlas.grids import Steps, grid_of, records, sorted_unique
from repatlas.images.content import CLASSES
from repatlas.images.published import PACKAGE, DataSetName, data_set
from repatlas.named import module_of
from repatlas.networks.architectures import ConvolutionalNetwork
from repatlas.record import Positive, Record, canonical, short_hash


class ImageTraining(Record):
    """Adam, with betas 0.9 and 0.999, on the cross-entropy of five labels; no augmentation."""

    learning_rate: Positive = 1e-3
    """Step size of Adam."""
    batch: int = Field(128, ge=2)
    """Images in a batch; an epoch leaves out a remainder, another each time."""


class ImageSpec(Record):
    """Data set, pairs of classes, network and training. A run is a spec with a seed. The number of
    epochs is not part of it: training has no schedule."""

    experiment: Literal["images"] = "images"
    """The kind of network."""
    data_set: DataSetName
    pairing: Literal["fixed", "random"] = "fixed"
    """Which classes share a label: 0 with 1, 2 with 3 and so on, or pairs drawn for each seed."""
    network: ConvolutionalNetwork
    training: ImageTraining = ImageTraining()

    @property
    def key(self) -> str:
        """12 hexadecimal digits, from the non-default values alone."""
        return short_hash(canonical(self))

    @property
    def family(self) -> str:
        """Networks that one job trains: of one data set and of one shape."""
        network = self.network
        architecture = network.architecture.replace("_", "-")
        shape = f"{architecture}-w{network.width}-d{network.depth}"
        return f"{self.data_set.replace('_', '-')}-{shape}"

    @property
    def data(self) -> str:
        """The name of the arrays that it is trained on, before a slash, in the file of its data."""
        return "train"

    def modules(self) -> list[str]:
        """Return the modules that it names."""
        return [
            module_of(PACKAGE, self.data_set),
            module_of("networks.activations", self.network.activation),
        ]


ConvolutionalGrid = grid_of(ConvolutionalNetwork)
ImageTrainingGrid = grid_of(ImageTraining)
Pairing = ImageSpec.model_fields["pairing"].annotation


class ImageGrid(Record):
    """Networks on one data set, as the product of all axes, and when they are stored."""

    experiment: Literal["images"] = "images"
    """The kind of networks."""
    data_set: DataSetName
    """The images."""
    pairing: Annotated[list[Pairing], AfterValidator(sorted_unique)] = Field(
        ["fixed", "random"], min_length=1
    )
    """How classes are paired: "fixed", "random", or both."""
    network: ConvolutionalGrid
    """The network."""
    training: ImageTrainingGrid = ImageTrainingGrid()
    """How it is trained."""
    epochs: Annotated[Steps, Field(min_length=1)]
    """Epochs after which a checkpoint is stored; 0, the control, is before training."""

    @model_validator(mode="after")
    def _has_a_batch(self):
        images = data_set(self.data_set).SIZES["train"]
        if max(self.training.batch) > images:
            raise PydanticCustomError(
                "batch",
                "training.batch: found {batch}, should be at most the {images} training images",
                {"batch": max(self.training.batch), "images": images},
            )
        side = min(data_set(self.data_set).SHAPE[1:])
        most = side.bit_length() - 1  # each convolution halves the sides
        if "small_cnn" in self.network.architecture and max(self.network.depth) > most:
            raise PydanticCustomError(
                "depth",
                "network.depth: found {depth}, should be at most {most} for a small_cnn on images"
                " of {side} x {side}",
                {"depth": max(self.network.depth), "most": most, "side": side},
            )
        if self.epochs[0] != 0 or len(self.epochs) < 2:
            raise PydanticCustomError(
                "epochs",
                "epochs: found {epochs}, allowed: 0, the control, and one more at least",
                {"epochs": str(self.epochs)},
            )
        return self

    def specs(self) -> list[ImageSpec]:
        """Return every spec of the grid, each once."""
        return [
            ImageSpec(data_set=self.data_set, pairing=pairing, network=network, training=training)
            for pairing, network, training in product(
                self.pairing, records(self.network), records(self.training)
            )
        ]

    @property
    def conditions(self) -> int:
        """How many classes the images have."""
        return CLASSES

    @property
    def has(self) -> set[str]:
        """The needs of measures that its networks answer, by their names."""
        return {"Scored", "Patterns", "Labelled", "LastLayers"}

    @property
    def steps(self) -> list[int]:
        """The steps of networks on images are epochs."""
        return self.epochs

    @cached_property
    def families(self) -> list[str]:
        """The families of its networks. Each family makes one job for each seed."""
        return sorted({spec.family for spec in self.specs()})

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


Spec, Grid = ImageSpec, ImageGrid
