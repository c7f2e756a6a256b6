"""The task of a network that classifies images: which images of a data set, with which labels and
which pixels.

Networks of one draw learn the same images, labels and pixels. They differ only in their initial
weights and in the order of batches. All networks have draw 0, except the networks of a task that
says how many seeds share a draw.
"""

from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from repatlas.images.content import CLASSES
from repatlas.record import LARGEST_WHOLE, Number, Record, refuse
from repatlas.streams import stream

COMMON = 0
"""The draw of all networks of a task that does not say how many seeds share a draw. Its number
takes the place of a seed in the name of a stream."""


class ImageTask(Record):
    """Images, their labels and their pixels, as published or changed (Zhang et al. 2017, section
    2.1; Morcos et al. 2018, section 3.1)."""

    images: int | None = Field(None, ge=2, le=LARGEST_WHOLE)
    """The number of training images, taken from the start of a fixed permutation; null for all."""
    labels: Literal["original", "permuted", "random"] = "original"
    """Labels of the training images: as published; in another order; or with a chance for each to
    be replaced. Test images keep theirs."""
    corrupted: Number = Field(1.0, gt=0, le=1)
    """For random labels: the probability that a label is replaced by a class drawn uniformly, which
    may be the same class."""
    pixels: Literal["original", "shuffled", "random", "gaussian"] = "original"
    """Pixels of training and test images. They are as published; in another order, the same for all
    images; in a separate order for each image; or normal, with the mean and variance of the
    training images."""
    seeds_per_draw: int | None = Field(None, ge=1, le=LARGEST_WHOLE)
    """How many seeds share a draw of the images, labels and pixels. With 2, seeds 0 and 1 learn the
    same, seeds 2 and 3 something else, and so on. null: all seeds learn the same."""

    def draw(self, seed: int) -> int:
        """Return the number of the draw that the network of this seed learns."""
        return COMMON if self.seeds_per_draw is None else seed // self.seeds_per_draw

    @model_validator(mode="after")
    def _corrupts_random_labels(self):
        if self.labels != "random" and self.corrupted != 1:
            refuse(
                f"task.corrupted: found {self.corrupted:g} with labels {self.labels!r}, allowed: a"
                " number below 1 with labels 'random'"
            )
        return self


def chosen_images(task: ImageTask, number: int, draw: int = COMMON) -> np.ndarray:
    """Return the places of the images to train on, (n,), among this number of images."""
    if task.images is None:
        return np.arange(number)
    if task.images > number:
        refuse(f"task.images: found {task.images}, allowed: at most the {number} training images")
    return stream(draw, "chosen images").permutation(number)[: task.images]


def changed_labels(task: ImageTask, labels: np.ndarray, draw: int = COMMON) -> np.ndarray:
    """Return (n,): the training labels of images with these labels. Of two random tasks, the one
    that corrupts more replaces all labels that the other replaces, by the same labels, and then
    more."""
    if task.labels == "permuted":
        return stream(draw, "order of labels").permutation(labels)
    if task.labels == "random":
        replaced = stream(draw, "corrupted labels").random(len(labels)) < task.corrupted
        drawn = stream(draw, "random labels").integers(0, CLASSES, len(labels))
        return np.where(replaced, drawn, labels)
    return labels


def changed_pixels(
    task: ImageTask,
    images: np.ndarray,
    number: int,
    mean: np.ndarray,
    deviation: np.ndarray,
    draw: int = COMMON,
) -> np.ndarray:
    """Return images (m, channels, height, width) of the split of this number, as they are shown.
    The channels of a pixel stay together."""
    if task.pixels == "original":
        return images
    if task.pixels == "gaussian":
        noise = stream(draw, "normal pixels", number).standard_normal(images.shape, np.float32)
        return noise * deviation + mean
    pixels = images.reshape(*images.shape[:2], -1)
    if task.pixels == "shuffled":
        order = stream(draw, "order of pixels").permutation(pixels.shape[2])
        return pixels[:, :, order].reshape(images.shape)
    order = np.arange(pixels.shape[2])[None].repeat(len(images), axis=0)
    order = stream(draw, "orders of pixels", number).permuted(order, axis=1)
    return np.take_along_axis(pixels, order[:, None], axis=2).reshape(images.shape)
