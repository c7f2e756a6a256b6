"""Activation functions, each with what training, measuring and the gradient field need of it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Activation(NamedTuple):
    value: Callable[[np.ndarray], np.ndarray]
    """f(u)"""
    slope: Callable[[np.ndarray], np.ndarray]
    """f'(u)"""
    forward_: Callable
    """torch tensor u -> f(u), in place"""
    backward_: Callable
    """torch tensors dL/df and f(u) -> dL/du, in place of the first"""


def _tanh_(u):
    # On the CPU torch hands tanh to MKL, which on AMD takes 12 times as long as numpy's.
    if u.is_cuda:
        u.tanh_()
    else:
        view = u.numpy()
        np.tanh(view, out=view)


def _tanh_backward_(gradient, output):
    from torch.ops import aten

    aten.tanh_backward.grad_input(gradient, output, grad_input=gradient)


def _relu_backward_(gradient, output):
    from torch.ops import aten

    aten.threshold_backward.grad_input(gradient, output, 0, grad_input=gradient)


ACTIVATIONS = {
    "tanh": Activation(
        value=np.tanh,
        slope=lambda u: 1 - np.tanh(u) ** 2,
        forward_=_tanh_,
        backward_=_tanh_backward_,
    ),
    "relu": Activation(
        value=lambda u: np.maximum(u, 0),
        slope=lambda u: (u > 0).astype(u.dtype),
        forward_=lambda u: u.clamp_min_(0),
        backward_=_relu_backward_,
    ),
}
