"""Activation functions drawn at random, and the training of networks with them."""

import numpy as np
import pytest

from repatlas.experiments.drawn.loop import descend_with_numpy, steps_taken_by
from repatlas.networks.drawn import Dials, shape, shape_of

STEPS, BATCH, INPUTS, WIDTH = 6, 20, 8, 10
PLAIN = Dials(1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1e-9)
U = np.linspace(-4, 4, 81)


@pytest.mark.parametrize(
    ("changes", "limit"),
    [
        ({}, U),
        ({"evenness": 0.5}, np.maximum(U, 0)),
        ({"evenness": 1.0}, np.abs(U)),
        ({"evenness": 0.45}, np.where(U > 0, U, 0.1 * U)),
        ({"left_saturation": 1.0, "right_saturation": 1.0}, np.clip(U, -1, 1)),
        ({"evenness": 0.5, "offset": -1.0}, np.maximum(U - 1, 0)),
    ],
)
def test_known_functions_are_limits_of_the_family(changes, limit):
    np.testing.assert_allclose(shape_of(PLAIN._replace(**changes)).value(U), limit, atol=1e-8)


@pytest.mark.parametrize("number", range(6))
def test_the_slope_is_the_derivative_of_the_value(number):
    function, small = shape(number), 1e-5
    slope = (function.value(U + small) - function.value(U - small)) / (2 * small)
    np.testing.assert_allclose(function.slope(U), slope, atol=1e-6)


def problem(real):
    rng = np.random.default_rng(0)
    return {
        "weights": rng.uniform(-1, 1, (INPUTS, WIDTH)).astype(real),
        "bias": rng.standard_normal(WIDTH).astype(real),
        "readout": (np.repeat([1, -1], WIDTH // 2)[:, None] / WIDTH**0.5).astype(real),
        "numbers": shape(3).numbers().astype(real),
        "noise": rng.standard_normal((50, INPUTS)).astype(real),
        "conditions": rng.integers(0, 4, 50),
        "centres": rng.standard_normal((4, INPUTS)).astype(real),
        "labels": np.array([1, 1, 0, 0], real),
        "deviation": 0.7,
        "rate": 0.1,
        "order": rng.integers(0, 50, (STEPS, BATCH)).astype(np.int32),
    }


def test_gradients_are_those_of_autograd():
    torch = pytest.importorskip("torch")
    p = problem(np.float64)
    weights, bias = (torch.tensor(p[name], requires_grad=True) for name in ("weights", "bias"))
    function, readout = shape(3).module(), torch.tensor(p["readout"])
    for samples in p["order"]:
        condition = p["conditions"][samples]
        x = torch.tensor(p["noise"][samples] * p["deviation"] + p["centres"][condition])
        z = (function(x @ weights + bias) @ readout)[:, 0]
        y = torch.tensor(p["labels"][condition])
        loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
        for parameter, change in zip(
            (weights, bias), torch.autograd.grad(loss, (weights, bias)), strict=True
        ):
            parameter.data -= p["rate"] * change
    assert descend_with_numpy(**p) == -1
    np.testing.assert_allclose(p["weights"], weights.detach().numpy(), rtol=1e-10)
    np.testing.assert_allclose(p["bias"], bias.detach().numpy(), rtol=1e-10)


def test_the_compiled_loop_takes_the_steps_of_numpy():
    pytest.importorskip("numba")
    one, other = problem(np.float32), problem(np.float32)
    start = one["weights"].copy()
    assert steps_taken_by(compiled=True)(*one.values()) == -1
    assert steps_taken_by(compiled=False)(*other.values()) == -1
    np.testing.assert_allclose(one["weights"], other["weights"], atol=2e-6)
    assert np.abs(one["weights"] - start).max() > 1e-3


@pytest.mark.parametrize("compiled", [False, True])
def test_an_output_that_is_not_finite_is_reported_with_its_step(compiled):
    if compiled:
        pytest.importorskip("numba")
    broken = problem(np.float32)
    broken["noise"][broken["order"][2]] = np.inf
    first = next(i for i, samples in enumerate(broken["order"])
                 if np.isinf(broken["noise"][samples]).any())  # fmt: skip
    assert steps_taken_by(compiled=compiled)(*broken.values()) == first
