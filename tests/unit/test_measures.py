"""Measures of networks whose geometry is known, because it was put in by hand."""

import numpy as np
import pytest
from known_networks import (
    DECODERS,
    INPUTS,
    axes,
    checkpoint,
    codes_the_label,
    copies_inputs,
    samples,
    values,
)

from repatlas.dynamics.field import gradient_field
from repatlas.experiments.clusters.represent import Checkpoint, Inputs
from repatlas.experiments.clusters.spec import Spec
from repatlas.named import named


def test_a_network_that_copies_its_inputs_has_their_geometry():
    found = values("alignment", copies_inputs(delta=0.5))
    assert found["input_alignment", "centres"] == pytest.approx(1)
    expected = 0.5**2 / np.sqrt(2 + 0.5**4)
    assert found["target_alignment", "centres"] == pytest.approx(expected)
    assert found["input_output_alignment", "centres"] == pytest.approx(expected)
    assert found["participation_ratio", "centres"] == pytest.approx(2.25**2 / 2.0625)


def test_a_network_that_copies_its_inputs_has_collapsed_no_more_than_they():
    """The inputs' clusters have the variance 2 + delta^2, and delta^2 between classes."""
    network = copies_inputs(delta=0.5, noise_variance=0.25)
    found = values("collapse", network)
    assert found["nc1", "centres"] == pytest.approx(0, abs=1e-12)
    assert found["within_share", "centres"] == pytest.approx(2 / 2.25)
    chance = found["within_share", "centres, labels permuted"]
    assert chance == pytest.approx(2 / 3)
    hidden, conditions = network.samples("training", 0.5)
    means = np.stack([hidden[conditions // 2 == c].mean(axis=0) for c in (0, 1)])
    line = (means[0] - means[1]) / np.linalg.norm(means[0] - means[1])
    along = np.mean([np.var(hidden[conditions // 2 == c] @ line) for c in (0, 1)])
    nc1 = 2 * along / np.sum((means[0] - means[1]) ** 2)
    assert found["nc1", "training"] == pytest.approx(nc1)
    assert found["within_share", "training"] > found["within_share", "centres"]
    assert found["feature_norm", "centres"] == pytest.approx(
        np.linalg.norm(network.layers[-1], axis=1).mean()
    )
    # The means of two classes are opposite whatever a network does.
    assert not [name for name, *_ in found if name.startswith("nc2")]


def test_classes_of_several_targets_are_combinations_of_their_labels():
    """Four clusters with two targets are four classes, whose label words are a square: means of
    equal lengths, at the cosines 0, 0 and -1 instead of -1/3. A network with a neuron for each
    target and a readout of single neurons is dual to itself."""
    spec = Spec.model_validate(
        {
            "task": {"kind": "unstructured", "inputs": INPUTS, "targets": 2, "noise_variance": 0.0},
            "network": {"activation": "tanh", "width": 2, "readout": "normal"},
        }
    )
    task = spec.task.draw(0)
    words = np.where(task.labels > 0, 1.0, -1.0)
    weights = (np.linalg.pinv(task.centres) @ (30 * words)).T
    parameters = {"weights1": weights, "bias1": np.zeros(2), "readout": np.eye(2)}
    network = Checkpoint(spec, Inputs(task, samples()), parameters, DECODERS)
    found = values("collapse", network)
    assert found["nc2_norms", "training"] == pytest.approx(0, abs=1e-9)
    assert found["nc2_angles", "training"] == pytest.approx(4 / 9)
    for name in ("nc1", "within_share", "nc3", "nc4"):
        assert found[name, "training"] == pytest.approx(0, abs=1e-9)
    # Each cluster is a class: another order of the labels is the same division.
    assert np.isnan(found["within_share", "training, labels permuted"])


def test_a_network_that_codes_the_label_alone_has_the_geometry_of_the_target():
    network = codes_the_label(scale=20)
    alignment = values("alignment", network)
    assert alignment["target_alignment", "centres"] == pytest.approx(1)
    assert alignment["target_alignment", "sample means", 0.5] == pytest.approx(1, abs=1e-6)
    assert alignment["participation_ratio", "centres"] == pytest.approx(1)
    assert values("parallelism", network)["parallelism", "centres"] == pytest.approx(1)
    assert set(values("ccgp", network).values()) == {1.0}
    accuracy = values("accuracy", network)
    assert {accuracy["accuracy", which] for which in ("test", "centres")} == {1.0}
    decoding = values("decoding", network)
    assert decoding["decoding_trained", 1.0] == 1
    assert decoding["decoding_untrained", 1.0] == pytest.approx(0.5, abs=0.1)


def test_accuracy_and_loss_are_those_of_the_readout():
    network = codes_the_label(noise_variance=0.0, scale=3)
    weights, bias, readout = (network.parameters[n] for n in ("weights1", "bias1", "readout"))
    logits = np.tanh(network.task.centres @ weights.T + bias) @ readout[0]
    y = network.task.labels[:, 0]
    probability = 1 / (1 + np.exp(-logits))
    cross_entropy = -np.mean(y * np.log(probability) + (1 - y) * np.log(1 - probability))
    found = values("training_scores", network) | values("accuracy", network)
    assert found["loss", "training"] == pytest.approx(cross_entropy)
    assert found["accuracy", "training"] == found["accuracy", "centres"] == 1


DEEP = {"depth": 2, "readout": "trained"}


def test_the_patterns_of_a_deep_network_are_those_of_its_last_hidden_layer():
    rng = np.random.default_rng(0)
    above = {"weights2": rng.standard_normal((8, 8)), "bias2": rng.standard_normal(8)}
    network = codes_the_label(network=DEEP, **above)
    first = codes_the_label().layers[-1]
    expected = np.tanh(first @ above["weights2"].T + above["bias2"])
    assert [layer.shape for layer in network.layers] == [(4, 8), (4, 8)]
    assert network.layers[0] == pytest.approx(first)
    assert network.layers[-1] == pytest.approx(expected)
    still, clusters = network.samples("scored", 0.0)
    assert still == pytest.approx(expected[clusters])


def test_selectivity_counts_the_neurons_with_positive_readout_that_lie_nearer_the_inter_axis():
    inter, intra, other = axes()
    positive = [inter, inter + 0.9 * intra, inter - 1.1 * intra, -inter]
    negative = [inter, inter, inter, 5 * other]
    network = checkpoint(np.stack(positive + negative), np.zeros(8))
    rows = list(named("measures", "selectivity").rows(network, DECODERS))
    assert values("selectivity", network) == {("inter_selective", "fraction"): 0.5}
    along = {
        variant: {r.neuron: r.value for r in rows if (r.measure, r.variant) == ("weight", variant)}
        for variant in ("inter", "intra")
    }
    assert along["inter"] == pytest.approx({0: 1, 1: 1, 2: 1, 3: -1})
    assert along["intra"] == pytest.approx({0: 0, 1: 0.9, 2: -1.1, 3: 0}, abs=1e-12)


def test_selectivity_tells_where_the_centres_stand_on_the_axes():
    network = checkpoint(np.eye(INPUTS), np.zeros(INPUTS), delta=0.5)
    rows = [
        row
        for row in named("measures", "selectivity").rows(network, DECODERS)
        if row.measure == "centre"
    ]
    side, height = np.sqrt(2 * INPUTS / 3), 0.5 * np.sqrt(INPUTS / 3)
    expected = {
        "inter": [height, height, -height, -height],
        "intra": [side, -side, 0, 0],
        "other intra": [0, 0, side, -side],
    }
    for variant, coordinates in expected.items():
        found = [row.value for row in rows if row.variant == variant]
        assert found == pytest.approx(coordinates, abs=1e-9)
        assert [row.cluster for row in rows if row.variant == variant] == [0, 1, 2, 3]


def test_tuning_is_the_part_of_the_weights_along_each_centre():
    centres = checkpoint(np.eye(INPUTS), np.zeros(INPUTS)).task.centres
    network = checkpoint(3 * centres, np.zeros(4))
    rows = list(named("measures", "tuning").rows(network, DECODERS))
    found = np.zeros((4, 4))
    for row in rows:
        if row.measure == "tuning":
            found[row.neuron, row.cluster] = row.value
    lengths = np.linalg.norm(centres, axis=1)
    cosines = centres @ centres.T / lengths / lengths[:, None]
    assert found == pytest.approx(3 * lengths[:, None] * cosines)
    readouts = [(row.neuron, row.variant, row.value) for row in rows if row.measure == "readout"]
    assert readouts == [
        (n, "target 0", pytest.approx(w)) for n, w in enumerate([0.5, 0.5, -0.5, -0.5])
    ]


def test_an_expected_update_is_the_field_at_each_neuron_with_a_positive_readout_weight():
    network = checkpoint(np.random.default_rng(0).standard_normal((8, INPUTS)), np.zeros(8))
    positive = np.flatnonzero(network.parameters["readout"][0] > 0)
    field = gradient_field(
        network.parameters["weights1"][positive],
        network.task.centres,
        2 * network.task.labels[:, 0] - 1,
        1.0,
        "relu",
    )
    rows = list(named("measures", "update").rows(network, DECODERS))
    for axis, direction in zip(("inter", "intra"), network.task.axes, strict=False):
        found = {
            row.neuron: row.value
            for row in rows
            if (row.measure, row.variant) == ("expected_update", axis)
        }
        assert found == pytest.approx(dict(zip(positive, field @ direction, strict=True)))
