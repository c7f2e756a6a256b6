import numpy as np
import pytest
from pydantic import ValidationError

from repgeom.networks.shallow import (
    Network,
    binary_readout,
    hidden_layer,
    initial_bias,
    initial_weights,
)

TRAINED = Network(activation="tanh", width=400)


def test_initial_weights_are_uniform_within_one_over_the_root_of_the_inputs():
    weights = initial_weights(0, width=400, inputs=100)
    assert weights.dtype == np.float32
    assert weights.shape == (400, 100)
    scaled = weights.astype(np.float64) * 10
    assert np.abs(scaled).max() <= 1 + 1e-6
    in_tenths = np.histogram(scaled, bins=10, range=(-1, 1))[0] / scaled.size
    assert in_tenths == pytest.approx(0.1, abs=0.008)  # 5 standard errors


def test_the_initial_bias_is_normal_with_variance_one_over_the_inputs():
    bias = initial_bias(0, TRAINED.model_copy(update={"width": 20_000}), inputs=25)
    assert bias.dtype == np.float32
    assert bias.mean() == pytest.approx(0, abs=0.005)
    assert bias.std() == pytest.approx(1 / 5, rel=0.02)
    assert np.mean(np.abs(bias) < 1 / 5) == pytest.approx(0.6827, abs=0.015)


def test_a_network_without_a_hidden_bias_has_zeros_for_it():
    network = TRAINED.model_copy(update={"hidden_bias": "none"})
    assert not np.any(initial_bias(0, network, inputs=25))


def test_networks_of_a_seed_start_alike_whatever_their_activation():
    other = TRAINED.model_copy(update={"activation": "relu"})
    assert np.array_equal(initial_bias(7, other, 25), initial_bias(7, TRAINED, 25))


def test_networks_of_different_seeds_start_differently():
    assert not np.any(initial_weights(0, 40, 10) == initial_weights(1, 40, 10))
    assert not np.any(initial_bias(0, TRAINED, 10) == initial_bias(1, TRAINED, 10))


@pytest.mark.parametrize("width", [2, 8, 120])
def test_the_readout_is_binary_balanced_and_of_length_1(width):
    readout = binary_readout(width)
    assert readout.dtype == np.float32
    assert readout.shape == (1, width)
    assert np.abs(readout) == pytest.approx(1 / np.sqrt(width), rel=1e-6)
    assert np.all(readout[0, : width // 2] > 0)
    assert np.all(readout[0, width // 2 :] < 0)


@pytest.mark.parametrize("width", [0, 1, 121])
def test_a_width_that_cannot_be_balanced_is_refused(width):
    with pytest.raises(ValidationError, match="width"):
        Network(activation="tanh", width=width)


def test_the_hidden_layer_is_f_of_w_x_plus_b():
    x = np.array([[1.0, 0.0], [2.0, -1.0], [0.0, 0.0]])
    weights = np.array([[1.0, 2.0], [-1.0, 0.5], [0.0, 3.0]])
    bias = np.array([0.5, 1.0, -1.0])
    before = np.array([[1.5, 0.0, -1.0], [0.5, -1.5, -4.0], [0.5, 1.0, -1.0]])
    assert hidden_layer(x, weights, bias, "relu").tolist() == np.maximum(before, 0).tolist()
    assert hidden_layer(x, weights, bias, "tanh") == pytest.approx(np.tanh(before))
