"""The hyperbolic tangent."""

import numpy as np

from repatlas.networks.activation import Activation, aten, torch_module


def _forward(u, out):
    # On the CPU torch hands tanh to MKL, which on AMD takes 12 times as long as numpy's.
    if u.is_cuda:
        aten().tanh.out(u, out=out)
    else:
        np.tanh(u.numpy(), out=out.numpy())


def _backward_(gradient, u, output):
    aten().tanh_backward.grad_input(gradient, output, grad_input=gradient)


ACTIVATION = Activation(
    value=np.tanh,
    slope=lambda u: 1 - np.tanh(u) ** 2,
    forward=_forward,
    backward_=_backward_,
    module=torch_module("Tanh"),
    colour="#D55E00",
)
