"""A task with its images: what networks are trained on, and tested on."""

from typing import NamedTuple

import numpy as np

from repatlas.artifacts.files import Arrays
from repatlas.experiments.classification.task import (
    ImageTask,
    changed_labels,
    changed_pixels,
    chosen_images,
)
from repatlas.images.mapped import mapped
from repatlas.images.scaled import Images, scale

SPLITS = ("train", "test")


class Taught(NamedTuple):
    """A task with its images: n to train on, out of N in the training split, and m to test on."""

    chosen: np.ndarray
    """(n,): the positions of the training images within the split"""
    labels: np.ndarray
    """(n,) int64: the labels that they are trained with"""
    true_labels: dict[str, np.ndarray]
    """(N or m,) int64: the published labels of a split, "train" or "test" """
    pixels: dict[str, np.ndarray]
    """(N or m, channels, height, width) of a split: uint8, or float32 where they are drawn"""
    mean: np.ndarray
    """(channels, 1, 1) float32: the mean pixel of the images to train on, before any change"""
    deviation: np.ndarray
    """(channels, 1, 1) float32: the standard deviation of these pixels"""

    def flat(self, split: str) -> np.ndarray:
        """Return the inputs of a perceptron, (N or m, features) float32. Pixels are divided by the
        largest pixel of the images to train on, and the mean of these images is subtracted."""
        trained = self.pixels["train"][self.chosen]
        largest = np.float32(trained.max())
        mean = (_rows(trained) / largest).mean(axis=0, dtype=np.float64)
        return _rows(self.pixels[split]) / largest - mean.astype(np.float32)

    def images(self, split: str) -> Images:
        """Return the images of a split with their true labels: the inputs of a convolutional
        network."""
        return Images(self.pixels[split], self.true_labels[split], self.mean, self.deviation)

    def learned(self) -> Images:
        """Return the images to train on, with the labels to learn."""
        shown = self.pixels["train"][self.chosen]
        return Images(shown, self.labels, self.mean, self.deviation)


def _rows(pixels: np.ndarray) -> np.ndarray:
    return pixels.reshape(len(pixels), -1).astype(np.float32)


def taught(task: ImageTask, data: Arrays, seed: int) -> Taught:
    """Return the task with its images, as the network of this seed is shown them."""
    draw = task.draw(seed)
    published = {split: mapped(data, f"images/{split}/images") for split in SPLITS}
    labels = {split: data[f"images/{split}/labels"].astype(np.int64) for split in SPLITS}
    chosen = chosen_images(task, len(labels["train"]), draw)
    mean, deviation = scale(published["train"][chosen])
    return Taught(
        chosen,
        changed_labels(task, labels["train"][chosen], draw),
        labels,
        {
            split: changed_pixels(task, published[split], number, mean, deviation, draw)
            for number, split in enumerate(SPLITS)
        },
        mean,
        deviation,
    )
