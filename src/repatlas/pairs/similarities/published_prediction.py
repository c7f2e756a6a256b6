"""Sparse prediction by the published procedure: gradient descent, stopped early.

A linear map predicts the z-scored units of one network from the units of another. It is trained on
minibatches with momentum and a decay of weights towards 0 (Li et al. 2016, section 3.3, and the
logs of their code). It stops before it has converged, so even the training loss may fall with the
decay, which is impossible at the optimum. sparse_prediction is the optimum of the same objective.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from repatlas import similarity
from repatlas.geometry.patterns import as_matrix
from repatlas.pairs.seen import Row, Seen, Settings
from repatlas.similarity.units import Units
from repatlas.streams import stream

ON = "train"
"""The items that the map is fitted on. It is scored on the set "test"."""
DRAWS = 0
DECAYS = (0.0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
STEPS, BATCH = 4500, 32
RATE, HALVED_EVERY, MOMENTUM = 1e-3, 1500, 0.98
INITIAL_SD = 0.01
NONZERO = 0.01
"""A weight that is larger counts as one."""

Matrix = NDArray[np.float64]


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield numbers for the prediction of the units of b from a ("a to b"), and of a from b ("b to
    a"), at each decay, `at`.

    "published_training_loss" and "published_held_out_loss" are means over living units after 4500
    steps. "published_nonzeros" is the mean number of weights above 0.01 of each unit.
    "convex_training_loss" and "convex_held_out_loss" are the losses of the optimum. Its penalty is
    h times the decay, with h predicted units: the published loss is a mean over units, and the
    penalty is not.
    """
    for direction, one, other in (("a to b", x, y), ("b to a", y, x)):
        inputs, test_inputs, _ = _z_scores(one)
        targets, test_targets, living = _z_scores(other)
        if not living.any():
            reason = "all units are dead"
            yield Row("published_held_out_loss", direction, np.nan, reason=reason, similarity=False)
            continue
        weights = descended(inputs, targets[:, living], x.network.seed)
        test = test_targets[:, living]
        for decay, w in zip(DECAYS, weights, strict=True):
            found = {
                "training_loss": _loss(inputs @ w, targets[:, living]),
                "held_out_loss": _loss(test_inputs @ w, test),
                "nonzeros": float(np.count_nonzero(np.abs(w) > NONZERO, axis=0).mean()),
            }
            for name, value in found.items():
                yield Row(f"published_{name}", direction, value, at=decay, similarity=False)
        penalties = [decay * np.count_nonzero(living) for decay in DECAYS]
        held_out = one.on("test").rows, other.on("test").rows[:, living]
        try:
            convex = similarity.sparse_prediction(
                one.rows, other.rows[:, living], held_out, penalties
            )
        except ValueError as error:  # least squares from more units than items
            yield Row(
                "convex_held_out_loss", direction, np.nan, reason=str(error), similarity=False
            )
            continue
        for place, decay in enumerate(DECAYS):
            for name in ("training", "held_out"):
                value = float(np.mean(getattr(convex, name)[place]))
                yield Row(f"convex_{name}_loss", direction, value, at=decay, similarity=False)


def descended(x: Matrix, y: Matrix, seed: int) -> Matrix:
    """Return (decays, h1, h2): the weights after the last step, for every decay from the same start
    and with the same batches. x: (m, h1), y: (m, h2), z-scores.

        loss = mean over batch and units of (y - x w)^2 / 2,   v <- 0.98 v + rate (gradient of loss
        + decay sign(w)),   w <- w - v
    """
    (items, h1), h2 = x.shape, y.shape[1]
    start = INITIAL_SD * stream(seed, "published prediction").standard_normal((h1, h2))
    # All decays side by side: one product for each of the two passes.
    weights = np.tile(start, len(DECAYS))
    decays = np.repeat(DECAYS, h2)
    velocity = np.zeros_like(weights)
    size = min(BATCH, items)
    order, epoch = np.empty(0, dtype=np.intp), 0
    for step in range(STEPS):
        if len(order) < size:
            order = stream(seed, "published batches", epoch).permutation(items)
            epoch += 1
        batch, order = order[:size], order[size:]
        inputs = x[batch]
        left = inputs @ weights
        left -= np.tile(y[batch], len(DECAYS))
        gradient = inputs.T @ left
        gradient /= size * h2
        gradient += decays * np.sign(weights)
        velocity *= MOMENTUM
        velocity += RATE * 0.5 ** (step // HALVED_EVERY) * gradient
        weights -= velocity
    return weights.reshape(h1, len(DECAYS), h2).swapaxes(0, 1)


def _z_scores(seen: Seen) -> tuple[Matrix, Matrix, NDArray[np.bool_]]:
    """Return the items to fit on and the items to score on, both standardised by the mean and
    standard deviation of the first; and which units live."""
    units = Units("x", seen.rows)
    test = units.z_scores(as_matrix("held_out", seen.on("test").rows))
    return units.z_scores(seen.rows), test, ~units.dead


def _loss(predicted: Matrix, observed: Matrix) -> float:
    return float(np.mean((observed - predicted) ** 2) / 2)
