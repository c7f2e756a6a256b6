"""Measures of several targets, and of every layer, for geometries that were put in by hand."""

import numpy as np
import pytest

from repatlas.experiments.clusters.represent import Checkpoint, Inputs, SeedSamples
from repatlas.experiments.clusters.samples import balanced_samples
from repatlas.experiments.clusters.spec import Spec
from repatlas.geometry import (
    centred_kernel,
    kernel_alignment,
    matched_parallelism_score,
    parallelism_score,
)
from repatlas.named import named
from repatlas.networks.mlp import hidden_layers, initial_parameters
from repatlas.representation import Decoders

INPUTS, WIDTH = 40, 40
DECODERS = Decoders(test_deviations=[1.0], train_samples=64, test_samples=64)


def network(clusters, targets, alignment=0.0, depth=1, weights=None, scale=1.0, **task):
    spec = Spec.model_validate(
        {
            "task": {
                "kind": "aligned",
                "inputs": INPUTS,
                "clusters": clusters,
                "targets": targets,
                "alignment": alignment,
                **task,
            },
            "network": {"activation": "relu", "width": WIDTH, "depth": depth, "readout": "normal"},
        }
    )
    drawn = spec.task.draw(0)
    drawn = drawn._replace(centres=scale * drawn.centres)
    parameters = initial_parameters(0, spec.network, INPUTS, targets)
    if weights is not None:
        parameters |= {"weights1": weights, "bias1": np.full(WIDTH, 1000.0)}
    names = ("training", "decoder training", "decoder test")
    samples = SeedSamples(*(balanced_samples(0, n, 20 * clusters, clusters, INPUTS) for n in names))
    decoders = Decoders(test_deviations=[1.0], train_samples=20 * clusters, test_samples=64)
    return Checkpoint(spec, Inputs(drawn, samples), parameters, decoders)


def copies_inputs(*arguments, **more):
    """Return a checkpoint of a network that copies its inputs: ReLU never bends, as the bias is
    large."""
    return network(*arguments, weights=np.eye(INPUTS), **more)


def values(name, checkpoint):
    return {
        (row.measure, row.variant): row.value
        for row in named("measures", name).rows(checkpoint, DECODERS)
        if row.cluster is None
    }


def test_targets_that_index_the_clusters_are_scored_over_contexts():
    checkpoint = network(8, 3, alignment=0.5)
    patterns, labels = checkpoint.layers[-1], checkpoint.task.labels
    found = values("parallelism", checkpoint)
    expected = np.mean([parallelism_score(patterns, labels, target) for target in range(3)])
    assert found["parallelism", "centres"] == expected
    assert found["parallelism", "matched"] != expected
    assert set(found) == {("parallelism", v) for v in ("centres", "matched", "best pairing")}


@pytest.mark.parametrize("targets", [1, 2, 7])
def test_other_targets_are_scored_over_the_nearest_pairing(targets):
    checkpoint = network(8, targets, alignment=0.8)
    found = values("parallelism", checkpoint)
    signs = 2 * checkpoint.task.labels.T - 1
    for variant, pairing in (("centres", "nearest"), ("best pairing", "best")):
        scores = [matched_parallelism_score(checkpoint.layers[-1], d, pairing) for d in signs]
        assert found["parallelism", variant] == pytest.approx(np.mean(scores))
    assert found["parallelism", "best pairing"] >= found["parallelism", "centres"]


def test_inputs_that_are_a_cube_of_the_targets_are_parallel_and_generalise_perfectly():
    cube = copies_inputs(8, 3, alignment=1.0, scale=10.0)
    parallelism = values("parallelism", cube)
    assert parallelism["parallelism", "centres"] == pytest.approx(1)
    assert parallelism["parallelism", "matched"] == pytest.approx(1)
    assert values("ccgp", cube)["ccgp", "samples"] == 1


def test_alignment_is_measured_at_every_layer():
    checkpoint = network(8, 3, depth=3)
    layers = hidden_layers(checkpoint.task.centres, checkpoint.parameters, "relu")
    rows = [
        r
        for r in named("measures", "alignment").rows(checkpoint, DECODERS)
        if r.variant == "centres" and r.layer
    ]
    for measure, other in (
        ("target_alignment", checkpoint.task.labels),
        ("input_alignment", checkpoint.task.centres),
    ):
        found = {row.layer: row.value for row in rows if row.measure == measure}
        assert found == pytest.approx(
            {n: kernel_alignment(layer, other) for n, layer in enumerate(layers, start=1)}
        )


def test_the_kernel_and_the_labels_can_be_put_together_again():
    checkpoint = network(8, 3)
    kernel, labels = np.full((8, 8), np.nan), np.full((8, 3), np.nan)
    for row in named("measures", "kernel").rows(checkpoint, DECODERS):
        if row.measure == "kernel":
            kernel[row.cluster, row.other_cluster] = kernel[row.other_cluster, row.cluster] = (
                row.value
            )
        else:
            labels[row.cluster, int(row.variant.removeprefix("target "))] = row.value
    assert kernel == pytest.approx(centred_kernel(checkpoint.layers[-1]))
    assert np.array_equal(labels, checkpoint.task.labels)
