"""Effective weights of units in deep networks, and the gradient field that drives them.

The layers below a unit are linearised around their activity at each cluster, and so are the layers
above it. The unit then has effective input weights and an effective readout weight at each cluster,
as a neuron of a network with one hidden layer has. P clusters, N inputs, H units of a layer, and n
units of the layer below it.
"""

from typing import NamedTuple

import numpy as np

from repatlas.dynamics.field import mean_slope_and_curvature
from repatlas.networks.activation import activation as activation_of


class Linearised(NamedTuple):
    """A hidden layer of a network, linearised around its activity at each cluster."""

    below: np.ndarray
    """(P, n, N): the derivative of the activity below by the inputs"""
    activity: np.ndarray
    """(P, n): the activity below"""
    preactivation: np.ndarray
    """(P, H)"""
    weights: np.ndarray
    """(P, H, N): effective input weights, the derivative of the preactivation by the inputs"""
    readout: np.ndarray
    """(P, H): effective readout weights, the derivative of the output by the activity"""

    @property
    def mean_weights(self) -> np.ndarray:
        """(H, N): the mean of the effective weights over clusters."""
        return self.weights.mean(axis=0)

    @property
    def positive(self) -> np.ndarray:
        """The units whose effective readout weight is positive on average over clusters."""
        return np.flatnonzero(self.readout.mean(axis=0) > 0)


def linearised(
    parameters: dict[str, np.ndarray], inputs: np.ndarray, activation: str
) -> list[Linearised]:
    """Return each hidden layer of a network with one output, linearised.

    parameters: by name, as in `networks.mlp`; inputs: (P, N). A linear network of two layers:

    >>> one, two = np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[1.0, 1.0]])
    >>> parameters = {"weights1": one, "weights2": two, "readout": np.ones((1, 1))}
    >>> parameters |= {"bias1": np.zeros(2), "bias2": np.zeros(1)}
    >>> linearised(parameters, np.eye(2), "identity")[1].mean_weights
    array([[1., 3.]])
    """
    depth = sum(name.startswith("weights") for name in parameters)
    value, slope = activation_of(activation).value, activation_of(activation).slope
    found, slopes = [], []
    below = np.broadcast_to(np.eye(inputs.shape[1]), (len(inputs), *[inputs.shape[1]] * 2))
    activity = inputs
    for layer in range(1, depth + 1):
        own = parameters[f"weights{layer}"]
        before = activity @ own.T + parameters[f"bias{layer}"]
        weights = own @ below
        found.append(Linearised(below, activity, before, weights, np.empty(0)))
        slopes.append(slope(before))
        below, activity = slopes[-1][..., None] * weights, value(before)
    readout = np.broadcast_to(parameters["readout"][0], slopes[-1].shape)
    for layer in range(depth, 0, -1):
        found[layer - 1] = found[layer - 1]._replace(readout=readout)
        readout = (readout * slopes[layer - 1]) @ parameters[f"weights{layer}"]
    return found


def expected_update(
    layer: Linearised, errors: np.ndarray, deviation: float, activation: str
) -> np.ndarray:
    """Return the expected update of the mean effective weights, up to the learning rate.

    Only the weights of this layer change. Equation 1 of the paper gives their change, with the
    effective readout weight a_i at cluster i instead of a frozen one. The derivative below, B_i,
    turns it into a change of effective weights w_i:

        dw = mean(B)^T sum_i e_i a_i (E[f'(u_i)] h_i + deviation^2 E[f''(u_i)] B_i w_i),
        u_i ~ N(preactivation, deviation^2 |w_i|^2),

    where h_i is the activity below. In the first layer this is `gradient_field` times a readout
    weight. errors: (P,), +1 for clusters of the positive class and -1 for the others. Returns
    (H, N).

    >>> parameters = {"weights1": np.eye(2), "bias1": np.zeros(2), "readout": np.ones((1, 2))}
    >>> (layer,) = linearised(parameters, np.eye(2), "identity")
    >>> expected_update(layer, np.array([1, -1]), 0.0, "identity")
    array([[ 1., -1.],
           [ 1., -1.]])
    """
    change = weight_change(layer, errors, deviation, activation)
    return change @ layer.below.mean(axis=0)


def weight_change(
    layer: Linearised, errors: np.ndarray, deviation: float, activation: str
) -> np.ndarray:
    """Return (H, n), the expected change of the weights of a layer, up to the learning rate.

    >>> parameters = {"weights1": np.eye(2), "bias1": np.zeros(2), "readout": np.ones((1, 2))}
    >>> (layer,) = linearised(parameters, 3 * np.eye(2), "identity")
    >>> weight_change(layer, np.array([1, -1]), 0.0, "identity")
    array([[ 3., -3.],
           [ 3., -3.]])
    """
    spread = deviation * np.linalg.norm(layer.weights, axis=-1)
    slope, curvature = mean_slope_and_curvature(activation, layer.preactivation, spread)
    drive = errors[:, None] * layer.readout
    change = (drive * slope).T @ layer.activity
    noise = (drive * curvature)[..., None] * (layer.weights @ layer.below.swapaxes(1, 2))
    return change + deviation**2 * noise.sum(axis=0)


def coupled_updates(
    layers: list[Linearised],
    parameters: dict[str, np.ndarray],
    errors: np.ndarray,
    deviation: float,
    activation: str,
) -> list[np.ndarray]:
    """Return, for each layer, (H, N), the expected update of the mean effective weights if the
    weights of all layers change. The slopes of all units stay as they are.

    >>> parameters = {"weights1": np.eye(1), "weights2": np.eye(1), "readout": np.ones((1, 1))}
    >>> parameters |= {"bias1": np.zeros(1), "bias2": np.zeros(1)}
    >>> layers = linearised(parameters, np.eye(1), "identity")
    >>> coupled_updates(layers, parameters, np.ones(1), 0.0, "identity")
    [array([[1.]]), array([[2.]])]
    """
    slope, found = activation_of(activation).slope, []
    of_below = np.zeros_like(layers[0].below)
    for number, layer in enumerate(layers, start=1):
        change = weight_change(layer, errors, deviation, activation)
        update = change @ layer.below + parameters[f"weights{number}"] @ of_below
        found.append(update.mean(axis=0))
        of_below = slope(layer.preactivation)[..., None] * update
    return found


class OnAxes(NamedTuple):
    """The parts of a layer's field that do not depend on the unit, on K axes of the inputs."""

    drive: np.ndarray
    """(P,): errors times the mean effective readout weight of units"""
    images: np.ndarray
    """(P, K): mean(B)^T h_i, the direction into which cluster i drives effective weights"""
    metric: np.ndarray
    """(P, K, K): mean(B)^T B_i"""


def on_axes(layer: Linearised, errors: np.ndarray, axes: np.ndarray) -> OnAxes:
    """Return the parts of the field that units with a positive readout share; axes: (K, N),
    orthonormal.

    >>> parameters = {"weights1": np.eye(2), "bias1": np.zeros(2), "readout": np.ones((1, 2))}
    >>> (layer,) = linearised(parameters, np.eye(2), "identity")
    >>> on_axes(layer, np.array([1, -1]), np.eye(2)).drive
    array([ 1., -1.])
    """
    below = layer.below @ axes.T  # (P, n, K)
    mean = below.mean(axis=0)
    readout = layer.readout[:, layer.positive]
    drive = errors * (readout.mean(axis=1) if readout.size else 0.0)
    return OnAxes(drive, layer.activity @ mean, mean.T @ below)


def effective_field(
    places: np.ndarray, centres: np.ndarray, parts: OnAxes, deviation: float, activation: str
) -> np.ndarray:
    """Return the field at effective weights in the space of K axes, up to the learning rate.

    The preactivation of a unit with effective weights w is w . x_i here, so that the field depends
    on w alone. places: (M, K); centres: (P, K), the clusters on the axes. Returns (M, K).

    >>> parameters = {"weights1": np.eye(2), "bias1": np.zeros(2), "readout": np.ones((1, 2))}
    >>> (layer,) = linearised(parameters, np.eye(2), "identity")
    >>> parts = on_axes(layer, np.array([1, -1]), np.eye(2))
    >>> effective_field(np.zeros((1, 2)), np.eye(2), parts, 0.0, "identity")
    array([[ 1., -1.]])
    """
    spread = deviation * np.linalg.norm(places, axis=1, keepdims=True)
    slope, curvature = mean_slope_and_curvature(activation, places @ centres.T, spread)  # (M, P)
    noise = np.einsum("mp,pkl,ml->mk", parts.drive * curvature, parts.metric, places)
    return (parts.drive * slope) @ parts.images + deviation**2 * noise
