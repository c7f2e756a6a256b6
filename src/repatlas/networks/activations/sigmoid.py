"""The logistic function, 1 / (1 + exp(-u))."""

from repatlas.networks.activation import Activation, aten, logistic, torch_module


def _backward_(gradient, u, output):
    aten().sigmoid_backward.grad_input(gradient, output, grad_input=gradient)


ACTIVATION = Activation(
    value=logistic,
    slope=lambda u: logistic(u) * logistic(-u),
    forward=lambda u, out: aten().sigmoid.out(u, out=out),
    backward_=_backward_,
    module=torch_module("Sigmoid"),
    colour="#B8860B",
)
