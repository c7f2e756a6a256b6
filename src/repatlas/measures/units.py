"""In which contexts, or at which items, the hidden units of a ReLU network are used."""

from collections.abc import Iterator

import numpy as np

from repatlas.dynamics.units import contexts_used, masses, on_patterns, shares_of_active
from repatlas.representation import Decoders, Row, WithUnits

OF = "checkpoint"


def rows(seen: WithUnits, settings: Decoders) -> Iterator[Row]:
    """Yield shares of mass by a number of contexts, or items, which is `neuron`.

    For one hidden layer and contexts of several objects:

    used_share: units used in this number of contexts, by their slopes. used_mean: the mean number.
    slope: the mean slopes, sorted within each unit, with the rank as `neuron`.
    undriven_share: units without object drive.

    At each layer active_share: units whose mean activity counts in this number of contexts, by
    output mass. At the last layer items_share: units that are on at this number of items; and
    patterns: the number of distinct sets of items.
    """
    contexts, objects = seen.activity().shape[1:]
    if len(seen.layers) == 1 and objects > 1:
        use = contexts_used(seen.activity(), seen.incoming, seen.mass)
        for number, value in enumerate(use.shares):
            yield Row("used_share", seen.variant, float(value), neuron=number)
        yield Row("used_mean", seen.variant, use.mean)
        yield Row("used_mean", "share of contexts", use.mean / contexts)
        yield Row("undriven_share", seen.variant, use.undriven)
        for number, value in enumerate(use.sorted_slopes):
            yield Row("slope", seen.variant, float(value), neuron=number)
    for layer, hidden in enumerate(seen.layers, start=seen.first_layer):
        mass = masses(hidden.T, seen.parameters[f"weights{layer + 1}"])
        shares = shares_of_active(seen.activity(layer - seen.first_layer), mass)
        for number, value in enumerate(shares):
            yield Row("active_share", seen.variant, float(value), layer, neuron=number)
    patterns = on_patterns(np.asarray(seen.layers[-1]).T, seen.mass)
    for number, value in enumerate(patterns.shares):
        yield Row("items_share", seen.variant, float(value), neuron=number)
    yield Row("patterns", seen.variant, patterns.number)
