"""The outputs of a network, and of its pathways, for each item."""

from collections.abc import Iterator

from repatlas.representation import Decoders, OnItems, Row

OF = "checkpoint"


def rows(seen: OnItems, settings: Decoders) -> Iterator[Row]:
    """Yield each output (`neuron`) for each item (`cluster`): of all pathways together, and of the
    first context pathway, with its name as the variant; and the targets."""
    found = {("output", "all"): seen.outputs, ("target", ""): seen.targets}
    found |= {("output", name): outputs for name, outputs in seen.pathway_outputs(1).items()}
    for (measure, variant), values in found.items():
        for item, of_item in enumerate(values):
            for number, value in enumerate(of_item):
                yield Row(measure, variant, float(value), neuron=number, cluster=item)
