"""How a network that classifies images is trained, and when its layers are frozen.

The method is "freeze training" (Raghu et al. 2017, section 4.2). There are L layers with weights.
After a fraction f(l / L) of training, layer l, counted from the input, keeps its weights and
biases. The last layer, the readout, is never frozen. The layers that are frozen are always the
lowest ones.
"""

import math
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from pydantic import Field, model_validator

from repatlas.record import LARGEST_WHOLE, Positive, Record, refuse
from repatlas.streams import stream

SCHEDULES = {
    "linear": lambda depth: depth,
    "late_linear": lambda depth: 0.5 + 0.5 * depth,
    "square_root": math.sqrt,
    "cubic": lambda depth: depth**3,
}
"""The fraction of training after which a layer of this relative depth l / L is frozen."""
ROUNDING = 1e-9
"""The tolerance of a fraction times a number of steps, which counts as whole within it."""


class NamingTraining(Record):
    """Adam, with betas 0.9 and 0.999, on the cross-entropy of ten labels; no augmentation."""

    learning_rate: Positive = 1e-3
    """Step size of Adam."""
    batch: int = Field(64, ge=2, le=LARGEST_WHOLE)
    """Images in a batch; a pass over the images leaves out a remainder, another each time."""
    frozen: Literal["none", *SCHEDULES] = "none"
    """When layers are frozen, starting with the lowest. Layer l of L is frozen after the fraction l
    / L of training (linear), 1/2 + l / 2L (late_linear), sqrt(l / L) or (l / L)^3."""
    passes: int | None = Field(None, ge=1, le=LARGEST_WHOLE)
    """With frozen layers: passes over the images in the whole of training, which the fractions are
    of. Where nothing is frozen it has no say, and is left out."""

    @model_validator(mode="before")
    @classmethod
    def _passes_matter_to_schedules_alone(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("frozen", "none") == "none":
            return {name: value for name, value in values.items() if name != "passes"}
        return values

    @model_validator(mode="after")
    def _schedules_have_an_end(self):
        if self.frozen != "none" and self.passes is None:
            refuse(
                f"training.passes: missing with frozen {self.frozen!r}, allowed: the passes over"
                " the images in the whole of training"
            )
        return self


def freezing(training: NamingTraining, layers: int, each: int) -> list[int]:
    """Return (layers - 1,): the step at which each of the lower layers is frozen, for this number
    of layers with weights; nothing if none is frozen. each: the steps of a pass."""
    if training.frozen == "none":
        return []
    fraction, steps = SCHEDULES[training.frozen], training.passes * each
    return [math.ceil(fraction(n / layers) * steps - ROUNDING) for n in range(1, layers)]


def saved_gradients(freezes: list[int], layers: int, steps: int) -> float:
    """Return the share of all gradients of layers that are not computed, up to this number of
    steps: sum_l (steps - s_l) / (layers * steps). s_l is the step at which layer l is frozen."""
    if not steps:
        return 0.0
    return sum(max(steps - step, 0) for step in freezes) / (layers * steps)


def batches(seed: int, images: int, batch: int, steps: int, start: int = 0) -> Iterator[np.ndarray]:
    """Yield the images of step start, ... steps - 1, each (batch,): a new random order every
    pass."""
    each = images // batch
    for step in range(start, steps):
        number, place = divmod(step, each)
        if step == start or place == 0:
            order = stream(seed, "order", number).permutation(images)
        yield order[place * batch : (place + 1) * batch]
