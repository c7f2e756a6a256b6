"""What training, measuring, drawing and the gradient field need of an activation function.

Each activation is a module of `networks/activations` with its ACTIVATION. Tests check each of its
functions against the others.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from repatlas.named import named


class Activation(NamedTuple):
    """An activation function f."""

    value: Callable[[np.ndarray], np.ndarray]
    """f(u)"""
    slope: Callable[[np.ndarray], np.ndarray]
    """f'(u)"""
    forward: Callable
    """torch tensors u, out: f(u) into out, which may be u itself"""
    backward_: Callable
    """torch tensors dL/df, u and f(u) -> dL/du, which overwrites the first"""
    module: Callable[[], Any]
    """A new torch module that computes f, for autograd"""
    colour: str
    """In figures, where the config has no other"""
    bends: tuple[tuple[float, float], ...] = ()
    """The points where the slope of a piecewise linear function jumps, and the sizes of the
    jumps."""
    needs_input: bool = False
    """Whether backward_ needs u; else f(u) takes its place, which saves memory and time."""
    loops: tuple[Callable, Callable] | None = None
    """Loops over flat arrays for numba to compile: one overwrites u with f(u); the other takes
    dL/df and f(u), and overwrites the first with dL/du. NaN stays NaN. None: torch trains the
    networks, which is slower on a CPU."""


def activation(name: str) -> Activation:
    """Return the activation of this name."""
    return named("networks.activations", name).ACTIVATION


def aten():
    """Return functions of torch that write into existing tensors."""
    from torch.ops import aten

    return aten


def torch_module(name: str, *arguments: float) -> Callable[[], Any]:
    """Return a function that makes modules of a class of torch.nn, and loads torch for the
    first."""

    def make():
        from torch import nn

        return getattr(nn, name)(*arguments)

    return make


def logistic(u: np.ndarray) -> np.ndarray:
    """Return 1 / (1 + exp(-u)), without overflow."""
    return (1 + np.tanh(u / 2)) / 2
