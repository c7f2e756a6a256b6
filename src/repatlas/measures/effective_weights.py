"""The effective weights of each layer of a deep network, and how they are expected to change."""

from collections.abc import Iterator

import numpy as np

from repatlas.dynamics.effective import (
    Linearised,
    coupled_updates,
    expected_update,
    linearised,
    on_axes,
)
from repatlas.dynamics.field import AXES
from repatlas.representation import Decoders, OnClusters, Row

OF = "checkpoint"


def rows(seen: OnClusters, settings: Decoders) -> Iterator[Row]:
    """Yield, for each layer, the effective weights of units and two updates that are expected, on
    the three axes of the centres. Units are those whose effective readout weight is positive on
    average over clusters.

    effective_update lets only the weights of this layer change; coupled_update lets the weights of
    all layers change.

    positive_share: the fraction of units with such a readout weight. common_share: the squared
    length of the mean effective weights of a unit, divided by the mean of the squared lengths at
    each cluster, on average over units. It is 1 if clusters have the same effective weights.

    effective_drive, effective_image and effective_metric are the parts of the field that units
    share. There are also the centres on the axes.
    """
    axes, activation = seen.task.axes, seen.spec.network.activation
    errors = 2 * seen.targets[:, 0] - 1
    deviation = np.sqrt(seen.spec.task.noise_variance) * seen.spec.task.unit
    for axis, along in zip(AXES, (seen.inputs @ axes.T).T, strict=True):
        for cluster, coordinate in enumerate(along):
            yield Row("centre", axis, coordinate, cluster=cluster)
    layers = linearised(seen.parameters, seen.inputs, activation)
    coupled = coupled_updates(layers, seen.parameters, errors, deviation, activation)
    for number, layer in enumerate(layers, start=seen.first_layer):
        positive = layer.positive
        yield Row("positive_share", "units", len(positive) / layer.readout.shape[1], number)
        yield _common_share(layer, number)
        update = expected_update(layer, errors, deviation, activation)
        found = {"effective_weight": layer.mean_weights, "effective_update": update}
        found["coupled_update"] = coupled[number - seen.first_layer]
        for name, vectors in found.items():
            for axis, along in zip(AXES, (vectors[positive] @ axes.T).T, strict=True):
                for neuron, value in zip(positive, along, strict=True):
                    yield Row(name, axis, value, number, int(neuron))
        yield from _shared_rows(layer, errors, axes, number)


def _common_share(layer: Linearised, number: int) -> Row:
    weights = layer.weights[:, layer.positive]
    common = (weights.mean(axis=0) ** 2).sum(axis=-1)
    each = (weights**2).sum(axis=-1).mean(axis=0)
    there = each > 0
    value = float((common[there] / each[there]).mean()) if there.any() else np.nan
    reason = None if there.any() else "no unit with a positive readout has effective weights"
    return Row("common_share", "units", value, number, reason=reason)


def _shared_rows(
    layer: Linearised, errors: np.ndarray, axes: np.ndarray, number: int
) -> Iterator[Row]:
    parts = on_axes(layer, errors, axes)
    for cluster, drive in enumerate(parts.drive):
        yield Row("effective_drive", "mean", drive, number, cluster=cluster)
        for k, axis in enumerate(AXES):
            yield Row("effective_image", axis, parts.images[cluster, k], number, cluster=cluster)
            for m, other in enumerate(AXES):
                value = parts.metric[cluster, k, m]
                yield Row("effective_metric", f"{axis}, {other}", value, number, cluster=cluster)
