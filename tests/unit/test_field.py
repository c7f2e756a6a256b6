"""The gradient field against equation 1 of the paper, simulated, and against what training does."""

import numpy as np
import pytest

from repatlas.dynamics.field import gradient_field, mean_slope_and_curvature
from repatlas.experiments.clusters.engine import Block, train
from repatlas.experiments.clusters.tasks.separable import Separable
from repatlas.experiments.clusters.tasks.unstructured import Unstructured
from repatlas.experiments.clusters.training import Training, training_conditions, training_noise
from repatlas.named import names
from repatlas.networks.activation import activation as activation_of
from repatlas.networks.mlp import Network, initial_parameters

ACTIVATIONS = {name: activation_of(name) for name in names("networks.activations")}

activations = pytest.mark.parametrize("activation", ACTIVATIONS)
ERRORS = np.array([1.0, 1.0, -1.0, -1.0])


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def simulated_field(weights, centres, deviation, activation, rng, draws=20_000):
    """Return equation 1 averaged over draws of the noise, and the standard error of each number."""
    slope = ACTIVATIONS[activation].slope
    mean, variance = np.zeros_like(weights), np.zeros_like(weights)
    samples = centres[:, None] + deviation * rng.standard_normal((4, draws, centres.shape[1]))
    for number, w in enumerate(weights):
        for error, x in zip(ERRORS, samples, strict=True):
            updates = error * slope(x @ w)[:, None] * x
            mean[number] += updates.mean(axis=0)
            variance[number] += updates.var(axis=0) / draws
    return mean, np.sqrt(variance)


@activations
@pytest.mark.parametrize("deviation", [0.3, 1.0, 3.0])
def test_the_field_is_equation_1_averaged_over_the_noise(activation, deviation, rng):
    weights, centres = rng.standard_normal((6, 5)), rng.standard_normal((4, 5))
    lengths = np.geomspace(0.05, 1, 6) / max(deviation, 1)  # weights of the figures are up to 0.8
    weights *= (lengths / np.linalg.norm(weights, axis=1))[:, None]
    expected, error = simulated_field(weights, centres, deviation, activation, rng)
    found = gradient_field(weights, centres, ERRORS, deviation, activation)
    # A neuron that is hardly ever active is never so in the draws, which then tell no error.
    scores = (found - expected) / np.maximum(error, 1e-4)
    assert np.abs(scores).max() < 4  # of 30 numbers
    assert np.sqrt(np.mean(scores**2)) < 1.5


@activations
def test_without_noise_the_field_is_equation_1(activation, rng):
    weights, centres = rng.standard_normal((10, 5)), rng.standard_normal((4, 5))
    expected = [
        sum(
            error * ACTIVATIONS[activation].slope(w @ x) * x
            for error, x in zip(ERRORS, centres, strict=True)
        )
        for w in weights
    ]
    found = gradient_field(weights, centres, ERRORS, 0.0, activation)
    assert found == pytest.approx(np.array(expected))


@activations
def test_vanishing_noise_is_no_noise(activation, rng):
    weights, centres = rng.standard_normal((10, 5)), rng.standard_normal((4, 5))
    none, little = (
        gradient_field(weights, centres, ERRORS, deviation, activation) for deviation in (0, 1e-6)
    )
    assert little == pytest.approx(none, abs=1e-5)


@pytest.mark.parametrize("deviation", [0.0, 1.0])
def test_a_small_weight_of_a_tanh_neuron_feels_the_sum_of_the_coding_vectors(deviation, rng):
    """There tanh is the identity: all clusters count alike, so the sum is the inter-class axis."""
    centres = rng.standard_normal((4, 5))
    weights = 1e-5 * rng.standard_normal((10, 5))
    found = gradient_field(weights, centres, ERRORS, deviation, "tanh")
    assert found == pytest.approx(np.tile(ERRORS @ centres, (10, 1)), abs=1e-6)


def test_a_relu_neuron_that_is_active_for_all_inputs_feels_the_sum_of_the_coding_vectors(rng):
    centres = rng.standard_normal((4, 5)) + 100
    found = gradient_field(np.ones((1, 5)), centres, ERRORS, 1.0, "relu")
    assert found[0] == pytest.approx(ERRORS @ centres, abs=1e-9)


def test_a_relu_neuron_that_is_silent_for_all_inputs_feels_nothing(rng):
    centres = rng.standard_normal((4, 5)) - 100
    found = gradient_field(np.ones((1, 5)), centres, ERRORS, 1.0, "relu")
    assert np.abs(found).max() < 1e-9


def test_the_field_on_a_relu_neuron_has_its_direction_alone(rng):
    weights, centres = rng.standard_normal((10, 5)), rng.standard_normal((4, 5))
    found, scaled = (
        gradient_field(factor * weights, centres, ERRORS, 1.0, "relu") for factor in (1, 7)
    )
    assert scaled == pytest.approx(found)


@activations
@pytest.mark.parametrize("deviation", [0.0, 1.0])
def test_in_a_plane_the_field_is_the_projection_of_that_in_all_dimensions(
    activation, deviation, rng
):
    task = Unstructured(kind="unstructured", inputs=20).draw(0)
    plane, places = task.axes[[1, 0]], rng.standard_normal((25, 2))
    whole = gradient_field(places @ plane, task.centres, ERRORS, deviation, activation)
    found = gradient_field(places, task.centres @ plane.T, ERRORS, deviation, activation)
    assert found == pytest.approx(whole @ plane.T, abs=1e-9)


@activations
@pytest.mark.parametrize("deviation", [0.0, 1.0, 2.0])
def test_equal_errors_of_the_classes_exchanged_turn_the_field_round(activation, deviation, rng):
    weights, centres = rng.standard_normal((10, 5)), rng.standard_normal((4, 5))
    found = gradient_field(weights, centres, ERRORS, deviation, activation)
    turned = gradient_field(weights, centres, -ERRORS, deviation, activation)
    assert turned == pytest.approx(-found)


@pytest.mark.parametrize("deviation", [0.0, 1.0])
def test_the_tanh_field_vanishes_in_the_plane_of_xor(deviation, rng):
    """f' is even, and the clusters of a class lie opposite each other."""
    task = Separable(kind="separable", inputs=30, delta=0.0).draw(0)
    coordinates = task.centres @ task.axes[[1, 0]].T
    places = rng.uniform(-0.5, 0.5, (50, 2))
    assert np.abs(gradient_field(places, coordinates, ERRORS, deviation, "tanh")).max() < 1e-9
    # A ReLU neuron does feel something there.
    assert np.abs(gradient_field(places, coordinates, ERRORS, deviation, "relu")).max() > 1


def test_mean_slope_and_curvature_of_relu_are_those_of_a_normal_variable(rng):
    mean, spread = np.array([[-1.0, 0.0, 0.4]]), np.array([[0.5, 1.0, 2.0]])
    slope, curvature = mean_slope_and_curvature("relu", mean, spread)
    z = rng.standard_normal((400_000, 3))
    assert slope[0] == pytest.approx((mean + spread * z > 0).mean(axis=0), abs=0.004)
    # E[f''(u)] is the density of u at the bend.
    width = 0.05
    near = np.abs(mean + spread * z) < width / 2
    assert curvature[0] == pytest.approx(near.mean(axis=0) / width, abs=0.015)


@activations
def test_training_moves_weights_along_the_field(activation):
    """The typical neuron does in the first 20 steps, in the span of the centres."""
    inputs, width, samples, seed = 100, 120, 4000, 0
    task = Unstructured(kind="unstructured", inputs=inputs).draw(seed)
    network = Network(activation=activation, width=width, hidden_bias="none")
    initial = initial_parameters(seed, network, inputs, targets=1)
    block = Block(
        task.centres[None],
        task.labels[None],
        np.ones(1),
        training_conditions(seed, samples, 4),
        training_noise(seed, samples, inputs).astype(np.float64),
        {name: array.astype(np.float64) for name, array in initial.items()},
    )
    training = Training(batch=1000, samples=samples, learning_rate=0.1)
    trained = train(block, activation, network.trained, training, seed, [0, 20])
    before, after = trained.parameters["weights1"][0]
    measured = after - before
    field = gradient_field(before, task.centres, ERRORS, 1.0, activation)
    field *= np.sign(block.parameters["readout"][0])[
        :, None
    ]  # equation 1 is for a positive readout weight

    basis = np.linalg.svd(task.centres, full_matrices=False)[2][:3]  # 4 centres with mean zero
    measured, field = measured @ basis.T, field @ basis.T
    cosines = np.sum(measured * field, axis=1) / (
        np.linalg.norm(measured, axis=1) * np.linalg.norm(field, axis=1)
    )
    assert np.median(cosines) > 0.9
    assert np.mean(cosines > 0) > 0.9


@pytest.mark.parametrize("spread", [0.1, 0.5, 0.8, 2, 4, 8])
def test_the_quadrature_for_tanh_is_exact_however_wide_the_noise(spread):
    mean = np.linspace(-4, 4, 17)
    slope, curvature = mean_slope_and_curvature("tanh", mean, np.full(17, spread))
    z = np.linspace(-9, 9, 200_001)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    u = mean[:, None] + spread * z
    first = np.cosh(u) ** -2.0
    second = -2 * np.tanh(u) * first
    assert slope == pytest.approx(np.trapezoid(first * density, z, axis=1), abs=1e-6)
    assert curvature == pytest.approx(np.trapezoid(second * density, z, axis=1), abs=1e-6)
