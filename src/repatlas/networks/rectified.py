"""ReLUs that are moved along their argument: f(u) = max(u + shift, 0)."""

import numpy as np

from repatlas.networks.activation import Activation, aten, torch_module


def rectified(shift: float, colour: str) -> Activation:
    """Return max(u + shift, 0)"""

    def forward(u, out):
        if shift:
            u.add_(shift)
        aten().clamp_min.out(u, 0, out=out)

    return Activation(
        value=lambda u: np.maximum(u + shift, 0),
        slope=lambda u: (u + shift > 0).astype(u.dtype),
        forward=forward,
        backward_=_backward_,
        module=_shifted_module(shift) if shift else torch_module("ReLU"),
        colour=colour,
        bends=((-shift, 1.0),),
    )


def _backward_(gradient, u, output):
    aten().threshold_backward.grad_input(gradient, output, 0, grad_input=gradient)


def _shifted_module(shift: float):
    def make():
        import torch

        class ShiftedReLU(torch.nn.Module):
            def forward(self, u):
                return torch.relu(u + shift)

        return ShiftedReLU()

    return make
