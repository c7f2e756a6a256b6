import numpy as np
import pytest
import torch

from repgeom.networks.activations import ACTIVATIONS
from repgeom.training.reference import MODULES

every_activation = pytest.mark.parametrize("name", ACTIVATIONS)
precisions = pytest.mark.parametrize(
    ("dtype", "tolerance"), [(torch.float32, 1e-6), (torch.float64, 1e-14)], ids=str
)
# Both sides of every bend, far and near, and not on it.
POINTS = np.array([-30.0, -3.0, -1.001, -0.5, -1e-3, 1e-3, 0.25, 0.999, 2.0, 30.0])


def test_every_activation_has_a_module_to_be_checked_against():
    assert MODULES.keys() == ACTIVATIONS.keys()


@every_activation
def test_the_slope_is_the_derivative_of_the_value(name):
    activation, step = ACTIVATIONS[name], 1e-6
    rise = activation.value(POINTS + step) - activation.value(POINTS - step)
    assert activation.slope(POINTS) == pytest.approx(rise / (2 * step), abs=1e-8)


@every_activation
def test_the_value_is_that_of_the_module(name):
    module = MODULES[name]()(torch.from_numpy(POINTS)).numpy()
    assert ACTIVATIONS[name].value(POINTS) == pytest.approx(module, abs=1e-15)


@every_activation
@precisions
def test_forward_is_the_value_in_place(name, dtype, tolerance):
    u = torch.from_numpy(POINTS).to(dtype)
    expected = ACTIVATIONS[name].value(u.numpy().copy())
    ACTIVATIONS[name].forward_(u)
    assert u.numpy() == pytest.approx(expected, abs=tolerance)


@every_activation
@precisions
def test_backward_is_what_autograd_gives(name, dtype, tolerance):
    # 0, too: ReLU has no derivative there, but training needs one.
    u = torch.from_numpy(np.append(POINTS, 0.0)).to(dtype).requires_grad_()
    upstream = torch.linspace(-2, 3, len(u), dtype=dtype)
    output = MODULES[name]()(u)
    output.backward(upstream)

    gradient = upstream.clone()
    ACTIVATIONS[name].backward_(gradient, output.detach())
    assert gradient.numpy() == pytest.approx(u.grad.numpy(), abs=tolerance)


@every_activation
def test_backward_works_in_place_on_the_engine_s_three_dimensional_tensors(name):
    u = torch.linspace(-2, 2, 24, dtype=torch.float64).reshape(2, 3, 4)
    gradient, before = torch.ones_like(u), u.clone()
    ACTIVATIONS[name].forward_(u)
    ACTIVATIONS[name].backward_(gradient, u)
    assert gradient.numpy() == pytest.approx(ACTIVATIONS[name].slope(before.numpy()), abs=1e-14)
