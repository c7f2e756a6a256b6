"""The parts of roles that figures of this study share: what they require of networks."""

import math
from typing import Any

from repatlas.figures.role import Role, Settings
from repatlas.images.published import data_set

MLP = {"network.kind": ("mlp",)}
CNN = {"network.kind": ("small_cnn",)}
EITHER = {"network.kind": ("mlp", "small_cnn")}
"""One of the two: a figure shows both only where its role has the kind among its axes."""


def role(
    about: str,
    measures: set[str],
    only: dict[str, tuple] | None = None,
    several_activations: bool = True,
    **more: Any,
) -> Role:
    """Return a role of networks that name images.

    A figure shows several values of the settings in `axes`. Activations are among them, except
    where medians are over networks of all activations.
    """
    axes = {*more.pop("axes", ()), *(["network.activation"] if several_activations else [])}
    return Role(about, measures, only or {}, experiment="classification", axes=axes, **more)


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
