"""The network with one hidden layer: y_hat = sigmoid(J f(W x + b)) (paper, section 4).

Only W and b are trained; the readout J is frozen at binary values (paper, sections 4 and
appendix B). H is the width, N the input dimension, K the number of targets.
"""

from typing import Literal

import numpy as np
from pydantic import Field

from repgeom.networks.activations import ACTIVATIONS
from repgeom.record import Record
from repgeom.streams import stream


class Network(Record):
    """A network with one hidden layer and a frozen binary readout."""

    activation: Literal[*ACTIVATIONS]
    """The nonlinearity f of the hidden layer."""
    width: int = Field(120, ge=2, le=100_000, multiple_of=2)
    """Hidden neurons H. Even, since half of them have a positive readout weight."""
    hidden_bias: Literal["trained", "none"] = "trained"
    """"none" for the analysis of weights in the plane of two axes, which has no place for one."""


def initial_weights(seed: int, width: int, inputs: int) -> np.ndarray:
    """(H, N) float32, uniform in +-1/sqrt(N): every network of a seed starts from these."""
    uniform = stream(seed, "weights").uniform(-1, 1, (width, inputs))
    return (uniform / np.sqrt(inputs)).astype(np.float32)


def initial_bias(seed: int, network: Network, inputs: int) -> np.ndarray:
    """(H,) float32, N(0, 1/N), or zero for a network without a hidden bias."""
    if network.hidden_bias == "none":
        return np.zeros(network.width, np.float32)
    normal = stream(seed, "bias").standard_normal(network.width)
    return (normal / np.sqrt(inputs)).astype(np.float32)


def binary_readout(width: int) -> np.ndarray:
    """(1, H) float32: +1/sqrt(H) for the first half of the neurons, -1/sqrt(H) for the rest.

    The scale is that of the first author's code. With plain +-1 the loss vanishes within 50
    steps, before the representation has changed.
    """
    signs = np.where(np.arange(width) < width // 2, 1, -1)
    return (signs / np.sqrt(width)).astype(np.float32)[None, :]


def hidden_layer(
    x: np.ndarray, weights: np.ndarray, bias: np.ndarray, activation: str
) -> np.ndarray:
    """(items, H): f(W x + b) of inputs (items, N)."""
    return ACTIVATIONS[activation].value(x @ weights.T + bias)
