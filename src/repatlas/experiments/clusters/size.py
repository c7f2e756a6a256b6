"""How large a network on clusters is, and what its jobs do: in closed form, without loading what
does it."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any

from repatlas.experiments.clusters.spec import Spec

if TYPE_CHECKING:
    from repatlas.representation import Decoders

MOST_SEEDS = 16
"""Seeds that a job makes at most."""
SECONDS = {"train": (2.2, 5.7e-11), "measure": (1.4, 8.0e-7)}
"""Seconds of a job: before its first unit of work, and for each unit. Fitted to all jobs of the
figures on an AMD EPYC, four jobs at a time. A training step of a network with 120 inputs, 120
hidden neurons and a batch of 200 takes 165 us, and 140 us in a job that runs alone."""


def training(spec: Spec, steps: int, data: dict[str, Any]) -> int:
    """Return the units of work in training a network for this number of steps: products of all
    layers, forward."""
    width, depth = spec.network.width, spec.network.depth
    weights = width * (spec.task.inputs + (depth - 1) * width + spec.task.targets)
    return steps * weights * spec.training.batch


def measuring(
    spec: Spec, measures: dict[str, list[int]], decoders: Decoders, data: dict[str, Any]
) -> int:
    """Return the units of work in measuring a network: samples that pass through a layer, or a fit.
    Many targets share the decoders of CCGP.

    measures: the steps at which each is wanted.
    """
    deviations, clusters = len(decoders.test_deviations), spec.task.clusters
    generalisation = deviations * (2 + min(spec.task.targets, 8))
    fits = {
        "ccgp": generalisation,
        "rescaled_ccgp": generalisation,
        "decoding": deviations * comb(clusters, clusters // 2) // 2,
    }
    number = sum(len(steps) * fits.get(name, 1) for name, steps in measures.items())
    return number * decoders.train_samples


COPIES = 3
"""Times the memory of samples and batches, since some are copied on the way."""


def stored_bytes(spec: Spec, steps: list[int]) -> int:
    """Return bytes of all that is trained at each step, and of Adam's moments at the last, in
    float32."""
    width, depth = spec.network.width, spec.network.depth
    trained = width * (spec.task.inputs + (depth - 1) * width)
    if spec.network.hidden_bias == "trained":
        trained += width * depth
    if spec.network.readout == "trained":
        trained += (width + 1) * spec.task.targets
    moments = 2 if spec.training.optimiser == "adam" else 0
    return (len(steps) + moments) * trained * 4


def training_bytes(spec: Spec) -> int:
    """Return bytes of the samples, and of a batch in all layers, forward and back, in float32."""
    task, network, training = spec.task, spec.network, spec.training
    of_batch = training.batch * (task.inputs + 2 * network.width * network.depth)
    return COPIES * 4 * (training.samples * task.inputs + of_batch)


def measuring_bytes(spec: Spec, decoders: Decoders) -> int:
    """Return bytes of all samples, in float32, and of the last layer's activity for those that a
    decoder is fitted on, in float64."""
    samples = spec.training.samples + decoders.train_samples + decoders.test_samples
    of_samples = 4 * samples * spec.task.inputs
    return COPIES * (of_samples + 8 * decoders.train_samples * spec.network.width)
