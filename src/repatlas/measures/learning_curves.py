"""How a network's accuracy grows, pass by pass over its images."""

from collections.abc import Iterator

import numpy as np

from repatlas.representation import Decoders, Row, RunOnImages

OF = "run"


def rows(seen: RunOnImages, settings: Decoders) -> Iterator[tuple[int, Row]]:
    """Yield a step and a row, for each number.

    "accuracy_curve": the accuracy on the training images and on the test images, before training
    and at the end of each pass. "fitted": the number of the first pass after which all training
    images are classified as their labels say, at the end of this pass. A network that never reaches
    this has no such row.
    """
    for variant in ("training", "test"):
        for step, value in zip(*seen.curves[f"{variant} accuracy"], strict=True):
            yield int(step), Row("accuracy_curve", variant, float(value))
    steps, values = seen.curves["training accuracy"]
    if (values == 1).any():
        number = int(np.argmax(values == 1))
        yield int(steps[number]), Row("fitted", "training", float(number))
