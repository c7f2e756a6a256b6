"""The gradient field against equation 1 of the paper, simulated, and against what training does."""

import numpy as np
import pytest

from repatlas.dynamics.field import gradient_field, mean_slope_and_curvature
from repatlas.named import names
from repatlas.networks.activation import activation as activation_of

ACTIVATIONS = {name: activation_of(name) for name in names("networks.activations")}

activations = pytest.mark.parametrize("activation", ACTIVATIONS)
ERRORS = np.array([1.0, 1.0, -1.0, -1.0])


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
@pytest.mark.parametrize("deviation", [0.3, 3.0])
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


@pytest.mark.parametrize("spread", [0.1, 0.8, 8])
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
