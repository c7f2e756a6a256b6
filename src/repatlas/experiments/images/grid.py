"""Sweeps over networks on images, and where the images are."""

from itertools import product
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from repatlas.experiments.clusters.grid import grid_of, points, sorted_unique
from repatlas.experiments.images.content import SCHEMES
from repatlas.experiments.images.known import DATA_SETS
from repatlas.experiments.images.spec import (
    ConvolutionalNetwork,
    DataSetName,
    ImageSpec,
    ImageTraining,
)
from repatlas.record import LARGEST_WHOLE, Record, refuse

ConvolutionalGrid = grid_of(ConvolutionalNetwork)
ImageTrainingGrid = grid_of(ImageTraining)
Pairing = ImageSpec.model_fields["pairing"].annotation


def _web_address(url: str) -> str:
    if not url.startswith(SCHEMES):
        refuse("allowed: an address with http:// or https://")
    return url


class ImageSource(Record):
    """Where the files of a data set are."""

    folder: str
    """A folder with the published archive, or with what was unpacked from it."""
    subset: bool = False
    """Whether a file that was cut short may be used; figures then say "subset of N"."""
    download: bool = False
    """Whether what the folder lacks is fetched; a broken download goes on."""
    url: Annotated[str, AfterValidator(_web_address)] | None = None
    """The address of the folder with the published files, where it is not to be the usual one."""


class ImageGrid(Record):
    """Networks on one data set, as the product of all axes, and when they are stored."""

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
    epochs: Annotated[
        list[Annotated[int, Field(ge=0, le=LARGEST_WHOLE)]], AfterValidator(sorted_unique)
    ] = Field(min_length=1)
    """Epochs after which a checkpoint is stored; 0, the control, is before training."""

    @model_validator(mode="after")
    def _has_a_batch(self):
        images = DATA_SETS[self.data_set].SIZES["train"]
        if max(self.training.batch) > images:
            raise PydanticCustomError(
                "batch",
                "training.batch: found {batch}, should be at most the {images} training images",
                {"batch": max(self.training.batch), "images": images},
            )
        side = min(DATA_SETS[self.data_set].SHAPE[1:])
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
        return [
            ImageSpec(data_set=self.data_set, pairing=pairing, network=network, training=training)
            for pairing, network, training in product(
                self.pairing, points(self.network), points(self.training)
            )
        ]

    @property
    def families(self) -> list[str]:
        return sorted({spec.family for spec in self.specs()})


class ImageSweep(ImageGrid):
    """A grid of networks on one data set, and how often each is trained."""

    seeds: int = Field(ge=1, le=1_000_000)
    """Replicates of every network: seeds 0 .. seeds - 1."""
