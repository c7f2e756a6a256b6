"""What frozen layers save: gradients that need not be computed (Raghu et al. 2017, section 4.2)."""

from collections.abc import Iterator

from repatlas.representation import Decoders, Row, RunOnImages

OF = "run"


def rows(seen: RunOnImages, settings: Decoders) -> Iterator[tuple[int, Row]]:
    """Yield step and row: at each checkpoint the share of the gradients of all layers and steps
    until then that were not computed, by the schedule; 0 where nothing is frozen."""
    for step in seen.checkpoints:
        yield step, Row("saved_gradients", "schedule", seen.saved_gradients(step))
