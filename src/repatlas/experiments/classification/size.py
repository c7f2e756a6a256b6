"""How large a network that names images is, and what its jobs do: in closed form, without torch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from repatlas.experiments.classification.spec import Spec
from repatlas.images.published import data_set

if TYPE_CHECKING:
    from repatlas.representation import Decoders

MOST_SEEDS = 4
"""Seeds that a job makes at most."""
SECONDS = {"train": (3.0, 2.3e-10), "measure": (2.0, 2.2e-11)}
"""Seconds of a job: before its first unit of work, and for each unit. Measured on one core of an
AMD EPYC, which also had other work. 880 steps of a perceptron of width 64 and depth 4 with batches
of 64 take 0.27 s, or 0.16 s each for 8 of them in a block. 40 passes over the digits take 3.1 s for
a small_cnn of width 16 and depth 3. All measures of the perceptron at ten steps take 0.85 s."""
BLOCK_RUNS = 8
"""Perceptrons that are trained together."""
VALUES = 3
"""Memory for each number that layers give, forward and back."""
CHECKPOINTS = 10
"""The number of checkpoints of a run whose layers a measure of the whole run holds at a time."""
MOST_COMPARED = 5000
"""Training images that layers are compared on; of a larger set it is the test images."""
DECOMPOSED = 10
"""Products of a singular value decomposition, for each number and feature."""


def _numbers(spec: Spec) -> tuple[int, int, int]:
    """Return, for one image, the number of products of all layers, of values that the layers give,
    and of trained values."""
    return spec.network.numbers(data_set(spec.data_set).SHAPE)


def _images(spec: Spec, data: dict[str, Any]) -> dict[str, int]:
    """Return how many there are of each split; as many as were published, until they are
    prepared."""
    found = dict(data.get("images", data_set(spec.data_set).SIZES))
    if spec.task.images is not None:
        found["train"] = min(spec.task.images, found["train"])
    return found


def training(spec: Spec, steps: int, data: dict[str, Any]) -> int:
    """Return the units of work in training a network for this number of steps: products of all
    layers, forward, in training and for the curves."""
    products, images = _numbers(spec)[0], _images(spec, data)
    batch = spec.training.batch
    each = images["train"] // batch if spec.network.kind == "mlp" else 1
    trained = batch if spec.network.kind == "mlp" else images["train"]
    scored = sum(images.values()) * (1 + steps // each)
    return products * (steps * trained + scored // VALUES)


def measuring(
    spec: Spec, measures: dict[str, list[int]], decoders: Decoders, data: dict[str, Any]
) -> int:
    """Return units of work in measuring a network: products of layers, and of what is made of them.

    measures: the steps at which each is wanted.
    """
    products, images = _numbers(spec)[0], _images(spec, data)
    layers, shown = spec.network.layers + 2, sum(images.values())
    compared = images["train" if images["train"] <= MOST_COMPARED else "test"]
    decomposed = DECOMPOSED * compared * spec.network.width**2
    units = 0
    for name, steps in measures.items():
        more = {
            "to_the_end": layers * (layers + 1) * decomposed,
            "variates": 3 * decomposed,
            "class_correlations": layers * decomposed,
        }
        units += len(steps) * (products * shown + more.get(name, 0))
    return units


def stored_bytes(spec: Spec, steps: list[int]) -> int:
    """Return bytes of all that is trained at each step, and of Adam's moments at the last, in
    float32."""
    return 4 * (len(steps) + 2) * _numbers(spec)[2]


def training_bytes(spec: Spec) -> int:
    """Return bytes of the images, as inputs and as they are stored, and of a block of networks with
    what layers give for a batch, in float32."""
    _, values, trained = _numbers(spec)
    runs = BLOCK_RUNS if spec.network.kind == "mlp" else 1
    of_run = 5 * trained + VALUES * spec.training.batch * values
    return 4 * runs * of_run + 9 * _pixels(spec)


def measuring_bytes(spec: Spec, decoders: Decoders) -> int:
    """Return bytes of all layers for all images in float64, of a perceptron at each checkpoint,
    since some measures compare these with one another; and of the images."""
    _, values, _ = _numbers(spec)
    images = sum(data_set(spec.data_set).SIZES.values())
    together = CHECKPOINTS if spec.network.kind == "mlp" else 1
    return 8 * together * images * values + 13 * _pixels(spec)


def _pixels(spec: Spec) -> int:
    published = data_set(spec.data_set)
    return sum(published.SIZES.values()) * math.prod(published.SHAPE)
