"""Networks whose geometry is known, because it was put in by hand, and their measures."""

import numpy as np

from repatlas.experiments.clusters.represent import Checkpoint, Inputs, SeedSamples
from repatlas.experiments.clusters.samples import balanced_samples
from repatlas.experiments.clusters.spec import Spec
from repatlas.experiments.clusters.tasks.separable import Separable
from repatlas.named import named
from repatlas.networks.mlp import initial_parameters
from repatlas.representation import Decoders

INPUTS = 16
DECODERS = Decoders(test_deviations=[0.5, 1.0], train_samples=200, test_samples=200)


def samples(clusters=4, number=200):
    return SeedSamples(
        balanced_samples(0, "test training", number, clusters, INPUTS),
        balanced_samples(0, "decoder training", number, clusters, INPUTS),
        balanced_samples(0, "decoder test", number, clusters, INPUTS),
    )


def checkpoint(
    weights, bias, activation="relu", delta=0.7, scale=1.0, noise_variance=1.0, network=(), **more
):
    """Return a network with these weights on separable clusters, moved apart by `scale`. Parameters
    that are not among `more` have their values before training."""
    spec = Spec.model_validate(
        {
            "task": {
                "kind": "separable",
                "inputs": INPUTS,
                "delta": delta,
                "noise_variance": noise_variance,
            },
            "network": {"activation": activation, "width": len(weights)} | dict(network),
        }
    )
    task = spec.task.draw(0)
    task = task._replace(centres=scale * task.centres)
    given = {"weights1": np.asarray(weights), "bias1": np.asarray(bias), **more}
    parameters = initial_parameters(0, spec.network, INPUTS, targets=1) | given
    return Checkpoint(spec, Inputs(task, samples()), parameters, DECODERS)


def axes():
    return Separable(kind="separable", inputs=INPUTS).draw(0).axes


def copies_inputs(**changes):
    """Return a network whose neurons are its inputs. With their large bias ReLU never bends."""
    return checkpoint(np.eye(INPUTS), np.full(INPUTS, 1000.0), **changes)


def codes_the_label(**changes):
    """Return a network whose neurons see only the inter-class axis, with the sign of the
    readout."""
    inter = axes()[0]
    weights = np.concatenate([np.tile(inter, (4, 1)), np.tile(-inter, (4, 1))])
    return checkpoint(weights, np.zeros(8), activation="tanh", **changes)


def what(row):
    return row.measure, row.variant, row.deviation


def values(name, network, decoders=DECODERS):
    """Return the values of a measure for rows about the whole network, by its number, the variant
    unless it is "samples", and the noise in the samples, if any."""
    return {
        tuple(part for part in what(row) if part not in ("samples", None)): row.value
        for row in named("measures", name).rows(network, decoders)
        if row.neuron is None and row.cluster is None
    }
