"""Closed form: modes, or pathways, whose strengths follow a logistic.

Linear networks: the modes of Saxe, McClelland & Ganguli (2014), from the strength that each has at
the start. XoR and ReLU: two or four pathways, as in section 3 of Jarvis, Klein, Rosman & Saxe
(2025); parametrisation and formulas are ours.
"""

import numpy as np

from repatlas.dynamics import xor
from repatlas.dynamics.correlations import modes
from repatlas.dynamics.logistic import logistic, time_constant
from repatlas.theories.prediction import Items, Prediction, alignment, at_the_end


def predict_by_modes(start: Items) -> Prediction:
    """Return losses and alignment of the linear network with the same weights."""
    x, y = start.inputs, start.targets
    found = modes(x, y)
    begin = start.first @ found.right.T + start.second.T @ found.left.T
    initial = ((begin / 2) ** 2).sum(axis=0)
    tau = time_constant(start.rate, x.shape[1])
    along = found.right @ x

    def strengths(t: np.ndarray) -> np.ndarray:
        return logistic(t[:, None], found.s, found.d, initial, tau)

    outputs = np.einsum("ta,oa,an->ton", strengths(start.epochs), found.left.T, along)
    losses = ((outputs - y) ** 2).sum(axis=(1, 2)) / 2
    hidden = [along.T * np.sqrt(each) for each in strengths(start.steps)]
    return Prediction(losses / start.loss, np.array([alignment(each, y.T) for each in hidden]))


def predict_by_pathways(start: Items, delta: float) -> Prediction:
    """Return losses, and alignment at the end, of ReLU networks on XoR: four pathways below the
    delta at which both solutions are equally fast, else two."""
    x, y = start.inputs, start.targets
    number = 4 if delta < xor.CROSSING else 2
    directions, signs = x.T / np.linalg.norm(x, axis=0)[:, None], y[0]
    if number == 2:
        directions, signs = np.array([[0, 0, 1.0], [0, 0, -1.0]]), np.array([1.0, -1.0])
    along = (start.first @ directions.T + start.second.T * signs) / 2  # (H, pathways)
    own = np.maximum(along.max(axis=1), 0)
    initial = (own**2).sum() / number
    losses = xor.loss_curve(start.epochs, delta, number, initial, start.rate)
    aligned = at_the_end(xor.target_alignment(number), len(start.steps))
    return Prediction(losses / start.loss, aligned)
