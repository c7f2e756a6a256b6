"""The identity of a network on images: everything that determines it, but for the seed."""

from typing import Literal

from pydantic import Field

from repatlas.experiments.clusters.spec import canonical, short_hash
from repatlas.experiments.images.known import DATA_SETS
from repatlas.networks.activations import ACTIVATIONS
from repatlas.record import Positive, Record

DataSetName = Literal[*DATA_SETS]


class ConvolutionalNetwork(Record):
    """A network of convolutions, with one nonlinearity wherever a ReLU usually stands."""

    architecture: Literal["small_cnn", "resnet18"]
    """Two convolutions and two full layers, or ResNet-18 with the stem for small images."""
    activation: Literal[*ACTIVATIONS]
    """The nonlinearity of every layer."""
    width: int = Field(ge=1, le=100_000)
    """Channels of the first convolution: 32 (ours) and 64 (He et al. 2016) at full width. All
    other layers go with it."""
    depth: int = Field(2, ge=1, le=4)
    """Convolutions of the small network, or residual blocks of each of ResNet's four stages."""


class ImageTraining(Record):
    """Adam, with betas 0.9 and 0.999, on the cross-entropy of five labels; no augmentation."""

    learning_rate: Positive = 1e-3
    """Step size of Adam."""
    batch: int = Field(128, ge=2)
    """Images in a batch; an epoch leaves out a remainder, another each time."""


class ImageSpec(Record):
    """Data set, pairs of classes, network and training. A run is a spec with a seed. The number of
    epochs is not part of it: training has no schedule."""

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
