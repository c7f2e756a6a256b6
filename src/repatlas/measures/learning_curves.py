"""How a network's accuracy grows, pass by pass over its images."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from repatlas.representation import Decoders, Row

OF = "run"
NEEDS = ("accuracies",)


def rows(seen: Any, settings: Decoders) -> Iterator[tuple[int, Row]]:
    """Step and row: "accuracy_curve", on the images that it is trained on and on the test images,
    before training and at the end of each pass; and "fitted", at the end of the first pass with
    which it names all images that it is trained on as it should, the number of that pass. A network
    that never does has no such row."""
    for variant in ("training", "test"):
        for step, value in zip(*seen.curves[f"{variant} accuracy"], strict=True):
            yield int(step), Row("accuracy_curve", variant, float(value))
    steps, values = seen.curves["training accuracy"]
    if (values == 1).any():
        number = int(np.argmax(values == 1))
        yield int(steps[number]), Row("fitted", "training", float(number))
