"""Activation functions, each with what training, measuring and the gradient field need of it.

To add one, enter its value, its slope and its two torch forms in ACTIVATIONS, and its torch module
in training/reference.py; tests check each against the others.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Activation(NamedTuple):
    value: Callable[[np.ndarray], np.ndarray]
    """f(u)"""
    slope: Callable[[np.ndarray], np.ndarray]
    """f'(u)"""
    forward: Callable
    """torch tensors u, out: f(u) into out, which may be u itself"""
    backward_: Callable
    """torch tensors dL/df, u and f(u) -> dL/du, in place of the first"""
    bends: tuple[tuple[float, float], ...] = ()
    """Of a piecewise linear one: where its slope jumps, and by how much."""
    needs_input: bool = False
    """Whether backward_ needs u; else f(u) takes its place, which saves memory and time."""


def _aten():
    from torch.ops import aten

    return aten


def _tanh(u, out):
    # On the CPU torch hands tanh to MKL, which on AMD takes 12 times as long as numpy's.
    if u.is_cuda:
        _aten().tanh.out(u, out=out)
    else:
        np.tanh(u.numpy(), out=out.numpy())


def _tanh_backward_(gradient, u, output):
    _aten().tanh_backward.grad_input(gradient, output, grad_input=gradient)


def _rectified(shift: float) -> Activation:
    """max(u + shift, 0)"""

    def forward(u, out):
        if shift:
            u.add_(shift)
        _aten().clamp_min.out(u, 0, out=out)

    return Activation(
        value=lambda u: np.maximum(u + shift, 0),
        slope=lambda u: (u + shift > 0).astype(u.dtype),
        forward=forward,
        backward_=_relu_backward_,
        bends=((-shift, 1.0),),
    )


def _relu_backward_(gradient, u, output):
    _aten().threshold_backward.grad_input(gradient, output, 0, grad_input=gradient)


def _clipped(low: float, high: float) -> Activation:
    """min(max(u, low), high)"""

    def backward_(gradient, u, output):
        _aten().hardtanh_backward.grad_input(gradient, output, low, high, grad_input=gradient)

    return Activation(
        value=lambda u: np.clip(u, low, high),
        slope=lambda u: ((u > low) & (u < high)).astype(u.dtype),
        forward=lambda u, out: _aten().clamp.out(u, low, high, out=out),
        backward_=backward_,
        bends=((low, 1.0), (high, -1.0)),
    )


LEAK = 0.01
"""Slope of the leaky ReLU below zero: torch's default."""


def _leaky_backward_(gradient, u, output):
    _aten().leaky_relu_backward.grad_input(gradient, output, LEAK, True, grad_input=gradient)


def _sigmoid_backward_(gradient, u, output):
    _aten().sigmoid_backward.grad_input(gradient, output, grad_input=gradient)


def _softplus_backward_(gradient, u, output):
    # f'(u) = sigmoid(u) = 1 - exp(-f(u))
    gradient.mul_((-output).expm1_().neg_())


def _gelu_backward_(gradient, u, output):
    _aten().gelu_backward.grad_input(gradient, u, approximate="none", grad_input=gradient)


def _gaussian_density(u):
    return np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi)


def _gaussian_cumulative(u):
    # Not at the top: the config, which names activations, is read without scipy.
    from scipy.special import ndtr

    return ndtr(u)


def _logistic(u):
    return (1 + np.tanh(u / 2)) / 2


ACTIVATIONS = {
    "tanh": Activation(
        value=np.tanh,
        slope=lambda u: 1 - np.tanh(u) ** 2,
        forward=_tanh,
        backward_=_tanh_backward_,
    ),
    "relu": _rectified(0.0),
    # The ReLU that saturates on both sides (paper, section 9).
    "clipped_relu": _clipped(0.0, 1.0),
    # ReLUs moved along the argument (paper, section 9): the number is what is added to it.
    "relu-1": _rectified(-1.0),
    "relu-0.5": _rectified(-0.5),
    "relu+0.5": _rectified(0.5),
    "relu+1": _rectified(1.0),
    "leaky_relu": Activation(
        value=lambda u: np.where(u > 0, u, LEAK * u),
        slope=lambda u: np.where(u > 0, 1.0, LEAK).astype(u.dtype),
        forward=lambda u, out: _aten().leaky_relu.out(u, LEAK, out=out),
        backward_=_leaky_backward_,
        bends=((0.0, 1.0 - LEAK),),
    ),
    "softplus": Activation(
        value=lambda u: np.logaddexp(0, u),
        slope=_logistic,
        forward=lambda u, out: _aten().softplus.out(u, out=out),
        backward_=_softplus_backward_,
    ),
    "sigmoid": Activation(
        value=_logistic,
        slope=lambda u: _logistic(u) * _logistic(-u),
        forward=lambda u, out: _aten().sigmoid.out(u, out=out),
        backward_=_sigmoid_backward_,
    ),
    "gelu": Activation(
        value=lambda u: u * _gaussian_cumulative(u),
        slope=lambda u: _gaussian_cumulative(u) + u * _gaussian_density(u),
        forward=lambda u, out: _aten().gelu.out(u, out=out),
        backward_=_gelu_backward_,
        needs_input=True,
    ),
    "hard_tanh": _clipped(-1.0, 1.0),
    "identity": Activation(
        value=lambda u: u,
        slope=np.ones_like,
        forward=lambda u, out: out if out is u else out.copy_(u),
        backward_=lambda gradient, u, output: gradient,
    ),
}
