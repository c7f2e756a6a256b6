"""No nonlinearity: f(u) = u."""

import numpy as np

from repatlas.networks.activation import Activation, torch_module


def _forward_loop(u):
    pass


def _backward_loop(gradient, output):
    pass


ACTIVATION = Activation(
    value=lambda u: u,
    slope=np.ones_like,
    forward=lambda u, out: out if out is u else out.copy_(u),
    backward_=lambda gradient, u, output: gradient,
    module=torch_module("Identity"),
    colour="#555555",
    loops=(_forward_loop, _backward_loop),
)
