import numpy as np
import pytest
from selections import some

from repatlas.networks.mlp import Network, hidden_layers, initial_parameters, logits

SHALLOW = Network(activation="tanh", width=400)
DEEP = Network(activation="relu", width=30, depth=3, initial="linear", readout="trained")


def changed(network=SHALLOW, **values):
    return Network.model_validate(network.model_dump() | values)


def is_uniform(values, bound):
    in_tenths = np.histogram(values, bins=10, range=(-bound, bound))[0] / np.size(values)
    return np.abs(in_tenths - 0.1).max() < 5 * np.sqrt(0.09 / np.size(values))


def is_normal(values, deviation):
    """Mean, spread and share within a deviation, to 5 standard errors."""
    size = np.size(values)
    return (
        abs(np.mean(values)) < 5 * deviation / np.sqrt(size)
        and abs(np.std(values) / deviation - 1) < 5 / np.sqrt(2 * size)
        and abs(np.mean(np.abs(values) < deviation) - 0.6827) < 5 * 0.466 / np.sqrt(size)
    )


@pytest.mark.parametrize("initial", ["uniform", "linear"])
def test_uniform_weights_lie_within_one_over_the_root_of_the_inputs(initial):
    parameters = initial_parameters(0, changed(initial=initial, depth=2), inputs=100, targets=1)
    assert is_uniform(parameters["weights1"], 0.1 * (1 + 1e-6))
    assert is_uniform(parameters["weights2"], 0.05 * (1 + 1e-6))


def test_normal_weights_have_variance_one_over_the_inputs():
    parameters = initial_parameters(0, changed(initial="normal", depth=2), inputs=100, targets=1)
    assert is_normal(parameters["weights1"], 0.1)
    assert is_normal(parameters["weights2"], 0.05)


def test_a_network_without_a_hidden_bias_has_zeros_that_are_not_trained():
    network = changed(hidden_bias="none")
    assert not np.any(initial_parameters(0, network, inputs=25, targets=1)["bias1"])
    assert network.trained == ["weights1"]


def test_networks_of_a_seed_start_alike_whatever_their_activation():
    for network in (SHALLOW, DEEP):
        other = changed(network, activation="gelu")
        targets = 1 if network is SHALLOW else 3
        one, two = (initial_parameters(7, n, 25, targets) for n in (network, other))
        assert all(np.array_equal(one[name], two[name]) for name in some(one))


def test_a_binary_readout_for_two_targets_is_refused():
    with pytest.raises(ValueError, match="for one target; found 2"):
        initial_parameters(0, SHALLOW, 10, 2)


def test_the_readout_of_two_targets_in_groups_has_eight_kinds_of_neuron_of_the_same_length():
    readout = initial_parameters(0, changed(width=24, readout="groups"), 10, 2)["readout"]
    signs = ["".join("-0+"[int(np.sign(w)) + 1] for w in weights) for weights in readout.T]
    assert signs == [g for g in ("++", "+-", "-+", "--", "+0", "-0", "0+", "0-") for _ in range(3)]
    assert np.linalg.norm(readout, axis=0) == pytest.approx(1 / np.sqrt(24), rel=1e-6)
    assert np.abs(readout[0, :12]) == pytest.approx(np.abs(readout[1, :12]))


def test_the_other_readouts_are_normal_or_as_of_torch():
    width = 10_000
    for values in ({"readout": "normal"}, {"readout": "trained"}):
        parameters = initial_parameters(0, changed(width=width, **values), 10, 3)
        assert is_normal(parameters["readout"], 0.01)
        assert not np.any(parameters.get("output_bias", 0))
    parameters = initial_parameters(0, changed(DEEP, width=width, depth=1), 10, 3)
    assert is_uniform(parameters["readout"], 0.01)
    assert 0 < np.abs(parameters["output_bias"]).max() <= 0.01


def test_each_hidden_layer_is_f_of_w_times_the_one_below_plus_b():
    x = np.array([[1.0, 0.0], [2.0, -1.0], [0.0, 0.0]])
    parameters = {
        "weights1": np.array([[1.0, 2.0], [-1.0, 0.5], [0.0, 3.0]]),
        "bias1": np.array([0.5, 1.0, -1.0]),
        "weights2": np.array([[1.0, -1.0, 2.0]]),
        "bias2": np.array([0.25]),
        "readout": np.array([[2.0], [-1.0]]),
        "output_bias": np.array([0.5, 1.0]),
    }
    before = np.array([[1.5, 0.0, -1.0], [0.5, -1.5, -4.0], [0.5, 1.0, -1.0]])
    first, second = hidden_layers(x, parameters, "relu")
    assert first.tolist() == np.maximum(before, 0).tolist()
    assert second.tolist() == [[1.75], [0.75], [0.0]]
    assert logits(second, parameters).tolist() == [[4.0, -0.75], [2.0, 0.25], [0.5, 1.0]]
    assert hidden_layers(x, parameters, "tanh")[0] == pytest.approx(np.tanh(before))


@pytest.mark.parametrize("initial", ["uniform", "normal"])
def test_biases_are_normal_with_variance_one_over_the_inputs(initial):
    network = changed(initial=initial, width=20_000)
    assert is_normal(initial_parameters(0, network, inputs=25, targets=1)["bias1"], 1 / 5)


def test_biases_as_of_torch_are_uniform_within_one_over_the_root_of_the_inputs():
    network = changed(initial="linear", width=20_000)
    assert is_uniform(initial_parameters(0, network, inputs=25, targets=1)["bias1"], 0.2)


def test_what_is_trained_follows_from_depth_bias_and_readout():
    assert SHALLOW.trained == ["weights1", "bias1"]
    assert changed(depth=2).trained == ["weights1", "weights2", "bias1", "bias2"]
    deep = changed(depth=2, hidden_bias="none", readout="trained")
    assert deep.trained == ["weights1", "weights2", "readout", "output_bias"]
    assert changed(readout="normal").trained == SHALLOW.trained
