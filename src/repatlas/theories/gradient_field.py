"""Gradient field: each unit follows the gradient of its start, on its own.

Errors and readout stay as they are at the start. On clusters errors are 1/2 - y, the simplified
dynamics of Alleman, Lindsey & Fusi (2024), section 4.1.1. Outputs grow without end, so there are no
losses.
"""

import numpy as np

from repatlas.theories.prediction import Clusters, Items, Prediction, alignment


def on_items(start: Items) -> Prediction:
    """Return alignment."""
    w, x = start.first.copy(), start.inputs
    drive = start.rate * start.second.T @ start.errors
    found = []
    for epoch in range(int(start.steps[-1]) + 1):
        h, g = start.activate(w)
        if epoch in start.steps:
            found.append(alignment(h.T, start.targets.T))
        w -= (drive * g) @ x.T
    return Prediction(alignment=np.array(found))


def on_clusters(start: Clusters) -> Prediction:
    """Return alignment."""
    f, w0, c0 = start.function, np.float32(start.first), start.centres @ start.first.T
    w, found = w0.copy(), []
    for step, batch in enumerate([*start.batches, None]):
        if step in start.steps:
            hidden = f.value(c0 + start.centres @ (w - w0).T)
            found.append(alignment(hidden, start.targets))
        if batch is None:
            break
        x, errors = start.inputs[batch], 0.5 - start.labels[batch]
        drive = (errors[:, None] * start.readout * np.float32(f.slope(x @ w.T))).T @ x
        w -= np.float32(start.rate / len(batch)) * drive
    return Prediction(alignment=np.array(found))
