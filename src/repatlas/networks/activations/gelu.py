"""The Gaussian error linear unit, u Phi(u) (Hendrycks and Gimpel 2016)."""

import numpy as np

from repatlas.networks.activation import Activation, aten, torch_module


def _backward_(gradient, u, output):
    aten().gelu_backward.grad_input(gradient, u, approximate="none", grad_input=gradient)


def _density(u):
    return np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi)


def _cumulative(u):
    # Not at the top: the config, which names activations, is read without scipy.
    from scipy.special import ndtr

    return ndtr(u)


ACTIVATION = Activation(
    value=lambda u: u * _cumulative(u),
    slope=lambda u: _cumulative(u) + u * _density(u),
    forward=lambda u, out: aten().gelu.out(u, out=out),
    backward_=_backward_,
    module=torch_module("GELU"),
    colour="#1B9E9E",
    needs_input=True,
)
