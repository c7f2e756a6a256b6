"""The gradient field that drives a neuron's input weights (paper, section 4.1.1, equation 1)."""

import numpy as np
from scipy.special import ndtr

from repatlas.networks.activation import activation as activation_of

# The trapezoidal rule, exact to 1e-7 for tanh up to a spread of 10. Gauss-Hermite nodes converge
# poorly for a function that is steep on the scale of the noise: 32 of them err by 0.02 at spread 3.
NODES = np.linspace(-9, 9, 361)
NODE_WEIGHTS = np.exp(-(NODES**2) / 2)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()


AXES = ("inter", "intra", "other intra")
"""The axes of the space that four centres span: the inter-class axis, and an intra-class axis of
the positive and of the negative class (paper, section 4.1.1)."""


def gradient_field(
    weights: np.ndarray,
    centres: np.ndarray,
    errors: np.ndarray,
    deviation: float,
    activation: str,
) -> np.ndarray:
    """Return the expected update of weights w, up to the learning rate.

    The paper's equation 1 for a neuron with positive readout weight and errors e_i of equal size,

        dw = sum_i e_i f'(w . x) x,    x = x_i + deviation * standard normal,

    in expectation over the noise; with Stein's lemma

        E[dw] = sum_i e_i (E[f'(u_i)] x_i + deviation^2 E[f''(u_i)] w),
        u_i ~ N(w . x_i, deviation^2 |w|^2).

    weights: (M, D); centres: (P, D); errors: (P,), +1 for clusters of the positive class and -1 for
    the others. Returns (M, D). For weights in a plane, D = 2 with the centres' coordinates in the
    plane gives the field's projection on it.
    """
    mean = weights @ centres.T  # (M, P)
    spread = deviation * np.linalg.norm(weights, axis=1, keepdims=True)
    slope, curvature = mean_slope_and_curvature(activation, mean, spread)
    drift = deviation**2 * (curvature @ errors)[:, None] * weights
    return (slope * errors) @ centres + drift


def mean_slope_and_curvature(
    activation: str, mean: np.ndarray, spread: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return E[f'(u)] and E[f''(u)] for u ~ N(mean, spread^2), broadcast. Where spread is 0:
    f'(mean), and 0 for the curvature, which then has no weight in the field."""
    mean, spread = np.broadcast_arrays(mean, spread)
    sharp = spread == 0
    safe = np.where(sharp, 1.0, spread)
    of = activation_of(activation)
    if of.bends:
        # f' has steps, so quadrature would be poor: of each, Phi(m/s), and phi(m/s)/s.
        slope = of.slope(np.full(mean.shape, -np.inf))
        curvature = np.zeros(mean.shape)
        for place, jump in of.bends:
            density = np.exp(-(((mean - place) / safe) ** 2) / 2) / np.sqrt(2 * np.pi)
            slope = slope + jump * ndtr((mean - place) / safe)
            curvature = curvature + jump * density / safe
    else:
        values = of.slope(mean[..., None] + safe[..., None] * NODES)
        slope = values @ NODE_WEIGHTS
        curvature = (values * NODES) @ NODE_WEIGHTS / safe  # Stein: E[f''] = E[f' z] / s
    at_mean = of.slope(mean)
    return np.where(sharp, at_mean, slope), np.where(sharp, 0.0, curvature)
