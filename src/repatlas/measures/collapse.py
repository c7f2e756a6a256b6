"""Neural collapse of the last layer (Papyan, Han & Donoho 2020), by the classes of the targets.

A class is a combination of target labels: with one target there are two classes. The most probable
class of a network has the largest sum over targets of (label - 1/2) times the output before the
sigmoid. So the readout weights of a class are the sum of (label - 1/2) times the weights of each
target. With one target they are half of the readout weights and minus this half.

NC2 needs three classes: the means of two are opposite whatever a network does. For a frozen readout
NC3 has one side alone: class means can turn to the readout, and the readout cannot turn to them.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from repatlas.geometry import NeuralCollapse, neural_collapse
from repatlas.geometry.class_variance import chance_within_share, within_share
from repatlas.representation import Decoders, Row

OF = "checkpoint"
NEEDS = ("labels", "layers", "samples", "readout")
CHANCE = "labels permuted"


def rows(seen: Any, settings: Decoders) -> Iterator[Row]:
    """Yield the measures of collapse of the last layer.

    The variant "centres" has the clusters without noise. The variant "training" has the samples of
    training. nc1, nc3 and nc4 are as in NeuralCollapse. nc2_norms (equinorm) and nc2_angles
    (simplex) need three classes. within_share is the share of the variance that is within classes.
    It has its mean over all orders of the clusters' labels, too, as "centres, labels permuted".

    Chance levels are 2 for nc3 and 1 - 1 / C for nc4 of C classes. nc1 has none. Its mean over the
    orders is infinite if an order gives two classes the same mean.

    class_cosine is the cosine of the means of two classes, not centred, on average over pairs.
    feature_norm is the mean length of the activity of a sample.
    """
    words, classes = np.unique(seen.targets, axis=0, return_inverse=True)
    signs = words - 0.5  # (C, K)
    weights = signs @ seen.parameters["readout"]
    intercepts = signs @ np.broadcast_to(
        seen.parameters.get("output_bias", 0.0), len(seen.targets.T)
    )
    noise = float(np.sqrt(seen.spec.task.noise_variance))
    centres = seen.layers[-1], np.arange(len(seen.targets))
    for variant, (hidden, conditions) in (
        ("centres", centres),
        ("training", seen.samples("training", noise)),
    ):
        labels = classes.ravel()[conditions]
        yield from _collapse_rows(variant, hidden, labels, weights, intercepts)
        yield _chance_row(variant, hidden, conditions, labels)
        yield Row("feature_norm", variant, float(np.linalg.norm(hidden, axis=1).mean()))


def _collapse_rows(
    variant: str,
    hidden: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    intercepts: np.ndarray,
) -> Iterator[Row]:
    number, reason, cosine, share = len(weights), None, np.nan, np.nan
    found = NeuralCollapse(*[np.nan] * len(NeuralCollapse._fields))
    if len(np.unique(labels)) < number:
        reason = "a class has no sample"
    else:
        cosine, share = _mean_cosine(hidden, labels, number), within_share(hidden, labels)
        try:
            found = neural_collapse(hidden, labels, weights, intercepts)
        except ValueError as error:
            reason = str(error)
    values = {"nc1": found.nc1, "within_share": share}
    if number > 2:
        values |= {"nc2_norms": found.equinorm, "nc2_angles": found.simplex}
    values |= {"nc3": found.nc3, "nc4": found.nc4, "class_cosine": cosine}
    for name, value in values.items():
        yield Row(name, variant, value, reason=reason)


def _chance_row(
    variant: str, hidden: np.ndarray, conditions: np.ndarray, labels: np.ndarray
) -> Row:
    value, reason = np.nan, None
    try:
        value = chance_within_share(hidden, conditions, labels)
        reason = "each cluster is a class" if np.isnan(value) else None
    except ValueError as error:
        reason = str(error)
    return Row("within_share", f"{variant}, {CHANCE}", value, reason=reason)


def _mean_cosine(hidden: np.ndarray, labels: np.ndarray, number: int) -> float:
    """Return the mean cosine of two class means, not centred; nan if a mean is 0."""
    means = np.stack([hidden[labels == c].mean(axis=0) for c in range(number)])
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    if not lengths.min() > 0:
        return np.nan
    units = means / lengths
    return float((units @ units.T)[np.triu_indices(number, 1)].mean())
