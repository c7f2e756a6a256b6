"""Convolutional networks without their weights: what a config says of one, and how large it is, in
closed form and without torch."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

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


class Size(NamedTuple):
    """The size of a layer or a network, for one image."""

    products: int
    """Multiply-adds of convolutions and full layers, forward"""
    values: int
    """What these give"""
    trained: int
    """Weights, biases, and the scales and shifts of batch normalisation"""
    running: int = 0
    """The means and variances of batch normalisation"""


def size(network: ConvolutionalNetwork, shape: tuple[int, int, int], outputs: int) -> Size:
    """Return the size of the network for one image of this shape (channels, height, width), and
    this number of outputs."""
    architectures = {"small_cnn": _small_cnn, "resnet18": _resnet}
    layers = architectures[network.architecture](network, shape, outputs)
    return Size(*map(sum, zip(*layers, strict=True)))


def _small_cnn(
    network: ConvolutionalNetwork, shape: tuple[int, int, int], outputs: int
) -> Iterator[Size]:
    channels, height, width = shape
    for number in range(network.depth):
        out = network.width * 2**number
        yield _layer(9 * channels, out, height * width, biased=True)
        channels, height, width = out, height // 2, width // 2
    hidden = 8 * network.width
    yield _layer(channels * height * width, hidden, biased=True)
    yield _layer(hidden, outputs, biased=True)


def _resnet(
    network: ConvolutionalNetwork, shape: tuple[int, int, int], outputs: int
) -> Iterator[Size]:
    channels, height, width = shape
    yield _layer(9 * channels, network.width, height * width)
    channels = network.width
    for stage in range(STAGES):
        out = network.width * 2**stage
        if stage > 0:
            height, width = (height + 1) // 2, (width + 1) // 2
        for _ in range(network.depth):
            yield _layer(9 * channels, out, height * width)
            yield _layer(9 * out, out, height * width)
            if channels != out:
                yield _layer(channels, out, height * width)
            channels = out
    yield _layer(channels, outputs, biased=True)


def _layer(inputs: int, out: int, places: int = 1, biased: bool = False) -> Size:
    """Return a full layer, or a convolution, which is a full layer at each position. A layer
    without biases is followed by batch normalisation."""
    weights = inputs * out
    if biased:
        return Size(weights * places, out * places, weights + out)
    return Size(weights * places, out * places, weights + 2 * out, 2 * out)
