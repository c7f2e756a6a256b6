"""Convolutional networks without their weights: what a config says of one."""

from typing import Literal

from pydantic import Field

from repatlas.named import names
from repatlas.record import Record

STAGES = 4
"""The stages of ResNet-18. Each stage except the first halves the sides of the image and doubles
the channels."""


class ConvolutionalNetwork(Record):
    """A network of convolutions, with one nonlinearity wherever a ReLU usually stands."""

    architecture: Literal["small_cnn", "resnet18"]
    """Two convolutions and two full layers, or ResNet-18 with the stem for small images."""
    activation: Literal[*names("networks.activations")]
    """The nonlinearity of every layer."""
    width: int = Field(ge=1, le=100_000)
    """Channels of the first convolution: 32 (ours) and 64 (He et al. 2016) at full width. All
    other layers go with it."""
    depth: int = Field(2, ge=1, le=4)
    """Convolutions of the small network, or residual blocks of each of ResNet's four stages."""
