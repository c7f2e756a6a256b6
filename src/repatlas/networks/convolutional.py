"""Convolutional networks for images (Figure 4C): a small one, and ResNet-18.

ResNet-18 (He et al. 2016, "Deep residual learning") has the stem that is usual for small images: a
convolution of 3 x 3 without stride or pooling. Batch normalisation is kept, before each
nonlinearity, so that tanh saturates less than it would without. The small network has none.
"""

import math
from collections.abc import Callable

import torch
from torch import nn

from repatlas.networks.activation import activation as activation_of
from repatlas.networks.architectures import STAGES, ConvolutionalNetwork
from repatlas.streams import stream


class Layers(nn.Module):
    """A network as a list of layers, each with the representation that is measured there, and a
    linear readout of the last."""

    def __init__(self, layers: list[nn.Module], hidden: int, outputs: int):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.readout = nn.Linear(hidden, outputs)

    def representations(self, images: torch.Tensor) -> list[torch.Tensor]:
        """Return the output of each layer for images (n, channels, height, width), from input to
        output."""
        found = []
        for layer in self.layers:
            images = layer(images)
            found.append(images)
        return found

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return (n, outputs): the logits of the labels."""
        return self.readout(self.representations(images)[-1])


class Pointwise(nn.Conv2d):
    """A convolution of 1 x 1 with a stride, of the places alone that it sees.

    torch's own, by oneDNN, writes beyond its memory in the backward pass where few channels lie
    last: it aborts, or its gradients are wrong (uxlfoundation/oneDNN, issue 6035).
    """

    def __init__(self, channels: int, out: int, stride: int):
        super().__init__(channels, out, 1, bias=False)
        self.every = stride

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return super().forward(images[..., :: self.every, :: self.every])


class ResidualBlock(nn.Module):
    """f(x + BN conv f(BN conv x)); x itself is convolved, 1 x 1, where shapes change."""

    def __init__(self, channels: int, out: int, stride: int, activation: Callable):
        super().__init__()
        self.residual = nn.Sequential(
            nn.Conv2d(channels, out, 3, stride, padding=1, bias=False),
            nn.BatchNorm2d(out),
            activation(),
            nn.Conv2d(out, out, 3, padding=1, bias=False),
            nn.BatchNorm2d(out),
        )
        self.shortcut = nn.Identity()
        if stride != 1 or channels != out:
            self.shortcut = nn.Sequential(Pointwise(channels, out, stride), nn.BatchNorm2d(out))
        self.activation = activation()

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.activation(self.residual(images) + self.shortcut(images))


def build(
    seed: int, network: ConvolutionalNetwork, shape: tuple[int, int, int], outputs: int
) -> Layers:
    """Return the network before training, for images of this shape (channels, height, width)."""
    architectures = {"small_cnn": _small_cnn, "resnet18": _resnet}
    # Parameters are drawn below, not by torch, whose generators this leaves as they were.
    with torch.random.fork_rng(devices=[]):
        module = architectures[network.architecture](network, shape, outputs)
    _initialise(module, seed)
    return module.to(memory_format=torch.channels_last)


def _small_cnn(network: ConvolutionalNetwork, shape: tuple[int, int, int], outputs: int) -> Layers:
    """Return conv 3 x 3 - f - max-pool, twice; full layer of 8 x width - f; readout. This
    architecture is ours: the paper gives only the number of layers."""
    activation = activation_of(network.activation).module
    channels, height, width = shape
    layers = []
    for number in range(network.depth):
        out = network.width * 2**number
        layers.append(
            nn.Sequential(nn.Conv2d(channels, out, 3, padding=1), activation(), nn.MaxPool2d(2))
        )
        channels, height, width = out, height // 2, width // 2
    hidden = 8 * network.width
    features = channels * height * width
    layers.append(nn.Sequential(nn.Flatten(), nn.Linear(features, hidden), activation()))
    return Layers(layers, hidden, outputs)


def _resnet(network: ConvolutionalNetwork, shape: tuple[int, int, int], outputs: int) -> Layers:
    activation = activation_of(network.activation).module
    channels = network.width
    layers = [
        nn.Sequential(
            nn.Conv2d(shape[0], channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            activation(),
        )
    ]
    for stage in range(STAGES):
        out = network.width * 2**stage
        for number in range(network.depth):
            stride = 2 if stage > 0 and number == 0 else 1
            layers.append(ResidualBlock(channels, out, stride, activation))
            channels = out
    layers.append(nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten()))
    return Layers(layers, channels, outputs)


def _initialise(module: nn.Module, seed: int) -> None:
    """Set initial weights: torch's default, uniform within +-1/sqrt(fan in), from streams named by
    layer. So networks that differ only in their nonlinearity start alike."""
    for name, layer in module.named_modules():
        if isinstance(layer, nn.Conv2d | nn.Linear):
            bound = 1 / math.sqrt(layer.weight[0].numel())
            for kind, values in layer.named_parameters():
                drawn = stream(seed, f"{name}.{kind}").uniform(-bound, bound, values.shape)
                with torch.no_grad():
                    values.copy_(torch.from_numpy(drawn))
