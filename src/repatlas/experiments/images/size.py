"""How large a network on images is, and what its jobs do: in closed form, without torch."""

from collections.abc import Iterator
from typing import NamedTuple

from repatlas.experiments.images.known import DATA_SETS
from repatlas.experiments.images.spec import ConvolutionalNetwork, ImageSpec
from repatlas.experiments.images.task import LABELS

STAGES = 4
"""Of ResNet-18."""


class Size(NamedTuple):
    """Of a layer or a network, for one image."""

    products: int
    """Multiply-adds of convolutions and full layers, forward"""
    values: int
    """What these give"""
    trained: int
    """Weights, biases, and the scales and shifts of batch normalisation"""
    running: int = 0
    """Its means and variances"""


def size(spec: ImageSpec) -> Size:
    architectures = {"small_cnn": _small_cnn, "resnet18": _resnet}
    layers = architectures[spec.network.architecture](spec.network, DATA_SETS[spec.data_set].SHAPE)
    return Size(*map(sum, zip(*layers, strict=True)))


def products(passes: dict[ImageSpec, int]) -> int:
    """Forward, for an image that goes so often through each network."""
    return sum(number * size(spec).products for spec, number in passes.items())


def stored_bytes(spec: ImageSpec, epochs: list[int]) -> int:
    """Of a network at each of its epochs, and of Adam's moments at the last, in float32."""
    network = size(spec)
    stored = len(epochs) * (network.trained + network.running)
    return 4 * (stored + 2 * network.trained)


def _small_cnn(network: ConvolutionalNetwork, shape: tuple[int, int, int]) -> Iterator[Size]:
    channels, height, width = shape
    for number in range(network.depth):
        out = network.width * 2**number
        yield _layer(9 * channels, out, height * width, biased=True)
        channels, height, width = out, height // 2, width // 2
    hidden = 8 * network.width
    yield _layer(channels * height * width, hidden, biased=True)
    yield _layer(hidden, LABELS, biased=True)


def _resnet(network: ConvolutionalNetwork, shape: tuple[int, int, int]) -> Iterator[Size]:
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
    yield _layer(channels, LABELS, biased=True)


def _layer(inputs: int, out: int, places: int = 1, biased: bool = False) -> Size:
    """A full layer, or a convolution, which is one at each place. A layer without biases is
    followed by batch normalisation."""
    weights = inputs * out
    if biased:
        return Size(weights * places, out * places, weights + out)
    return Size(weights * places, out * places, weights + 2 * out, 2 * out)
