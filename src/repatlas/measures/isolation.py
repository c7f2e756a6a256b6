"""What a single pathway achieves without the other ones."""

from collections.abc import Iterator

import numpy as np

from repatlas.dynamics.correlations import linear_residual
from repatlas.representation import Decoders, OnItems, Row

OF = "checkpoint"


def rows(seen: OnItems, settings: Decoders) -> Iterator[Row]:
    """Yield isolation: the smallest squared error of a context pathway in one of its contexts if
    only the common pathway is used with it.

    The unit is the error of the best linear map. 0: some pathway solves a context by itself (a
    module). 1: no pathway is of any use by itself. Networks without a common pathway or without
    other pathways yield nothing.
    """
    names = list(seen.maps)
    if "common" not in names or len(names) < 2:
        return
    number = seen.spec.task.number_of_contexts
    contexts = np.arange(len(seen.inputs)) // seen.spec.task.objects
    residual = linear_residual(seen.inputs.T, seen.targets.T).T  # (N, n_out)
    common = _outputs(seen, names.index("common"))
    left = []
    for place, name in enumerate(names):
        if name == "common":
            continue
        errors = seen.targets - common - _outputs(seen, place)
        for context in range(number):
            here = contexts == context
            if str(context + 1) in name:
                left.append(np.sum(errors[here] ** 2) / np.sum(residual[here] ** 2))
    yield Row("isolation", seen.variant, float(min(left)))


def _outputs(seen: OnItems, place: int) -> np.ndarray:
    """Return (N, n_out), the outputs of the pathway of this number."""
    [outputs] = seen.pathway_outputs(place).values()
    return outputs
