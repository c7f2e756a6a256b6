"""The exponential linear unit: u above 0, exp(u) - 1 below (Clevert, Unterthiner and Hochreiter
2016)."""

import numpy as np

from repatlas.networks.activation import Activation, aten, torch_module


def _backward_(gradient, u, output):
    aten().elu_backward.grad_input(gradient, 1, 1, 1, True, output, grad_input=gradient)


ACTIVATION = Activation(
    value=lambda u: np.where(u > 0, u, np.expm1(np.minimum(u, 0))),
    slope=lambda u: np.exp(np.minimum(u, 0)),
    forward=lambda u, out: aten().elu.out(u, out=out),
    backward_=_backward_,
    module=torch_module("ELU"),
    colour="#C2558F",
)
