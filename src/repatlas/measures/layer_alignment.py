"""How well the layers of a ReLU network are aligned with each other."""

from collections.abc import Iterator

from repatlas.dynamics.layer_alignment import gated_alignments
from repatlas.representation import Decoders, Row, WithUnits

OF = "checkpoint"


def rows(seen: WithUnits, settings: Decoders) -> Iterator[Row]:
    """Yield layer_alignment of each hidden layer: how well its incoming and outgoing weights share
    their singular vectors, over the units that are on, mean over items."""
    weights = [seen.parameters[f"weights{n + 1}"] for n in range(len(seen.layers) + 1)]
    found = gated_alignments(weights, [hidden > 0 for hidden in seen.layers])
    for layer, value in enumerate(found, start=seen.first_layer):
        yield Row("layer_alignment", seen.variant, float(value), layer)
