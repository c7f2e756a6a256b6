"""What a network that names images makes of them, as measures see it."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from repatlas.artifacts.files import Arrays
from repatlas.experiments.classification.compared import MOST_ROWS, Compared
from repatlas.experiments.classification.spec import Spec
from repatlas.experiments.classification.training import freezing, saved_gradients
from repatlas.networks.layer import Layer
from repatlas.representation import Decoders, LastLayer
from repatlas.runs import Curve, Parameters, curves_of, run_arrays


class Source:
    """The representations of the networks of one seed."""

    def __init__(self, data: Arrays, seed: int, decoders: Decoders, device: str):
        self.device = "cpu"
        self.about: dict[str, Any] = {name: data.header[name] for name in ("images", "published")}
        self._compared = Compared(data, seed)

    def of(self, spec: Spec, parameters: dict[str, np.ndarray]) -> "Checkpoint":
        """Return what a network makes of its images. parameters: as stored, at one step."""
        return Checkpoint(spec, parameters, self._compared)

    def whole_run(self, spec: Spec, runs: Arrays, key: str) -> "Whole":
        """Return all that is stored of a run."""
        arrays = run_arrays(runs, key)
        stored = runs.header["runs"][key]
        seen = {
            step: self.of(spec, Parameters(runs, key, arrays, index))
            for index, step in enumerate(stored["steps"])
        }
        return Whole(spec, seen, curves_of(arrays), len(self._compared.task(spec).chosen))


class Checkpoint:
    """A network at a step, with its images."""

    variant = "images"
    first_layer = 0
    single_layer = None
    deviations = ()

    def __init__(self, spec: Spec, parameters: dict[str, np.ndarray], compared: Compared):
        self.spec, self._parameters, self._compared = spec, parameters, compared
        self.finite = all(np.isfinite(values).all() for values in parameters.values())
        self._layers: dict[str, list[Layer]] = {}

    def layers_of_items(self, items: str) -> list[Layer]:
        """Return the layers for the images of a set, "train", "test" or "all", with one row for
        each image."""
        if items not in self._layers:
            found = self._compared.layers(self.spec, self._parameters, items)
            self._layers[items] = [layer for layer in found if layer.groups is None]
        return self._layers[items]

    @cached_property
    def usual_items(self) -> str:
        """The set that layers are compared on: the images that it is trained on, or where they are
        more than 5,000 the test images."""
        return "train" if len(self._compared.task(self.spec).chosen) <= MOST_ROWS else "test"

    def logits(self, items: str) -> np.ndarray:
        """Return (m, 10)"""
        return self.layers_of_items(items)[-2].rows

    def labels(self, items: str) -> np.ndarray:
        """Return (m,): those to learn for "train", else those that were published."""
        return self._compared.labels(self.spec, items)

    def accuracy(self, outputs: np.ndarray, items: str) -> float:
        """Return the share of images that these logits (m, 10) name right."""
        return float(np.mean(outputs.argmax(axis=1) == self.labels(items)))

    def logits_from(self, number: int, activity: np.ndarray) -> np.ndarray:
        """Return (m, 10): what the network makes of the activity (m, n) of a layer."""
        return self._compared.logits_from(self.spec, self._parameters, number, activity)

    def last_layers(self) -> Iterator[LastLayer]:
        """Yield the last hidden layer for the images that it is trained on, with the labels to
        learn, and for the test images."""
        readout = _readout(self.spec.network.kind, self._parameters)
        for variant, items in (("training", "train"), ("test", "test")):
            hidden = self.layers_of_items(items)[-3].rows
            yield LastLayer(variant, hidden, None, self.labels(items), *readout)

    def scores(self) -> Iterator[tuple[str, str, float]]:
        """Yield loss and accuracy on the images that it is trained on, accuracy on the test
        images."""
        outputs, labels = self.logits("train"), self.labels("train")
        chosen = outputs[np.arange(len(labels)), labels]
        yield "loss", "training", float(np.mean(np.logaddexp.reduce(outputs, axis=1) - chosen))
        for variant, items in (("training", "train"), ("test", "test")):
            yield "accuracy", variant, self.accuracy(self.logits(items), items)


def _readout(kind: str, parameters: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights (10, n) and the biases (10,) of the logits."""
    names = ("readout", "output_bias") if kind == "mlp" else ("readout.weight", "readout.bias")
    weights, biases = (parameters[name].astype(np.float64) for name in names)
    return weights, biases


class Whole:
    """A run: a network at all of its checkpoints, and what was recorded between them."""

    def __init__(
        self, spec: Spec, checkpoints: dict[int, Checkpoint], curves: dict[str, Curve], images: int
    ):
        self.spec, self.checkpoints, self.curves = spec, checkpoints, curves
        perceptron = spec.network.kind == "mlp"
        self._each = images // spec.training.batch if perceptron else 1

    def saved_gradients(self, step: int) -> float:
        """Return the share of the gradients of its layers that frozen layers had saved by a
        step."""
        layers = self.spec.network.layers
        return saved_gradients(freezing(self.spec.training, layers, self._each), layers, step)
