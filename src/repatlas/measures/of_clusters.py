"""What is measured of a network at a checkpoint: each measure yields rows of the metrics table.

To add a measure, write its function, enter it in MEASURES and name it in config.MeasureName.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from repatlas.dynamics.field import gradient_field
from repatlas.experiments.clusters.spec import Spec
from repatlas.experiments.clusters.tasks import TaskArrays
from repatlas.geometry import (
    NotConverged,
    alignment_of_kernels,
    balanced_dichotomies,
    centred_kernel,
    decoding_accuracies,
    matched_ccgp,
    matched_parallelism_score,
    parallelism_score,
    participation_ratio,
)
from repatlas.geometry import ccgp as factorial_ccgp
from repatlas.networks.mlp import hidden_layers, logits
from repatlas.representation import Decoders, Samples

AXES = ("inter", "intra", "other intra")


class Row(NamedTuple):
    measure: str
    variant: str
    value: float
    layer: int | None = None
    neuron: int | None = None
    cluster: int | None = None
    other_cluster: int | None = None
    reason: str | None = None
    """Why the value is missing: for the log"""


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
    def dichotomies(self) -> np.ndarray:
        """(K, P) of +-1: the trained ones."""
        return np.where(self.task.labels.T > 0, 1, -1)

    @property
    def is_factorial(self) -> bool:
        """Whether the targets, two or more, index the clusters: P = 2^K, with every combination."""
        clusters, targets = self.task.labels.shape
        words = len(np.unique(self.task.labels, axis=0))
        return targets > 1 and words == clusters == 2**targets

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
        centres = self.task.centres[samples.conditions]
        inputs = self.spec.task.inputs_around(centres, samples.noise, deviation)
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
    at the centres and, as a check, from its means over noisy samples. The clusters are all that
    there are, and no sample of more: alignment in its plain form has no bias here."""
    centres = network.task.centres
    inputs, targets = centred_kernel(centres), centred_kernel(network.task.labels)
    hidden, conditions = network.decoder_inputs[min(network.decoders.test_deviations)][1]
    means = np.stack([hidden[conditions == c].mean(axis=0) for c in range(len(centres))])
    for layer, patterns in enumerate(network.layers, start=1):
        hidden_kernel = centred_kernel(patterns)
        for name, other in (("target_alignment", targets), ("input_alignment", inputs)):
            yield Row(name, "centres", alignment_of_kernels(hidden_kernel, other), layer)
    of_means, last = centred_kernel(means), len(network.layers)
    for name, other in (("target_alignment", targets), ("input_alignment", inputs)):
        yield Row(name, "sample means", alignment_of_kernels(of_means, other), last)
    yield Row("input_output_alignment", "centres", alignment_of_kernels(inputs, targets))
    yield Row("participation_ratio", "centres", participation_ratio(hidden_kernel))
    yield Row("input_participation_ratio", "centres", participation_ratio(inputs))


def parallelism(network: Checkpoint) -> Iterator[Row]:
    """Parallelism score, mean over the trained dichotomies (section 3): over contexts where the
    targets are factorial, else over a pairing: the best of 4 clusters, the nearest of more."""
    patterns, clusters = network.patterns, len(network.patterns)
    if network.is_factorial:
        labels = network.task.labels
        scores = [parallelism_score(patterns, labels, target) for target in range(labels.shape[1])]
        yield Row("parallelism", "centres", np.mean(scores))
    pairings = {"matched" if network.is_factorial else "centres": "nearest"}
    if clusters == 4:
        pairings = {name: "best" for name in pairings}
    elif clusters <= 8:
        pairings["best pairing"] = "best"
    for variant, pairing in pairings.items():
        scores = [matched_parallelism_score(patterns, d, pairing) for d in network.dichotomies]
        yield Row("parallelism", variant, np.mean(scores))


def ccgp(network: Checkpoint) -> Iterator[Row]:
    """CCGP, mean over the trained dichotomies (section 3), over contexts or pairs as parallelism;
    also with hidden activity scaled to a root mean square of 1, since the regularisation of the
    decoder is not indifferent to its scale."""
    for deviation, (fitted, _) in network.decoder_inputs.items():
        hidden, conditions = fitted
        for variant, scale in (("", 1.0), (" rescaled", np.sqrt(np.mean(hidden**2)))):
            scaled = hidden / max(scale, np.finfo(float).tiny)
            value, reason = _decoded(_mean_ccgp, network, scaled, conditions)
            yield Row("ccgp", f"sigma_test={deviation:g}{variant}", value, reason=reason)


def _mean_ccgp(network: Checkpoint, hidden: np.ndarray, conditions: np.ndarray) -> float:
    """Over the trained dichotomies."""
    labels, settings = network.task.labels, _decoder_settings(network)
    if network.is_factorial:
        targets = range(labels.shape[1])
        return np.mean([factorial_ccgp(hidden, conditions, labels, t, **settings) for t in targets])
    return np.mean([matched_ccgp(hidden, conditions, d, **settings) for d in network.dichotomies])


def _decoder_settings(network: Checkpoint) -> dict[str, Any]:
    """The decoders see activity as it is, not standardised: as in the paper."""
    return {"C": network.decoders.regularisation, "scale": None}


def _decoded(score: Callable, *arguments, **settings) -> tuple[Any, str | None]:
    """A score of decoders; or nan, and why: activity may be finite, but so large that double
    precision can't fit a decoder to it. The network's other measures are sound."""
    try:
        return score(*arguments, **settings), None
    except NotConverged as error:
        return np.nan, f"the decoder did not converge. {error}"


def decoding(network: Checkpoint) -> Iterator[Row]:
    """Decodability of the trained dichotomies, and the mean over the untrained ones (section 3)."""
    clusters = len(network.task.centres)
    dichotomies = balanced_dichotomies(clusters)
    trained = (np.abs(dichotomies @ network.dichotomies.T) == clusters).any(axis=1)
    for deviation, (fitted, scored) in network.decoder_inputs.items():
        variant, settings = f"sigma_test={deviation:g}", _decoder_settings(network)
        accuracies, reason = _decoded(decoding_accuracies, fitted, scored, dichotomies, **settings)
        accuracies = np.broadcast_to(accuracies, len(dichotomies))
        yield Row("decoding_trained", variant, accuracies[trained].mean(), reason=reason)
        yield Row("decoding_untrained", variant, accuracies[~trained].mean(), reason=reason)


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
    for variant, axis in zip(AXES, (inter, intra, other_intra), strict=True):
        for cluster, coordinate in enumerate(network.task.centres @ axis):
            yield Row("centre", variant, coordinate, cluster=cluster)


def update(network: Checkpoint) -> Iterator[Row]:
    """The expected update of the input weights of the neurons with a positive readout weight, under
    errors of equal size (equation 1), and the weights, in the space that the centres span."""
    axes, centres = network.task.axes, network.task.centres
    positive = np.flatnonzero(network.parameters["readout"][0] > 0)
    weights = network.parameters["weights1"][positive]
    errors = 2 * network.task.labels[:, 0] - 1
    deviation = np.sqrt(network.spec.task.noise_variance) * network.spec.task.unit
    field = gradient_field(weights, centres, errors, deviation, network.spec.network.activation)
    for name, vectors in (("expected_update", field), ("position", weights)):
        for axis, along in zip(AXES, (vectors @ axes.T).T, strict=True):
            for neuron, value in zip(positive, along, strict=True):
                yield Row(name, axis, value, neuron=int(neuron))


def tuning(network: Checkpoint) -> Iterator[Row]:
    """How much the input weights of each neuron point to each centre, w . x_i / |x_i| (appendix
    A), and its readout weights, which tell its group."""
    centres, readout = network.task.centres, network.parameters["readout"]
    directions = centres / np.linalg.norm(centres, axis=1, keepdims=True)
    tunings = network.parameters["weights1"] @ directions.T
    for neuron, along in enumerate(tunings):
        for cluster, value in enumerate(along):
            yield Row("tuning", "centres", value, neuron=neuron, cluster=cluster)
        for target, value in enumerate(readout[:, neuron]):
            yield Row("readout", f"target {target}", value, neuron=neuron)


def kernel(network: Checkpoint) -> Iterator[Row]:
    """The centred kernel of the last hidden layer at the centres, above and on its diagonal, and
    the targets: for means of kernels over networks."""
    values = centred_kernel(network.patterns)
    for cluster, other in zip(*np.triu_indices(len(values)), strict=True):
        yield Row(
            "kernel",
            "centres",
            values[cluster, other],
            cluster=int(cluster),
            other_cluster=int(other),
        )
    for target, labels in enumerate(network.task.labels.T):
        for cluster, label in enumerate(labels):
            yield Row("label", f"target {target}", label, cluster=cluster)


MEASURES = {
    "accuracy": accuracy,
    "alignment": alignment,
    "parallelism": parallelism,
    "ccgp": ccgp,
    "decoding": decoding,
    "selectivity": selectivity,
    "tuning": tuning,
    "update": update,
    "kernel": kernel,
}
