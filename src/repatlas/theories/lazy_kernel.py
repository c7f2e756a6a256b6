"""Lazy kernel: the network is linear in its weights, around their start.

Full batches: errors(t) = (1 - eta K)^t errors(0), with the neural tangent kernel K of the start
(Jacot, Gabriel & Hongler 2018; Chizat, Oyallon & Bach 2019). On clusters the linear network is
trained on the same batches.
"""

import numpy as np

from repatlas.dynamics.lazy import lazy_activity, lazy_learning, tangent_kernel
from repatlas.theories.prediction import Clusters, Items, Prediction, alignment, with_infinity


def on_items(start: Items) -> Prediction:
    """Return losses and alignment."""
    x, v, number = start.inputs, start.second, len(start.epochs)
    h, g = start.activate(start.first)
    kernel = tangent_kernel(x, h, g, v)
    both = np.concatenate([start.epochs, start.steps])
    lazy = lazy_learning(kernel, v @ h, start.targets, start.rate, both)
    aligned = [
        alignment(lazy_activity(x, h, g, v, errors).T, start.targets.T)
        for errors in lazy.errors[number:]
    ]
    return Prediction(with_infinity(lazy.losses[:number] / start.loss), np.array(aligned))


def on_clusters(start: Clusters) -> Prediction:
    """Return losses and alignment."""
    x, labels, j, centres = start.inputs, start.labels, start.readout, start.centres
    f, w0 = start.function, np.float32(start.first)
    u0, c0 = x @ w0.T, centres @ start.first.T
    f0, g0 = f.value(u0) @ j, np.float32(f.slope(u0))
    w, losses, aligned = w0.copy(), [], []
    for step, batch in enumerate([*start.batches, None]):
        if step in start.steps:
            hidden = f.value(c0) + f.slope(c0) * (centres @ (w - w0).T)
            aligned.append(alignment(hidden, start.targets))
            outputs = f0 + (g0 * (x @ (w - w0).T)) @ j
            losses.append(np.mean(np.logaddexp(0, outputs) - labels * outputs))
        if batch is None:
            break
        outputs = f0[batch] + (g0[batch] * (x[batch] @ (w - w0).T)) @ j
        errors = 1 / (1 + np.exp(-outputs)) - labels[batch]
        drive = (errors[:, None] * j * g0[batch]).T @ x[batch]
        w -= np.float32(start.rate / len(batch)) * drive
    return Prediction(np.array(losses) / start.loss, np.array(aligned))
