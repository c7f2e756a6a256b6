"""How much the input weights of each neuron point to each centre (appendix A)."""

from collections.abc import Iterator

import numpy as np

from repatlas.representation import Decoders, OnClusters, Row

OF = "checkpoint"


def rows(seen: OnClusters, settings: Decoders) -> Iterator[Row]:
    """Yield how much the input weights of each neuron point to each centre, w . x_i / |x_i|
    (appendix A), and its readout weights, which tell its group."""
    centres, readout = seen.inputs, seen.parameters["readout"]
    directions = centres / np.linalg.norm(centres, axis=1, keepdims=True)
    tunings = seen.parameters["weights1"] @ directions.T
    for neuron, along in enumerate(tunings):
        for cluster, value in enumerate(along):
            yield Row("tuning", "centres", value, neuron=neuron, cluster=cluster)
        for target, value in enumerate(readout[:, neuron]):
            yield Row("readout", f"target {target}", value, neuron=neuron)
