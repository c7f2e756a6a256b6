"""What a network has not yet learned, and whether its inputs still predict it."""

from collections.abc import Iterator

import numpy as np

from repatlas.representation import Decoders, OnItems, Row

OF = "checkpoint"


def rows(seen: OnItems, settings: Decoders) -> Iterator[Row]:
    """Yield input_residual: the largest entry of |(Y - Y_hat) X^T| as a fraction of the largest
    entry of |Y X^T|. The variant says which inputs X has: the inputs of contexts or of objects. The
    value is 0 if no linear map of these inputs could lower the loss, and 1 before learning."""
    task = seen.spec.task
    left = (seen.targets - seen.outputs).T @ seen.inputs  # (n_out, n_in)
    total = seen.targets.T @ seen.inputs
    parts = {"objects": slice(0, task.object_inputs), "contexts": slice(task.object_inputs, None)}
    for name, part in parts.items():
        largest = np.abs(total[:, part]).max(initial=0.0)
        if largest > 0:
            value = float(np.abs(left[:, part]).max() / largest)
            yield Row("input_residual", name, value)
