"""Kernel of the start: only the readout learns, from the random features of the start.

errors(t) = errors(0) (1 - eta H^T H)^t, and the geometry of the hidden layer stays as it is (random
features: Rahimi & Recht 2007).
"""

import numpy as np

from repatlas.theories.prediction import Clusters, Items, Prediction, alignment, with_infinity


def on_items(start: Items) -> Prediction:
    """Return losses and alignment."""
    h, _ = start.activate(start.first)
    values, vectors = np.linalg.eigh(h.T @ h)
    modes = (start.second @ h - start.targets) @ vectors
    left = (1 - start.rate * np.maximum(values, 0)) ** (2 * start.epochs[:, None])
    losses = left @ (modes**2).sum(axis=0) / 2
    aligned = np.full(len(start.steps), alignment(h.T, start.targets.T))
    return Prediction(with_infinity(losses / start.loss), aligned)


def on_clusters(start: Clusters) -> Prediction:
    """Return alignment: the readout is frozen, so there are no losses."""
    hidden = start.function.value(start.centres @ start.first.T)
    return Prediction(alignment=np.full(len(start.steps), alignment(hidden, start.targets)))
