"""The positions of input weights in the plane of the paper's two axes (section 4.1.1)."""

from collections.abc import Iterator

import numpy as np

from repatlas.dynamics.field import AXES
from repatlas.representation import Decoders, OnClusters, Row

OF = "checkpoint"


def rows(seen: OnClusters, settings: Decoders) -> Iterator[Row]:
    """Yield the positions of input weights, and of the centres, in the plane of the inter-class
    axis and the intra-class axis (section 4.1.1). The weights belong to the neurons with a positive
    readout weight."""
    inter, intra, other_intra = seen.task.axes
    positive = np.flatnonzero(seen.parameters["readout"][0] > 0)
    weights = seen.parameters["weights1"]
    along = {"inter": weights @ inter, "intra": weights @ intra}
    for variant, coordinates in along.items():
        for neuron in positive:
            yield Row("weight", variant, coordinates[neuron], neuron=int(neuron))
    is_inter = np.abs(along["intra"]) < along["inter"]
    yield Row("inter_selective", "fraction", is_inter[positive].mean())
    for variant, axis in zip(AXES, (inter, intra, other_intra), strict=True):
        for cluster, coordinate in enumerate(seen.inputs @ axis):
            yield Row("centre", variant, coordinate, cluster=cluster)
