"""Effective weights of deep networks against autograd, a closed form, and the one-layer field."""

import numpy as np
import pytest

from repatlas.dynamics.effective import (
    coupled_updates,
    effective_field,
    expected_update,
    linearised,
    on_axes,
    weight_change,
)
from repatlas.dynamics.field import gradient_field
from repatlas.networks.mlp import Network, initial_parameters

INPUTS, WIDTH, ERRORS = 7, 12, np.array([1.0, 1.0, -1.0, -1.0])
DEPTHS = pytest.mark.parametrize("depth", [1, 3])
ACTIVATIONS = pytest.mark.parametrize("activation", ["tanh", "relu", "gelu"])


def parameters_of(depth, activation, **settings):
    network = Network(activation=activation, depth=depth, width=WIDTH, initial="normal", **settings)
    found = initial_parameters(3, network, INPUTS, 1)
    return {name: array.astype(np.float64) for name, array in found.items()}


@pytest.fixture
def centres():
    return 2 * np.random.default_rng(1).standard_normal((4, INPUTS))


def torch_layers(parameters, x, activation):
    """Return the preactivations, activities and output of a network, and its parameters in
    torch."""
    import torch

    from repatlas.networks.activation import activation as activation_of

    tensors = {name: torch.tensor(array, requires_grad=True) for name, array in parameters.items()}
    of, before, after = activation_of(activation).module(), [], []
    for layer in range(1, sum(name.startswith("weights") for name in parameters) + 1):
        before.append(tensors[f"weights{layer}"] @ x + tensors[f"bias{layer}"])
        x = of(before[-1])
        after.append(x)
    return before, after, tensors["readout"][0] @ x, tensors


@DEPTHS
@ACTIVATIONS
def test_effective_weights_are_the_derivatives_of_autograd(depth, activation, centres):
    import torch

    parameters = parameters_of(depth, activation)
    found = linearised(parameters, centres, activation)
    assert len(found) == depth
    for cluster, centre in enumerate(centres):
        x = torch.tensor(centre, requires_grad=True)
        before, after, output, _ = torch_layers(parameters, x, activation)
        readouts = torch.autograd.grad(output, after, retain_graph=True)
        for layer, units, readout in zip(found, before, readouts, strict=True):
            weights = [torch.autograd.grad(unit, x, retain_graph=True)[0] for unit in units]
            np.testing.assert_allclose(layer.weights[cluster], torch.stack(weights), atol=1e-12)
            np.testing.assert_allclose(layer.readout[cluster], readout, atol=1e-12)
            np.testing.assert_allclose(
                layer.preactivation[cluster], units.detach().numpy(), atol=1e-12
            )


@DEPTHS
@ACTIVATIONS
def test_the_expected_update_without_noise_is_the_gradient_of_autograd(depth, activation, centres):
    import torch

    parameters = parameters_of(depth, activation)
    *_, tensors = torch_layers(parameters, torch.tensor(centres[0]), activation)
    gradients = [np.zeros_like(parameters[f"weights{n + 1}"]) for n in range(depth)]
    for error, centre in zip(ERRORS, centres, strict=True):
        *_, output, tensors = torch_layers(parameters, torch.tensor(centre), activation)
        weights = [tensors[f"weights{n + 1}"] for n in range(depth)]
        for total, part in zip(
            gradients, torch.autograd.grad(error * output, weights), strict=True
        ):
            total += part.numpy()
    for layer, gradient in zip(linearised(parameters, centres, activation), gradients, strict=True):
        np.testing.assert_allclose(
            expected_update(layer, ERRORS, 0.0, activation),
            gradient @ layer.below.mean(axis=0),
            atol=1e-12,
        )


@ACTIVATIONS
@pytest.mark.parametrize("deviation", [0.0, 1.0])
def test_in_the_first_layer_the_field_is_the_field_of_one_layer(activation, deviation, centres):
    parameters = parameters_of(1, activation, hidden_bias="none", readout="binary")
    [layer] = linearised(parameters, centres, activation)
    field = gradient_field(parameters["weights1"], centres, ERRORS, deviation, activation)
    update = expected_update(layer, ERRORS, deviation, activation)
    np.testing.assert_allclose(update, parameters["readout"][0][:, None] * field, atol=1e-12)

    axes = np.linalg.qr(centres.T)[0].T[:2]
    places, plane = np.random.default_rng(2).standard_normal((9, 2)), centres @ axes.T
    found = effective_field(places, plane, on_axes(layer, ERRORS, axes), deviation, activation)
    expected = gradient_field(places, plane, ERRORS, deviation, activation) / np.sqrt(WIDTH)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@DEPTHS
@pytest.mark.parametrize("activation", ["relu", "identity"])
@pytest.mark.parametrize("deviation", [0.0, 1.0])
def test_the_coupled_update_is_the_derivative_along_the_changes_of_all_layers(
    depth, activation, deviation, centres
):
    """Slopes of these activations stay as they are if weights change by very little."""
    parameters, small = parameters_of(depth, activation), 1e-7
    layers = linearised(parameters, centres, activation)
    found = coupled_updates(layers, parameters, ERRORS, deviation, activation)
    changes = [weight_change(layer, ERRORS, deviation, activation) for layer in layers]
    changed = parameters | {
        f"weights{n}": parameters[f"weights{n}"] + small * change
        for n, change in enumerate(changes, start=1)
    }
    after = linearised(changed, centres, activation)
    for update, one, other in zip(found, layers, after, strict=True):
        numerical = (other.mean_weights - one.mean_weights) / small
        np.testing.assert_allclose(update, numerical, atol=1e-5 * max(np.abs(update).max(), 1))
