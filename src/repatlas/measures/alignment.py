"""Kernel alignment of each layer with targets and inputs (section 3), and dimensionality."""

from collections.abc import Iterator

import numpy as np

from repatlas.geometry import alignment_of_kernels, centred_kernel, participation_ratio
from repatlas.representation import Decoders, Patterns, Row

OF = "checkpoint"


def rows(seen: Patterns, settings: Decoders) -> Iterator[Row]:
    """Yield the alignment of each layer with targets and inputs, from the patterns of the
    conditions. If items have noise, yield it also from means over noisy samples, as a check. The
    conditions are all that exist, and not a sample of more conditions, so the plain form of
    alignment has no bias."""
    inputs, targets = centred_kernel(seen.inputs), centred_kernel(seen.targets)
    others = (("target_alignment", targets), ("input_alignment", inputs))
    kernels = [centred_kernel(patterns) for patterns in seen.layers]
    for layer, kernel in enumerate(kernels, start=seen.first_layer):
        for name, other in others:
            yield Row(name, seen.variant, alignment_of_kernels(kernel, other), layer)
    if seen.deviations:
        deviation = min(seen.deviations)
        hidden, conditions = seen.samples("scored", deviation)
        means = [hidden[conditions == c].mean(axis=0) for c in range(len(seen.inputs))]
        of_means, last = centred_kernel(np.stack(means)), len(kernels) - 1 + seen.first_layer
        for name, other in others:
            value = alignment_of_kernels(of_means, other)
            yield Row(name, "sample means", value, last, deviation=deviation)
    yield Row("input_output_alignment", seen.variant, alignment_of_kernels(inputs, targets))
    yield Row("participation_ratio", seen.variant, participation_ratio(kernels[-1]))
    yield Row("input_participation_ratio", seen.variant, participation_ratio(inputs))
