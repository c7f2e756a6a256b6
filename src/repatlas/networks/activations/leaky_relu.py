"""The ReLU with a slope of 0.01 below zero, torch's default."""

import numpy as np

from repatlas.networks.activation import Activation, aten, torch_module

LEAK = 0.01
"""Slope below zero."""


def _backward_(gradient, u, output):
    aten().leaky_relu_backward.grad_input(gradient, output, LEAK, True, grad_input=gradient)


def _forward_loop(u):
    leak, zero = u.dtype.type(LEAK), u.dtype.type(0)
    for i in range(len(u)):
        u[i] = u[i] if u[i] > zero else leak * u[i]


def _backward_loop(gradient, output):
    leak, zero = output.dtype.type(LEAK), output.dtype.type(0)
    for i in range(len(output)):
        gradient[i] = gradient[i] if output[i] > zero else leak * gradient[i]


ACTIVATION = Activation(
    value=lambda u: np.where(u > 0, u, LEAK * u),
    slope=lambda u: np.where(u > 0, 1.0, LEAK).astype(u.dtype),
    forward=lambda u, out: aten().leaky_relu.out(u, LEAK, out=out),
    backward_=_backward_,
    module=torch_module("LeakyReLU", LEAK),
    colour="#56B4E9",
    bends=((0.0, 1.0 - LEAK),),
    loops=(_forward_loop, _backward_loop),
)
