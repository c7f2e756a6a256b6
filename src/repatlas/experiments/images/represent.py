"""What a network on images makes of images that it was not trained on.

The class means take the part that cluster centres have in the other figures: each class is one
condition, with the mean over its held-out images as its pattern.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch

from repatlas.artifacts.files import Arrays
from repatlas.experiments.images.spec import ImageSpec
from repatlas.experiments.images.task import LABELS, class_labels, one_hot
from repatlas.images.content import CLASSES
from repatlas.images.mapped import mapped
from repatlas.images.published import data_set
from repatlas.images.scaled import Images, scale
from repatlas.images.training import load_parameters
from repatlas.networks.convolutional import Layers, build
from repatlas.networks.devices import chosen_device
from repatlas.representation import Decoders, LastLayer

IMAGES_PER_MEASURING = 100
"""The images of one pass. ResNet-18 at full width takes 1 GB for this number of images of
STL-10."""


class Activity(NamedTuple):
    """What a network does with held-out images."""

    means: list[np.ndarray]
    """The mean of each class at each layer, (10, n); the input comes first"""
    final: np.ndarray
    """(images, n): the last hidden layer"""
    accuracy: float


class Source:
    """The representations of the networks of one seed."""

    def __init__(self, data: Arrays, seed: int, decoders: Decoders, device: str):
        self.seed, self.device = seed, chosen_device(device)
        self.classes = data["test/labels"].astype(np.int64)
        self.pixels = mapped(data, "test/images")
        self.scales = scale(mapped(data, "train/images"))
        self.about: dict[str, Any] = {name: data.header[name] for name in ("images", "published")}

    def of(self, spec: ImageSpec, parameters: dict[str, np.ndarray]) -> "ClassMeans":
        """Return what a network makes of the held-out images. parameters: its weights, and the
        running statistics of batch normalisation, at one epoch."""
        labels = class_labels(spec.pairing, self.seed)
        module = build(self.seed, spec.network, data_set(spec.data_set).SHAPE, LABELS)
        load_parameters(module, {name: parameters[name] for name in module.state_dict()})
        images = Images(self.pixels, labels[self.classes], *self.scales)
        readout = parameters["readout.weight"], parameters["readout.bias"]
        return ClassMeans(
            activity(module.to(self.device), images, self.classes), self.classes, labels, readout
        )


class ClassMeans:
    """A network at an epoch, by what it does with held-out images."""

    variant = "class means"
    first_layer = 0
    deviations = ()

    def __init__(
        self,
        found: Activity,
        classes: np.ndarray,
        labels: np.ndarray,
        readout: tuple[np.ndarray, np.ndarray],
    ):
        """Set up the classes. classes: (images,), 0 .. 9; labels: (10,), the label of each class;
        readout: the weights and biases of the logits."""
        self.layers = found.means
        self.inputs, self.targets = found.means[0], one_hot(labels)
        self.single_layer = len(found.means) - 1
        self.finite = all(np.isfinite(values).all() for values in (*found.means, found.final))
        self._found, self._classes, self._labels = found, classes, labels
        self._readout = tuple(values.astype(np.float64) for values in readout)

    def samples(self, split: str, deviation: float | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the activity of the last hidden layer for each image, (m, n), and the class of
        each, (m,), for every split. Decoders are fitted on some classes and scored on others."""
        return self._found.final, self._classes

    def last_layers(self) -> Iterator[LastLayer]:
        """Yield the last hidden layer for the held-out images."""
        labels = self._labels[self._classes]
        yield LastLayer("test", self._found.final, self._classes, labels, *self._readout)

    def scores(self) -> Iterator[tuple[str, str, float]]:
        """Yield accuracy on the held-out images."""
        yield "accuracy", "test", self._found.accuracy


def activity(module: Layers, images: Images, classes: np.ndarray) -> Activity:
    """Return the activity of a network in evaluation. classes: (images,), 0 .. 9."""
    device = next(module.parameters()).device
    module.eval()
    sums: list[np.ndarray] = []
    final, hits = [], 0
    with torch.no_grad():
        for start in range(0, len(classes), IMAGES_PER_MEASURING):
            part = slice(start, start + IMAGES_PER_MEASURING)
            inputs = torch.from_numpy(images.inputs(part)).to(
                device, memory_format=torch.channels_last
            )
            layers = [inputs, *module.representations(inputs)]
            predicted = module.readout(layers[-1]).argmax(1).cpu().numpy()
            hits += int((predicted == images.labels[part]).sum())
            final.append(layers[-1].cpu().numpy())
            of_class = np.eye(CLASSES)[:, classes[part]]  # (10, batch)
            found = [of_class @ layer.flatten(1).double().cpu().numpy() for layer in layers]
            sums = [a + b for a, b in zip(sums, found, strict=True)] if sums else found
    counts = np.bincount(classes, minlength=CLASSES)[:, None]
    means = [each / counts for each in sums]
    return Activity(means, np.concatenate(final).astype(np.float64), hits / len(classes))
