"""Mish, u tanh(log(1 + exp(u))) (Misra 2020)."""

import numpy as np

from repatlas.networks.activation import Activation, aten, logistic, torch_module


def _slope(u):
    bent = np.tanh(np.logaddexp(0, u))
    return bent + u * (1 - bent**2) * logistic(u)


def _backward_(gradient, u, output):
    gradient.copy_(aten().mish_backward(gradient, u))


ACTIVATION = Activation(
    value=lambda u: u * np.tanh(np.logaddexp(0, u)),
    slope=_slope,
    forward=lambda u, out: aten().mish.out(u, out=out),
    backward_=_backward_,
    module=torch_module("Mish"),
    colour="#5B4A9E",
    needs_input=True,
)
