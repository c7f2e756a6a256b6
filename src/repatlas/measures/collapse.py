"""Neural collapse of the last hidden layer (Papyan, Han & Donoho 2020).

The classes of networks with several targets are combinations of labels. With one target there are
two classes, whose readout weights are half of the weights of the target and minus this half.

NC2 needs three classes: the means of two are opposite whatever a network does. For a frozen readout
NC3 has one side alone: class means can turn to the readout, and the readout cannot turn to them.
"""

from collections.abc import Iterator

import numpy as np

from repatlas.geometry import NeuralCollapse, neural_collapse
from repatlas.geometry.class_variance import chance_within_share, within_share
from repatlas.representation import Decoders, LastLayer, LastLayers, Row

OF = "checkpoint"
CHANCE = "labels permuted"


def rows(seen: LastLayers, settings: Decoders) -> Iterator[Row]:
    """Yield the measures of collapse of the last hidden layer.

    The variant is the set of samples. The variant "centres" has the clusters without noise. The
    variant "training" has the samples of training, with the labels to learn. The variant "test" has
    images that the network was not trained on.

    The rows nc1, nc3 and nc4 are as in NeuralCollapse. The rows nc2_norms (equinorm) and nc2_angles
    (simplex) need three classes. The row within_share is the share of the variance that is within
    classes. It has its mean over all orders of the conditions' labels, too, as "centres, labels
    permuted", but not for samples without conditions.

    Chance levels are 2 for nc3 and 1 - 1 / C for nc4 of C classes. nc1 has none. Its mean over the
    orders is infinite if an order gives two classes the same mean.

    class_cosine is the cosine of the means of two classes, not centred, on average over pairs.
    feature_norm is the mean length of the activity of a sample.
    """
    for last in seen.last_layers():
        yield from _collapse_rows(last)
        if last.conditions is not None:
            yield _chance_row(last, last.conditions)
        norm = float(np.linalg.norm(last.features, axis=1).mean())
        yield Row("feature_norm", last.variant, norm)


def _collapse_rows(last: LastLayer) -> Iterator[Row]:
    hidden, labels = last.features, last.classes
    number, reason, cosine, share = len(last.weights), None, np.nan, np.nan
    found = NeuralCollapse(*[np.nan] * len(NeuralCollapse._fields))
    if len(np.unique(labels)) < number:
        reason = "a class has no sample"
    else:
        cosine, share = _mean_cosine(hidden, labels, number), within_share(hidden, labels)
        try:
            found = neural_collapse(hidden, labels, last.weights, last.intercepts)
        except ValueError as error:
            reason = str(error)
    values = {"nc1": found.nc1, "within_share": share}
    if number > 2:
        values |= {"nc2_norms": found.equinorm, "nc2_angles": found.simplex}
    values |= {"nc3": found.nc3, "nc4": found.nc4, "class_cosine": cosine}
    for name, value in values.items():
        yield Row(name, last.variant, value, reason=reason)


def _chance_row(last: LastLayer, conditions: np.ndarray) -> Row:
    value, reason = np.nan, None
    try:
        value = chance_within_share(last.features, conditions, last.classes)
        reason = "each condition is a class" if np.isnan(value) else None
    except ValueError as error:
        reason = str(error)
    return Row("within_share", f"{last.variant}, {CHANCE}", value, reason=reason)


def _mean_cosine(hidden: np.ndarray, labels: np.ndarray, number: int) -> float:
    """Return the mean cosine of two class means, not centred; nan if a mean is 0."""
    means = np.stack([hidden[labels == c].mean(axis=0) for c in range(number)])
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    if not lengths.min() > 0:
        return np.nan
    units = means / lengths
    return float((units @ units.T)[np.triu_indices(number, 1)].mean())
