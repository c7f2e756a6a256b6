"""How far theories of learning are from a network on a few items."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from repatlas.representation import Decoders, Row, RunWithUnits
from repatlas.theories import (
    closed_form,
    free_features,
    frozen_gates,
    gradient_field,
    kernel_of_the_start,
    lazy_kernel,
)
from repatlas.theories.errors import rows_of
from repatlas.theories.prediction import Items, Prediction, alignment

OF = "run"
ACTIVATIONS = {"linear": "identity", "relu": "relu", "tanh": "tanh"}
"""The activation that the theories use, by the kind of network."""
EPOCHS = 400
"""Losses are compared at about this number of epochs, evenly spaced."""
LEARNED = 0.05
"""Losses are compared until twice the epoch at which the loss is below this part of the first."""


def rows(seen: RunWithUnits, settings: Decoders) -> Iterator[tuple[int, Row]]:
    """Yield epoch and row. relative_loss and target_alignment of the network, and loss_error and
    alignment_error of each theory, the variant, at the last epoch. Errors are mean differences. An
    infinite error has the value nan and no reason.

    A network that diverged has a single row without a value. A theory that predicts nothing has no
    row. For ReLU networks on contexts the closed form is another network, so it has no row.
    """
    task, network = seen.spec.task, seen.spec.network
    steps = sorted(seen.checkpoints)
    lost = None
    if network.kind not in ACTIVATIONS or len(steps) < 2 or steps[0] or "weights3" in _first(seen):
        lost = "theories need networks with one hidden layer, at epoch 0 and later"
    if lost or not all(each.finite for each in seen.checkpoints.values()):
        yield steps[-1], Row("loss_error", "diverged", np.nan, reason=lost)
        return
    first, rest = seen.checkpoints[0], [seen.checkpoints[step] for step in steps[1:]]
    epochs, losses = _compared(seen.curves["loss"].until(steps[-1]), steps[-1])
    targets = first.targets
    actual = Prediction(losses, np.array([alignment(each.layers[-1], targets) for each in rest]))
    start = Items(
        first.inputs.T,
        targets.T,
        first.parameters["weights1"],
        first.parameters["weights2"],
        network.kind,
        seen.spec.training.rate,
        epochs,
        np.array(steps[1:]),
    )
    predicted = {
        "lazy kernel": lazy_kernel.on_items(start),
        "kernel of the start": kernel_of_the_start.on_items(start),
        "gradient field": gradient_field.on_items(start),
        "frozen gates": frozen_gates.on_items(start),
        "free features": free_features.predict(targets, len(rest)),
    }
    if network.kind != "relu":
        predicted["closed form"] = closed_form.predict_by_modes(start)
    elif task.kind == "xor":
        predicted["closed form"] = closed_form.predict_by_pathways(start, task.delta)
    yield from rows_of(epochs, steps[1:], actual, predicted)


def _first(seen: RunWithUnits) -> dict[str, np.ndarray]:
    return seen.checkpoints[min(seen.checkpoints)].parameters


def _compared(loss: Any, end: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the epochs that are compared, and their losses as fractions of the first."""
    low = np.flatnonzero(loss.values < LEARNED * loss.values[0])
    last = min(2 * loss.epochs[low[0]] if len(low) else end, end)
    chosen = np.unique(np.linspace(0, np.sum(loss.epochs <= last) - 1, EPOCHS).astype(int))
    return loss.epochs[chosen], loss.values[chosen] / loss.values[0]
