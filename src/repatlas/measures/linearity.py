"""How linear each hidden layer is in the input."""

from collections.abc import Iterator

from repatlas.dynamics.linearity import linearity
from repatlas.dynamics.units import alive, masses
from repatlas.representation import Decoders, Row, WithUnits

OF = "checkpoint"


def rows(seen: WithUnits, settings: Decoders) -> Iterator[Row]:
    """Yield R^2 of each layer's activity as a linear function of the input, over its living units.
    The mass of a living unit, incoming times outgoing weights, is at least 0.02 of the largest."""
    for layer, hidden in enumerate(seen.layers, start=seen.first_layer):
        mass = masses(seen.parameters[f"weights{layer}"], seen.parameters[f"weights{layer + 1}"])
        value = linearity(hidden.T[alive(mass)], seen.inputs.T)
        yield Row("linearity", seen.variant, value, layer)
