"""How well a network on clusters does on the samples that it was trained on: loss and accuracy.

This is a separate measure, since there are as many of these samples as decoders are fitted on, and
few figures need it. The measure `accuracy` is for fresh samples.
"""

from collections.abc import Iterator

from repatlas.representation import Decoders, OnClusters, Row

OF = "checkpoint"


def rows(seen: OnClusters, settings: Decoders) -> Iterator[Row]:
    """Yield one row for each score."""
    for measure, variant, value in seen.training_scores():
        yield Row(measure, variant, value)
