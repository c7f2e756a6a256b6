"""How linear each hidden layer is in the input."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repatlas.dynamics.correlations import linear_residual
from repatlas.dynamics.units import alive, masses
from repatlas.representation import Decoders, Row, WithUnits

OF = "checkpoint"


def rows(seen: WithUnits, settings: Decoders) -> Iterator[Row]:
    """Yield R^2 of each layer's activity as a linear function of the input, over its living units.
    The mass of a living unit, incoming times outgoing weights, is at least 0.02 of the largest."""
    for layer, hidden in enumerate(seen.layers, start=seen.first_layer):
        mass = masses(seen.parameters[f"weights{layer}"], seen.parameters[f"weights{layer + 1}"])
        value = _linear_part(hidden.T[alive(mass)], seen.inputs.T)
        yield Row("linearity", seen.variant, value, layer)


def _linear_part(activity: NDArray[Any], inputs: NDArray[Any]) -> float:
    """Return 1 - |h - h X^+ X|^2 / |h|^2 of h, (units, N), and X, (n_in, N); nan if h is 0.

    >>> x = np.array([[1.0, -1.0]])
    >>> _linear_part(3 * x, x), round(_linear_part(np.maximum(x, 0), x), 12)
    (1.0, 0.5)
    """
    # Not centred: the origin means something where there are no biases.
    h = np.asarray(activity, dtype=np.float64)
    size = float(np.sum(h**2))
    return 1 - float(np.sum(linear_residual(inputs, h) ** 2)) / size if size > 0 else float("nan")
