"""The parts of roles that figures of this study share: what they require of networks."""

import math

from repatlas.figures.role import Settings
from repatlas.images.published import data_set

MLP = {"experiment": ("classification",), "network.kind": ("mlp",)}
CNN = {"experiment": ("classification",), "network.kind": ("small_cnn",)}
EITHER = {"experiment": ("classification",), "network.kind": ("mlp", "small_cnn")}
"""One of the two: a figure shows both only where its role has the kind among its axes."""


def pixels(network: Settings) -> int:
    """Return the number of features of the input."""
    return math.prod(data_set(network["data_set"]).SHAPE)


def last_hidden(network: Settings) -> int:
    """Return the number of features of the last hidden layer. All layers of a perceptron have this
    number."""
    channels = 8 if network["network.kind"] == "small_cnn" else 1
    return channels * network["network.width"]


def training_images(network: Settings) -> int:
    """Return the number of images that a network is trained on."""
    return network.get("task.images") or data_set(network["data_set"]).SIZES["train"]
