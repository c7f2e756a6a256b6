"""How well a network does: its loss, and its accuracies."""

from collections.abc import Iterator

from repatlas.representation import Decoders, Row, Scored

OF = "checkpoint"


def rows(seen: Scored, settings: Decoders) -> Iterator[Row]:
    """Yield one row for each score that the experiment has."""
    for measure, variant, value in seen.scores():
        yield Row(measure, variant, value)
