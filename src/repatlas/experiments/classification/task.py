"""What is learned of a data set: which images, with which labels and which pixels.

All of it is drawn from streams without a network's seed. It is the same for all networks, so that
those of different seeds differ in their start and in the order of batches alone.
"""

from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from repatlas.images.content import CLASSES
from repatlas.record import LARGEST_WHOLE, Number, Record, refuse
from repatlas.streams import stream

COMMON = 0
"""Stands where other streams have a network's seed."""


class ImageTask(Record):
    """Images, their labels and their pixels, as published or changed (Zhang et al. 2017, section
    2.1; Morcos et al. 2018, section 3.1)."""

    images: int | None = Field(None, ge=2, le=LARGEST_WHOLE)
    """The training images: the first so many of a fixed permutation; null for all."""
    labels: Literal["original", "permuted", "random"] = "original"
    """Labels of the training images: as published; in another order; or with a chance for each to
    be replaced. Test images keep theirs."""
    corrupted: Number = Field(1.0, gt=0, le=1)
    """Of random labels: the probability that one is replaced by a class drawn uniformly, which may
    be the same one."""
    pixels: Literal["original", "shuffled", "random", "gaussian"] = "original"
    """Pixels of training and test images: as published; in another order, the same for all images;
    in an order of its own for each image; or normal, with mean and variance of the training images.
    """

    @model_validator(mode="after")
    def _corrupts_random_labels(self):
        if self.labels != "random" and self.corrupted != 1:
            refuse(
                f"task.corrupted: found {self.corrupted:g} with labels {self.labels!r}, allowed: a"
                " number below 1 with labels 'random'"
            )
        return self


def chosen_images(task: ImageTask, number: int) -> np.ndarray:
    """(n,): the places of the images to train on, of so many."""
    if task.images is None:
        return np.arange(number)
    if task.images > number:
        refuse(f"task.images: found {task.images}, allowed: at most the {number} training images")
    return stream(COMMON, "chosen images").permutation(number)[: task.images]


def changed_labels(task: ImageTask, labels: np.ndarray) -> np.ndarray:
    """(n,): what the images with these labels are trained with. Of two random tasks, that which
    corrupts more replaces the labels that the other replaces, by the same ones, and more."""
    if task.labels == "permuted":
        return stream(COMMON, "order of labels").permutation(labels)
    if task.labels == "random":
        replaced = stream(COMMON, "corrupted labels").random(len(labels)) < task.corrupted
        drawn = stream(COMMON, "random labels").integers(0, CLASSES, len(labels))
        return np.where(replaced, drawn, labels)
    return labels


def changed_pixels(
    task: ImageTask, images: np.ndarray, number: int, mean: np.ndarray, deviation: np.ndarray
) -> np.ndarray:
    """Images (m, channels, height, width) of the split of this number, as they are shown. The
    channels of a pixel stay together."""
    if task.pixels == "original":
        return images
    if task.pixels == "gaussian":
        drawn = stream(COMMON, "normal pixels", number).standard_normal(images.shape, np.float32)
        return drawn * deviation + mean
    pixels = images.reshape(*images.shape[:2], -1)
    if task.pixels == "shuffled":
        order = stream(COMMON, "order of pixels").permutation(pixels.shape[2])
        return pixels[:, :, order].reshape(images.shape)
    order = np.arange(pixels.shape[2])[None].repeat(len(images), axis=0)
    order = stream(COMMON, "orders of pixels", number).permuted(order, axis=1)
    return np.take_along_axis(pixels, order[:, None], axis=2).reshape(images.shape)
