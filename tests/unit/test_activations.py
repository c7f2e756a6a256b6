import numpy as np
import pytest
import torch

from repatlas.named import names
from repatlas.networks.activation import activation as activation_of

ACTIVATIONS = {name: activation_of(name) for name in names("networks.activations")}

WITH_LOOPS = [name for name, each in ACTIVATIONS.items() if each.loops]

every_activation = pytest.mark.parametrize("name", ACTIVATIONS)
precisions = pytest.mark.parametrize(
    ("dtype", "tolerance"), [(torch.float32, 1e-6), (torch.float64, 1e-14)], ids=str
)
# Both sides of every bend, far and near, and not on it.
POINTS = np.array([-30.0, -3.0, -1.001, -0.501, -0.25, -1e-3, 1e-3, 0.25, 0.501, 0.999, 2.0, 30.0])
SOFTPLUS_TAIL = 3e-9
"""What torch leaves away beyond 20, where it takes softplus for the identity."""


@every_activation
def test_the_value_is_that_of_the_module(name):
    module = ACTIVATIONS[name].module()(torch.from_numpy(POINTS)).numpy()
    assert ACTIVATIONS[name].value(POINTS) == pytest.approx(module, abs=1e-12)


@every_activation
@precisions
@pytest.mark.parametrize("in_place", [True, False])
def test_forward_is_the_value(name, dtype, tolerance, in_place):
    u = torch.from_numpy(POINTS).to(dtype)
    expected = ACTIVATIONS[name].value(u.numpy().copy())
    out = u if in_place else torch.empty_like(u)
    ACTIVATIONS[name].forward(u, out)
    assert out.numpy() == pytest.approx(expected, abs=tolerance, rel=tolerance)


@every_activation
@precisions
def test_backward_is_what_autograd_gives(name, dtype, tolerance):
    # The bends, too: there is no derivative there, but training needs one.
    bends = [-1.0, -0.5, 0.0, 0.5, 1.0]
    u = torch.from_numpy(np.append(POINTS, bends)).to(dtype).requires_grad_()
    upstream = torch.linspace(-2, 3, len(u), dtype=dtype)
    output = ACTIVATIONS[name].module()(u)
    output.backward(upstream)

    before, after = u.detach().clone(), torch.empty_like(u)
    ACTIVATIONS[name].forward(before, after)
    gradient = upstream.clone()
    ACTIVATIONS[name].backward_(gradient, before, after)
    assert gradient.numpy() == pytest.approx(u.grad.numpy(), abs=4 * tolerance + SOFTPLUS_TAIL)


def compiled(loop, dtype, arrays):
    numba = pytest.importorskip("numba")
    from repatlas.compiling.machine_code import machine_code

    vector = numba.from_dtype(np.dtype(dtype))[::1]
    return machine_code(loop, numba.types.void(*[vector] * arrays), fastmath={"contract"})


@pytest.mark.parametrize("name", WITH_LOOPS)
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 4e-7), ("float64", 1e-14)])
def test_loops_give_the_value_and_the_gradient_of_autograd(name, dtype, tolerance):
    forward, backward = ACTIVATIONS[name].loops
    bends = [-1.0, -0.5, 0.0, 0.5, 1.0]
    u = np.concatenate([POINTS, np.linspace(-10, 10, 1001), bends]).astype(dtype)
    upstream = np.linspace(-2, 3, len(u), dtype=dtype)
    before = torch.from_numpy(u.copy()).requires_grad_()
    ACTIVATIONS[name].module()(before).backward(torch.from_numpy(upstream))
    expected = ACTIVATIONS[name].value(u.astype(float))

    compiled(forward, dtype, 1)(u)
    assert u == pytest.approx(expected, rel=tolerance, abs=tolerance / 10)
    compiled(backward, dtype, 2)(upstream, u)
    assert upstream == pytest.approx(before.grad.numpy(), abs=4 * tolerance)


@every_activation
def test_the_slope_is_the_derivative_of_the_value(name):
    activation, step = ACTIVATIONS[name], 1e-6
    rise = activation.value(POINTS + step) - activation.value(POINTS - step)
    assert activation.slope(POINTS) == pytest.approx(rise / (2 * step), abs=1e-8)
