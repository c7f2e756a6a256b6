"""How far theories of learning are from a network on clusters."""

from collections.abc import Iterator

import numpy as np

from repatlas.representation import Decoders, OnClusters, Row, RunOnClusters
from repatlas.theories import free_features, gradient_field, kernel_of_the_start, lazy_kernel
from repatlas.theories.errors import rows_of
from repatlas.theories.prediction import Clusters, Prediction, alignment

OF = "run"


def rows(seen: RunOnClusters, settings: Decoders) -> Iterator[tuple[int, Row]]:
    """Yield step and row. relative_loss and target_alignment of the network, and loss_error and
    alignment_error of each theory, the variant, at the last step. Errors are mean differences. An
    infinite error has the value nan and no reason.

    A network that diverged has a single row without a value. A theory that predicts nothing has no
    row.
    """
    steps, network = sorted(seen.checkpoints), seen.spec.network
    fits = (
        network.depth == 1 and network.readout == "binary" and seen.spec.training.optimiser == "sgd"
    )
    lost = (
        None
        if fits and len(steps) > 1 and not steps[0]
        else ("theories need one hidden layer, a binary readout, sgd, and steps 0 and later")
    )
    if lost or not all(each.finite for each in seen.checkpoints.values()):
        yield steps[-1], Row("loss_error", "diverged", np.nan, reason=lost)
        return
    first, rest = seen.checkpoints[0], [seen.checkpoints[step] for step in steps[1:]]
    targets, zero = first.targets, _loss(first)
    actual = Prediction(
        np.array([_loss(each) for each in rest]) / zero,
        np.array([alignment(each.layers[-1], targets) for each in rest]),
    )
    inputs, labels = first.training_samples()
    centres, weights = first.inputs, first.parameters["weights1"]
    if network.hidden_bias == "trained":
        inputs, centres = (np.c_[each, np.ones(len(each))] for each in (inputs, centres))
        weights = np.c_[weights, first.parameters["bias1"]]
    start = Clusters(
        inputs.astype(np.float32),
        labels[:, 0].astype(np.float32),
        np.asarray(centres),
        targets,
        weights,
        first.parameters["readout"][0].astype(np.float32),
        network.activation,
        seen.spec.training.learning_rate,
        zero,
        seen.batches(),
        steps[1:],
    )
    predicted = {
        "lazy kernel": lazy_kernel.on_clusters(start),
        "kernel of the start": kernel_of_the_start.on_clusters(start),
        "gradient field": gradient_field.on_clusters(start),
        "free features": free_features.predict(targets, len(rest)),
    }
    yield from rows_of(np.array(steps[1:]), steps[1:], actual, predicted)


def _loss(seen: OnClusters) -> float:
    """Return the loss of the training samples."""
    return {name: value for name, _, value in seen.training_scores()}["loss"]
