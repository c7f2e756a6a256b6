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
