"""ReLUs that are moved along their argument: f(u) = max(u + shift, 0)."""

import numpy as np

from repatlas.networks.activation import Activation, aten, torch_module


def rectified(shift: float, colour: str) -> Activation:
    """Return max(u + shift, 0)"""

    def forward(u, out):
        if shift:
            u.add_(shift)
        aten().clamp_min.out(u, 0, out=out)

    def forward_loop(u):
        low, zero = u.dtype.type(shift), u.dtype.type(0)
        for i in range(len(u)):
            moved = u[i] + low
            u[i] = zero if moved < zero else moved

    return Activation(
        value=lambda u: np.maximum(u + shift, 0),
        slope=lambda u: (u + shift > 0).astype(u.dtype),
        forward=forward,
        backward_=_backward_,
        module=_shifted_module(shift) if shift else torch_module("ReLU"),
        colour=colour,
        bends=((-shift, 1.0),),
        loops=(forward_loop, _backward_loop),
    )


def _backward_(gradient, u, output):
    aten().threshold_backward.grad_input(gradient, output, 0, grad_input=gradient)


def _backward_loop(gradient, output):
    zero = output.dtype.type(0)
    for i in range(len(output)):
        gradient[i] = zero if output[i] <= zero else gradient[i]


def _shifted_module(shift: float):
    def make():
        import torch

        class ShiftedReLU(torch.nn.Module):
            def forward(self, u):
                return torch.relu(u + shift)

        return ShiftedReLU()

    return make
