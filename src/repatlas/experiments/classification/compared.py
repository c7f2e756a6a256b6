"""What of a network that names images is compared with others: each layer, for the same images."""

from collections.abc import Iterator

import numpy as np

from repatlas.artifacts.files import Arrays
from repatlas.experiments.classification.spec import Spec
from repatlas.experiments.classification.task import COMMON, ImageTask
from repatlas.experiments.classification.taught import Taught, taught
from repatlas.networks.layer import Layer
from repatlas.networks.mlp import hidden_layers, logits
from repatlas.streams import stream

SETS = ("train", "test", "all")
"""The sets of items: the images that a network is trained on, the test images, and all images of
the data set. The last set has the training images first, and then all others, used or not."""
MOST_ROWS = 5000
"""Rows of a layer whose positions are rows: all positions of as many images as fit, the same ones
for all networks. Images are whole, so that a noise floor can exchange them."""

Parameters = dict[str, np.ndarray]


class Compared:
    """The layers of networks of one data set: the input, each hidden layer after its nonlinearity
    (and its pooling), the logits and the softmax, numbered from 0 in this order."""

    def __init__(self, data: Arrays, seed: int):
        self.data, self.seed = data, seed
        self._taught: dict[ImageTask, Taught] = {}
        self._inputs: dict[tuple[ImageTask, str], np.ndarray] = {}

    def sets(self, spec: Spec) -> tuple[str, ...]:
        """Return the names of the sets of items."""
        return SETS

    def task(self, spec: Spec) -> Taught:
        """Return what a network learns, with its images."""
        if spec.task not in self._taught:
            self._taught[spec.task] = taught(spec.task, self.data, self.seed)
        return self._taught[spec.task]

    def labels(self, spec: Spec, items: str) -> np.ndarray:
        """Return (m,): of "train" the labels to learn; of the others those that were published."""
        task = self.task(spec)
        if items == "train":
            return task.labels
        splits = ("test",) if items == "test" else ("train", "test")
        return np.concatenate([task.true_labels[split] for split in splits])

    def layers(self, spec: Spec, parameters: Parameters, items: str) -> list[Layer]:
        """Return every layer, in order of depth. Convolutions have two reductions, "spatial", with
        at most 5,000 positions, and "pooled". The input of a convolutional network is "flat".

        parameters: those at one step.
        """
        if spec.network.kind == "mlp":
            hidden = list(self._perceptron_layers(spec, parameters, items))
        else:
            hidden = list(self._convolution_layers(spec, parameters, items))
        outputs = self.logits_from(spec, parameters, hidden[-1].number, hidden[-1].rows)
        number = hidden[-1].number + 1
        return [
            *hidden,
            Layer(number, "logits", "", outputs),
            Layer(number + 1, "softmax", "", _softmax(outputs)),
        ]

    def logits_from(
        self, spec: Spec, parameters: Parameters, number: int, activity: np.ndarray
    ) -> np.ndarray:
        """Return (m, 10): what the rest of the network makes of the activity (m, n) of a layer. Of
        a convolutional network that is the last hidden layer alone."""
        if spec.network.kind == "mlp":
            above = _doubled(parameters)
            for layer in range(number + 1, spec.network.depth + 1):
                names = {f"weights{layer}": "weights1", f"bias{layer}": "bias1"}
                of_layer = {new: above[name] for name, new in names.items()}
                (activity,) = hidden_layers(activity, of_layer, spec.network.activation)
            return logits(activity, above)
        if number != spec.network.depth + 1:
            raise ValueError(
                f"number is {number}; of a convolutional network allowed is the last hidden layer,"
                f" {spec.network.depth + 1}."
            )
        weights, bias = (_doubled(parameters)[f"readout.{kind}"] for kind in ("weight", "bias"))
        return activity @ weights.T + bias

    def _perceptron_layers(self, spec: Spec, parameters: Parameters, items: str) -> Iterator[Layer]:
        inputs = self._inputs_of_perceptron(spec, items)
        yield Layer(0, "input", "", inputs)
        found = hidden_layers(inputs, _doubled(parameters), spec.network.activation)
        for number, rows in enumerate(found, start=1):
            yield Layer(number, f"hidden{number}", "", rows)

    def _inputs_of_perceptron(self, spec: Spec, items: str) -> np.ndarray:
        """Return (m, N), kept for all networks of a task and this seed."""
        if (spec.task, items) not in self._inputs:
            task = self.task(spec)
            splits = ("train", "test") if items == "all" else (items,)
            inputs = np.concatenate([task.flat(split) for split in splits])
            shown = inputs[task.chosen] if items == "train" else inputs
            self._inputs[spec.task, items] = shown.astype(np.float64)
        return self._inputs[spec.task, items]

    def _convolution_layers(
        self, spec: Spec, parameters: Parameters, items: str
    ) -> Iterator[Layer]:
        # Here, since it loads torch, which takes longer than to compare some perceptrons.
        from repatlas.experiments.classification.convolved import representations

        task = self.task(spec)
        parts = {
            "train": (task.learned(),),
            "test": (task.images("test"),),
            "all": (task.images("train"), task.images("test")),
        }
        found = [representations(spec, self.seed, parameters, part) for part in parts[items]]
        for number, of_parts in enumerate(zip(*found, strict=True)):
            activity = np.concatenate(of_parts)
            if number == 0:
                yield Layer(0, "input", "flat", activity.reshape(len(activity), -1))
            elif activity.ndim == 4:
                name = f"conv{number}"
                yield _spatial(number, name, activity)
                yield Layer(number, name, "pooled", activity.mean(axis=(2, 3)))
            else:
                yield Layer(number, f"hidden{number}", "", activity)


def _spatial(number: int, name: str, activity: np.ndarray) -> Layer:
    """Return every position a row, in the order of images; of too many images, some drawn without a
    seed."""
    images, channels, height, width = activity.shape
    chosen = np.arange(images)
    if images * height * width > MOST_ROWS:
        drawn = stream(COMMON, "rows of items", height * width).permutation(images)
        chosen = np.sort(drawn[: max(MOST_ROWS // (height * width), 1)])
    found = activity[chosen].transpose(0, 2, 3, 1).reshape(-1, channels)
    return Layer(number, name, "spatial", found, chosen.repeat(height * width))


def _softmax(outputs: np.ndarray) -> np.ndarray:
    powers = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def _doubled(parameters: Parameters) -> Parameters:
    return {name: values.astype(np.float64) for name, values in parameters.items()}
