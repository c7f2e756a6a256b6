"""Activation functions that are linear between two limits: f(u) = min(max(u, low), high)."""

import numpy as np

from repatlas.networks.activation import Activation, aten, torch_module


def clipped(low: float, high: float, colour: str) -> Activation:
    """Return min(max(u, low), high)"""

    def backward_(gradient, u, output):
        aten().hardtanh_backward.grad_input(gradient, output, low, high, grad_input=gradient)

    def forward_loop(u):
        least, most = u.dtype.type(low), u.dtype.type(high)
        for i in range(len(u)):
            cut = least if u[i] < least else u[i]
            u[i] = most if cut > most else cut

    def backward_loop(gradient, output):
        least, most, zero = output.dtype.type(low), output.dtype.type(high), output.dtype.type(0)
        for i in range(len(output)):
            flat = (output[i] <= least) | (output[i] >= most)
            gradient[i] = zero if flat else gradient[i]

    return Activation(
        value=lambda u: np.clip(u, low, high),
        slope=lambda u: ((u > low) & (u < high)).astype(u.dtype),
        forward=lambda u, out: aten().clamp.out(u, low, high, out=out),
        backward_=backward_,
        module=torch_module("Hardtanh", low, high),
        colour=colour,
        bends=((low, 1.0), (high, -1.0)),
        loops=(forward_loop, backward_loop),
    )
