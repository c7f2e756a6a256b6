"""What is measured of a network at a checkpoint: each measure yields rows of the metrics table.

To add a measure, write its function, enter it in MEASURES and name it in config.MeasureName.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from repgeom.decoders import Decoders, Samples
from repgeom.geometry import (
    balanced_dichotomies,
    centred_kernel,
    decoding_accuracies,
    kernel_alignment,
    matched_ccgp,
    matched_parallelism_score,
    participation_ratio,
)
from repgeom.networks.mlp import hidden_layers, logits
from repgeom.spec import Spec
from repgeom.tasks import TaskArrays


class Row(NamedTuple):
    measure: str
    variant: str
    value: float
    neuron: int | None = None
    cluster: int | None = None


class SeedSamples(NamedTuple):
    """The samples that all networks of a seed are measured on."""

    training: Samples
    """Those that the networks were trained on."""
    decoder_training: Samples
    decoder_test: Samples


class Checkpoint:
    """A network at a step, with its task and what it is measured on."""

    def __init__(
        self,
        spec: Spec,
        task: TaskArrays,
        parameters: dict[str, np.ndarray],  # as networks.mlp names them
        samples: SeedSamples,
        decoders: Decoders,
    ):
        self.spec, self.task, self.samples, self.decoders = spec, task, samples, decoders
        self.parameters = {name: array.astype(np.float64) for name, array in parameters.items()}

    @property
    def dichotomy(self) -> np.ndarray:
        """(P,) of +-1: the trained one."""
        return np.where(self.task.labels[:, 0] > 0, 1, -1)

    @cached_property
    def layers(self) -> list[np.ndarray]:
        """(P, H) for each hidden layer: its activity at the centres, without noise."""
        return self._layers(self.task.centres)

    @property
    def patterns(self) -> np.ndarray:
        """(P, H): activity of the last hidden layer at the centres, without noise."""
        return self.layers[-1]

    @cached_property
    def decoder_inputs(self) -> dict[float, tuple]:
        """For each sigma_test, (activity, conditions) to fit on, and the same to score on."""
        fitted, scored = self.samples.decoder_training, self.samples.decoder_test
        return {
            deviation: tuple(
                (self.noisy(samples, deviation), samples.conditions) for samples in (fitted, scored)
            )
            for deviation in self.decoders.test_deviations
        }

    def noisy(self, samples: Samples, deviation: float) -> np.ndarray:
        """(m, H): activity of the last hidden layer for noisy inputs."""
        inputs = self.task.centres[samples.conditions] + deviation * samples.noise
        return self._layers(inputs)[-1]

    def _layers(self, inputs: np.ndarray) -> list[np.ndarray]:
        return hidden_layers(inputs, self.parameters, self.spec.network.activation)


def accuracy(network: Checkpoint) -> Iterator[Row]:
    """Loss on the training samples, and accuracy on them, on fresh ones and at the centres."""
    deviation = np.sqrt(network.spec.task.noise_variance)
    for variant, samples in (
        ("training", network.samples.training),
        ("test", network.samples.decoder_test),
    ):
        outputs = logits(network.noisy(samples, deviation), network.parameters)
        labels = network.task.labels[samples.conditions]
        yield Row("accuracy", variant, np.mean((outputs > 0) == (labels > 0)))
        if variant == "training":
            cross_entropy = np.logaddexp(0, outputs) - labels * outputs
            yield Row("loss", variant, cross_entropy.sum(axis=1).mean())
    outputs = logits(network.patterns, network.parameters)
    yield Row("accuracy", "centres", np.mean((outputs > 0) == (network.task.labels > 0)))


def alignment(network: Checkpoint) -> Iterator[Row]:
    """Kernel alignment of the hidden layer with targets and inputs (section 3), from its patterns
    at the centres and, as a check, from its means over noisy samples."""
    centres, labels = network.task.centres, network.task.labels
    hidden, conditions = network.decoder_inputs[min(network.decoders.test_deviations)][1]
    means = np.stack([hidden[conditions == c].mean(axis=0) for c in range(len(centres))])
    for variant, patterns in (("centres", network.patterns), ("sample means", means)):
        yield Row("target_alignment", variant, kernel_alignment(patterns, labels))
        yield Row("input_alignment", variant, kernel_alignment(patterns, centres))
    yield Row("input_output_alignment", "centres", kernel_alignment(centres, labels))
    dimensionality = participation_ratio(centred_kernel(network.patterns))
    yield Row("participation_ratio", "centres", dimensionality)


def parallelism(network: Checkpoint) -> Iterator[Row]:
    """Parallelism score of the trained dichotomy (section 3)."""
    score = matched_parallelism_score(network.patterns, network.dichotomy)
    yield Row("parallelism", "centres", score)


def ccgp(network: Checkpoint) -> Iterator[Row]:
    """CCGP of the trained dichotomy (section 3); also with hidden activity scaled to a root mean
    square of 1, since the regularisation of the decoder is not indifferent to its scale."""
    for deviation, (fitted, _) in network.decoder_inputs.items():
        hidden, conditions = fitted
        for variant, scale in (("", 1.0), (" rescaled", np.sqrt(np.mean(hidden**2)))):
            score = matched_ccgp(
                hidden / max(scale, np.finfo(float).tiny),
                conditions,
                network.dichotomy,
                network.decoders.regularisation,
            )
            yield Row("ccgp", f"sigma_test={deviation:g}{variant}", score)


def decoding(network: Checkpoint) -> Iterator[Row]:
    """Decodability of the trained dichotomy, and the mean over the untrained ones (section 3)."""
    dichotomies = balanced_dichotomies(len(network.dichotomy))
    trained = np.abs(dichotomies @ network.dichotomy) == len(network.dichotomy)
    for deviation, (fitted, scored) in network.decoder_inputs.items():
        accuracies = decoding_accuracies(
            fitted, scored, dichotomies, network.decoders.regularisation
        )
        variant = f"sigma_test={deviation:g}"
        yield Row("decoding_trained", variant, accuracies[trained].mean())
        yield Row("decoding_untrained", variant, accuracies[~trained].mean())


def selectivity(network: Checkpoint) -> Iterator[Row]:
    """Where the weights of the neurons with a positive readout weight stand in the plane of the
    inter-class axis and their intra-class axis (section 4.1.1), and where the centres do."""
    inter, intra, other_intra = network.task.axes
    positive = np.flatnonzero(network.parameters["readout"][0] > 0)
    weights = network.parameters["weights1"]
    along = {"inter": weights @ inter, "intra": weights @ intra}
    for variant, coordinates in along.items():
        for neuron in positive:
            yield Row("weight", variant, coordinates[neuron], neuron=int(neuron))
    is_inter = np.abs(along["intra"]) < along["inter"]
    yield Row("inter_selective", "fraction", is_inter[positive].mean())
    for variant, axis in (("inter", inter), ("intra", intra), ("other intra", other_intra)):
        for cluster, coordinate in enumerate(network.task.centres @ axis):
            yield Row("centre", variant, coordinate, cluster=cluster)


MEASURES = {
    "accuracy": accuracy,
    "alignment": alignment,
    "parallelism": parallelism,
    "ccgp": ccgp,
    "decoding": decoding,
    "selectivity": selectivity,
}
