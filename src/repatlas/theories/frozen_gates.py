"""Frozen gates: each unit is linear around its start, and both layers learn.

h(t) = h(0) + g(0) * (W(t) - W(0)) x, with the slopes g(0) of the start. It is a gated linear
network (Saxe, Sodhani & Lewallen 2022) whose gates are the gates of the start. Its gradient descent
is the flow of a kernel (repatlas.dynamics.kernel_flow). It is exact for linear networks.
"""

import numpy as np

from repatlas.theories.prediction import Items, Prediction, alignment, with_infinity


def on_items(start: Items) -> Prediction:
    """Return losses and alignment, from full-batch gradient descent."""
    x, y = start.inputs, start.targets
    w, v = start.first.copy(), start.second.copy()
    h, gates = start.activate(w)
    left = h - gates * (w @ x)
    losses, aligned = {}, {}
    with np.errstate(over="ignore", invalid="ignore"):
        for epoch in range(int(max(start.epochs[-1], start.steps[-1])) + 1):
            h = left + gates * (w @ x)
            errors = v @ h - y
            losses[epoch] = np.sum(errors**2) / 2
            if epoch in start.steps:
                aligned[epoch] = alignment(h.T, y.T)
            change = ((v.T @ errors) * gates) @ x.T
            v -= start.rate * errors @ h.T
            w -= start.rate * change
    found = np.array([losses[epoch] for epoch in start.epochs])
    return Prediction(
        with_infinity(found / start.loss), np.array([aligned[step] for step in start.steps])
    )
