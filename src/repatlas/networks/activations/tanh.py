"""The hyperbolic tangent."""

import numpy as np

from repatlas.networks.activation import Activation, aten, torch_module

FARTHEST = 7.90531110763549805
ABOVE = (
    *(-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08),
    *(1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03),
)
BELOW = (1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03)
"""tanh(x) is x p(x^2) / q(x^2), to 3e-7 of its value in float32: the coefficients of p and q, from
the highest power down. Beyond +-FARTHEST it is +-1. (The library Eigen computes it so.)"""


def _forward(u, out):
    # On the CPU torch hands tanh to MKL, which on AMD takes 12 times as long as numpy's.
    if u.is_cuda:
        aten().tanh.out(u, out=out)
    else:
        np.tanh(u.numpy(), out=out.numpy())


def _backward_(gradient, u, output):
    aten().tanh_backward.grad_input(gradient, output, grad_input=gradient)


def _forward_loop(u):
    real, farthest = u.dtype.type, u.dtype.type(FARTHEST)
    if u.itemsize == 8:
        for i in range(len(u)):
            u[i] = np.tanh(u[i])
        return
    for i in range(len(u)):
        x = -farthest if u[i] < -farthest else u[i]
        x = farthest if x > farthest else x
        y = x * x
        above, below = real(ABOVE[0]), real(BELOW[0])
        for coefficient in ABOVE[1:]:
            above = above * y + real(coefficient)
        for coefficient in BELOW[1:]:
            below = below * y + real(coefficient)
        u[i] = x * above / below


def _backward_loop(gradient, output):
    one = output.dtype.type(1)
    for i in range(len(output)):
        gradient[i] *= one - output[i] * output[i]


ACTIVATION = Activation(
    value=np.tanh,
    slope=lambda u: 1 - np.tanh(u) ** 2,
    forward=_forward,
    backward_=_backward_,
    module=torch_module("Tanh"),
    colour="#D55E00",
    loops=(_forward_loop, _backward_loop),
)
