"""Lazy learning against gradient descent of real networks, and its kernel against differences."""

import numpy as np
import pytest

from repatlas.dynamics.lazy import lazy_activity, lazy_learning, tangent_kernel


def network(width, seed=0):
    generator = np.random.default_rng(seed)
    inputs, targets = generator.standard_normal((3, 5)), generator.standard_normal((2, 5))
    first = generator.standard_normal((width, 3))
    second = generator.standard_normal((2, width)) / np.sqrt(width)
    return inputs, targets, first, second


def test_the_kernel_is_the_product_of_numerical_gradients():
    inputs, _, first, second = network(4)

    def outputs(weights):
        return (weights[12:].reshape(2, 4) @ np.tanh(weights[:12].reshape(4, 3) @ inputs)).ravel()

    weights = np.concatenate([first.ravel(), second.ravel()])
    steps = 1e-6 * np.eye(len(weights))
    slopes = np.array([(outputs(weights + s) - outputs(weights - s)) / 2e-6 for s in steps])
    h = np.tanh(first @ inputs)
    for trained, part in (((True, True), slopes), ((True, False), slopes[:12])):
        kernel = tangent_kernel(inputs, h, 1 - h**2, second, trained)
        np.testing.assert_allclose(kernel, part.T @ part, atol=1e-7)


def largest_error(width):
    """Return how far lazy learning is from a network that is trained.

    First the largest difference of losses, as a part of the first loss. Then the error of the
    change of hidden activity, as a part of this change.
    """
    inputs, targets, first, second = network(width)
    # The second layer is centred in pairs of units, so that outputs start at 0.
    first[width // 2 :], second[:, width // 2 :] = first[: width // 2], -second[:, : width // 2]
    h = np.tanh(first @ inputs)
    kernel = tangent_kernel(inputs, h, 1 - h**2, second)
    rate = 0.2 / np.linalg.eigvalsh(kernel).max()
    lazy = lazy_learning(kernel, second @ h, targets, rate, np.arange(301))
    predicted = lazy_activity(inputs, h, 1 - h**2, second, lazy.errors[-1])
    w, v, losses = first.copy(), second.copy(), []
    for _ in range(301):
        hidden = np.tanh(w @ inputs)
        errors = v @ hidden - targets
        losses.append((errors**2).sum() / 2)
        last = hidden
        change = ((v.T @ errors) * (1 - hidden**2)) @ inputs.T
        v, w = v - rate * errors @ hidden.T, w - rate * change
    change = np.linalg.norm(predicted - last) / np.linalg.norm(last - h)
    return np.abs(lazy.losses - losses).max() / losses[0], change


def test_wide_networks_learn_lazily_and_narrow_ones_do_not():
    (narrow, _), (wide, change) = largest_error(8), largest_error(8192)
    assert wide < 0.01 < 0.03 < narrow
    assert change < 0.1


def test_a_kernel_of_zero_learns_nothing_and_errors_add_up():
    lazy = lazy_learning(np.zeros((1, 1)), [[0.0]], [[2.0]], rate=0.5, epochs=[0, 10])
    assert lazy.losses.tolist() == [2.0, 2.0]
    assert lazy.errors[1] == pytest.approx(0.5 * 10 * -2.0)
