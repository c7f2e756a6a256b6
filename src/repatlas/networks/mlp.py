"""Multilayer perceptrons: y_hat = sigmoid(J h_L), h_l = f(W_l h_(l-1) + b_l), h_0 = x.

With one hidden layer and a frozen readout J these are the networks of the paper's sections 4 to 6.
With several hidden layers, and everything trained, they are the networks of its Figure 5.
H is the width of each hidden layer, N the input dimension, K the number of targets, L the depth.

Parameters are arrays by name: weights1 (H, N), bias1 (H,), weights2 (H, H), ..., readout (K, H),
and output_bias (K,) where the readout is trained.
"""

from typing import Literal

import numpy as np
from pydantic import Field

from repatlas.named import names
from repatlas.networks.activation import activation as activation_of
from repatlas.record import Record
from repatlas.streams import stream

READOUT_GROUPS = {
    "++": (0.5**0.5, 0.5**0.5),
    "+-": (0.5**0.5, -(0.5**0.5)),
    "-+": (-(0.5**0.5), 0.5**0.5),
    "--": (-(0.5**0.5), -(0.5**0.5)),
    "+0": (1.0, 0.0),
    "-0": (-1.0, 0.0),
    "0+": (0.0, 1.0),
    "0-": (0.0, -1.0),
}
"""Readout weights for two targets, multiplied by sqrt(H), of eight groups of H/8 neurons in this
order (paper, appendix A)."""


class Network(Record):
    """A network without its weights."""

    activation: Literal[*names("networks.activations")]
    """The nonlinearity f of the hidden layers."""
    width: int = Field(120, ge=2, le=100_000, multiple_of=2)
    """Neurons H of each hidden layer. Even, since half of them may have a positive readout."""
    depth: int = Field(1, ge=1, le=100)
    """Hidden layers L."""
    initial: Literal["uniform", "normal", "linear"] = "uniform"
    """The distribution of the initial values of a layer with n inputs. "uniform": weights are
    uniform in +-1/sqrt(n), and biases are N(0, 1/n). "normal": both are N(0, 1/n). "linear": both
    are uniform in +-1/sqrt(n), as in torch.nn.Linear."""
    hidden_bias: Literal["trained", "none"] = "trained"
    """"none" is for the analysis of weights in the plane of two axes, which ignores biases."""
    readout: Literal["binary", "groups", "normal", "trained"] = "binary"
    """"binary": frozen at +-1/sqrt(H), for one target. "groups": frozen in eight groups of neurons,
    for two targets. "normal": frozen at draws from N(0, 1/H). "trained": trained, with a bias."""

    @property
    def trained(self) -> list[str]:
        """The names of the parameters that are trained."""
        layers = range(1, self.depth + 1)
        names = [f"weights{layer}" for layer in layers]
        if self.hidden_bias == "trained":
            names += [f"bias{layer}" for layer in layers]
        if self.readout == "trained":
            names += ["readout", "output_bias"]
        return names


def initial_parameters(
    seed: int, network: Network, inputs: int, targets: int
) -> dict[str, np.ndarray]:
    """Return every parameter before training, in float32. Networks of one seed and shape have the
    same initial values."""
    parameters = {}
    for layer in range(network.depth):
        fan_in = inputs if layer == 0 else network.width
        parameters |= {
            f"weights{layer + 1}": _initial_weights(seed, network, layer, fan_in),
            f"bias{layer + 1}": _initial_bias(seed, network, layer, fan_in),
        }
    parameters["readout"] = _initial_readout(seed, network, targets)
    if network.readout == "trained":
        bound = network.width**-0.5 if network.initial == "linear" else 0.0
        bias = stream(seed, "output bias").uniform(-bound, bound, targets)
        parameters["output_bias"] = bias
    return {name: array.astype(np.float32) for name, array in parameters.items()}


def _initial_weights(seed: int, network: Network, layer: int, fan_in: int) -> np.ndarray:
    generator, shape = stream(seed, "weights", layer), (network.width, fan_in)
    if network.initial == "normal":
        return generator.standard_normal(shape) / np.sqrt(fan_in)
    return generator.uniform(-1, 1, shape) / np.sqrt(fan_in)


def _initial_bias(seed: int, network: Network, layer: int, fan_in: int) -> np.ndarray:
    if network.hidden_bias == "none":
        return np.zeros(network.width)
    generator = stream(seed, "bias", layer)
    if network.initial == "linear":
        return generator.uniform(-1, 1, network.width) / np.sqrt(fan_in)
    return generator.standard_normal(network.width) / np.sqrt(fan_in)


def _initial_readout(seed: int, network: Network, targets: int) -> np.ndarray:
    """Return (K, H). The scale of the binary readout is from the first author's code: with plain
    +-1 the loss vanishes within 50 steps, before the representation has changed."""
    width = network.width
    if network.readout == "binary":
        if targets != 1:
            raise ValueError(f"a binary readout is for one target; found {targets}")
        signs = np.where(np.arange(width) < width // 2, 1, -1)
        return signs[None, :] / np.sqrt(width)
    if network.readout == "groups":
        groups = np.array(list(READOUT_GROUPS.values())).T  # (2, 8)
        return np.repeat(groups, width // len(READOUT_GROUPS), axis=1) / np.sqrt(width)
    generator = stream(seed, "readout")
    if network.readout == "trained" and network.initial == "linear":
        return generator.uniform(-1, 1, (targets, width)) / np.sqrt(width)
    return generator.standard_normal((targets, width)) / np.sqrt(width)


def hidden_layers(
    x: np.ndarray, parameters: dict[str, np.ndarray], activation: str
) -> list[np.ndarray]:
    """Return the activity of each hidden layer, (items, H), for inputs x, (items, N)."""
    value = activation_of(activation).value
    depth = sum(name.startswith("weights") for name in parameters)
    layers = []
    for layer in range(1, depth + 1):
        x = value(x @ parameters[f"weights{layer}"].T + parameters[f"bias{layer}"])
        layers.append(x)
    return layers


def logits(hidden: np.ndarray, parameters: dict[str, np.ndarray]) -> np.ndarray:
    """Return (items, K): the outputs before the sigmoid, for the last layer's activity (items,
    H)."""
    return hidden @ parameters["readout"].T + parameters.get("output_bias", 0)
