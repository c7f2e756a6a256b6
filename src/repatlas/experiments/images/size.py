"""How large a network on images is, and what its jobs do: in closed form, without torch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from repatlas.experiments.images.spec import ImageSpec
from repatlas.experiments.images.task import LABELS
from repatlas.images.published import data_set
from repatlas.networks import architectures

if TYPE_CHECKING:
    from repatlas.representation import Decoders

MOST_SEEDS = 1
"""Seeds that a job makes at most."""
SECONDS = {"train": (4.0, 4.5e-11), "measure": (3.0, 1.7e-11)}
"""Seconds of a job: before its first unit of work, and for each unit. One core's time of an AMD
EPYC, not the clock's, since others were at work. From 23 jobs of the small networks and of
ResNet-18 with 16 channels, and from short jobs with ResNet-18 in full (64 channels) on made-up
images of 32 and 96 pixels. ResNet-18 in full took 0.7 to 1 times the estimate, the small networks
0.9 to 2.1 times: what is no product (nonlinearities, Adam, files) counts more for them."""
IMAGES_PER_MEASURING = 100
"""The images of one pass. ResNet-18 at full width takes 1 GB for this number of images of
STL-10."""
MEGABYTES_PER_VALUE = 3
"""Memory for each megabyte that convolutions give for the images of one pass; 0.9 to 2.7 were
measured. To go back, torch also keeps what nonlinearities, normalisation and pooling give."""


def size(spec: ImageSpec) -> architectures.Size:
    """Return the size of its network, for one image."""
    return architectures.size(spec.network, data_set(spec.data_set).SHAPE, LABELS)


def training(spec: ImageSpec, steps: int, data: dict[str, Any]) -> int:
    """Return the units of work in training a network for this number of epochs: products of all
    layers, forward.

    data: the header of the file of the images; empty if there is no file yet.
    """
    return steps * _images(spec, "train", data) * size(spec).products


def measuring(
    spec: ImageSpec, measures: dict[str, list[int]], decoders: Decoders, data: dict[str, Any]
) -> int:
    """Return units of work in measuring a network: products of all layers, forward.

    measures: the epochs at which each is wanted.
    """
    passes = len(set().union(*measures.values()))
    return passes * _images(spec, "test", data) * size(spec).products


def _images(spec: ImageSpec, split: str, data: dict[str, Any]) -> int:
    """Return how many images there are; as many as were published, until they are prepared."""
    return data.get("images", data_set(spec.data_set).SIZES)[split]


def stored_bytes(spec: ImageSpec, epochs: list[int]) -> int:
    """Return bytes of a network at each of its epochs, and of Adam's moments at the last, in
    float32."""
    network = size(spec)
    stored = len(epochs) * (network.trained + network.running)
    return 4 * (stored + 2 * network.trained)


def training_bytes(spec: ImageSpec) -> int:
    """Return bytes of a batch in all layers, and of the images, which are mapped into memory."""
    values = 4 * spec.training.batch * size(spec).values
    return MEGABYTES_PER_VALUE * values + _mapped(spec)


def measuring_bytes(spec: ImageSpec, decoders: Decoders) -> int:
    """Return bytes of the images of one pass in all layers, and of all images, which are mapped
    into memory."""
    values = 4 * IMAGES_PER_MEASURING * size(spec).values
    return MEGABYTES_PER_VALUE * values + _mapped(spec)


def _mapped(spec: ImageSpec) -> int:
    images = data_set(spec.data_set)
    return sum(images.SIZES.values()) * math.prod(images.SHAPE)
