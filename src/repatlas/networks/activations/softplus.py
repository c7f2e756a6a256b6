"""The smooth ReLU, log(1 + exp(u))."""

import numpy as np

from repatlas.networks.activation import Activation, aten, logistic, torch_module


def _backward_(gradient, u, output):
    # f'(u) = sigmoid(u) = 1 - exp(-f(u))
    gradient.mul_((-output).expm1_().neg_())


ACTIVATION = Activation(
    value=lambda u: np.logaddexp(0, u),
    slope=logistic,
    forward=lambda u, out: aten().softplus.out(u, out=out),
    backward_=_backward_,
    module=torch_module("Softplus"),
    colour="#8A7A00",
)
