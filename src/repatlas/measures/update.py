"""The expected update of the input weights under errors of equal size (equation 1)."""

from collections.abc import Iterator

import numpy as np

from repatlas.dynamics.field import AXES, gradient_field
from repatlas.representation import Decoders, OnClusters, Row

OF = "checkpoint"


def rows(seen: OnClusters, settings: Decoders) -> Iterator[Row]:
    """Yield the expected update of the input weights of the neurons with a positive readout weight,
    if errors have equal size (equation 1). Yield also the weights. Both are in the space that the
    centres span."""
    axes, centres = seen.task.axes, seen.inputs
    positive = np.flatnonzero(seen.parameters["readout"][0] > 0)
    weights = seen.parameters["weights1"][positive]
    errors = 2 * seen.targets[:, 0] - 1
    deviation = np.sqrt(seen.spec.task.noise_variance) * seen.spec.task.unit
    field = gradient_field(weights, centres, errors, deviation, seen.spec.network.activation)
    for name, vectors in (("expected_update", field), ("position", weights)):
        for axis, along in zip(AXES, (vectors @ axes.T).T, strict=True):
            for neuron, value in zip(positive, along, strict=True):
                yield Row(name, axis, value, neuron=int(neuron))
