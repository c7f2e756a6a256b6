"""CCGP of the last layer (section 3)."""

from collections.abc import Iterator

import numpy as np

from repatlas.geometry import ccgp, matched_ccgp
from repatlas.geometry.labels import design_of
from repatlas.geometry.paired import paired_ccgp
from repatlas.representation import (
    Decoders,
    Representation,
    Row,
    decoded,
    trained_dichotomies,
)

OF = "checkpoint"
NEEDS = ("labels", "samples")


def rows(seen: Representation, settings: Decoders) -> Iterator[Row]:
    """Mean over the trained dichotomies, over contexts or pairs as the parallelism score; also with
    activity scaled to a root mean square of 1, since the regularisation of the decoder is not
    indifferent to its scale."""
    labels = seen.targets
    if design_of(labels) == "classes":
        hidden, classes = seen.samples("fitted", None)
        value, reason = decoded(
            paired_ccgp, hidden, classes, labels.argmax(axis=1), settings.regularisation
        )
        yield Row("ccgp", "classes held out", value, seen.single_layer, reason=reason)
        return
    for deviation in seen.deviations:
        hidden, conditions = seen.samples("fitted", deviation)
        for variant, scale in (("samples", 1.0), ("rescaled", np.sqrt(np.mean(hidden**2)))):
            scaled = hidden / max(scale, np.finfo(float).tiny)
            value, reason = decoded(_mean, scaled, conditions, labels, settings)
            yield Row("ccgp", variant, value, deviation=deviation, reason=reason)


def _mean(
    hidden: np.ndarray, conditions: np.ndarray, labels: np.ndarray, settings: Decoders
) -> float:
    """Over the trained dichotomies."""
    if design_of(labels) == "factorial":
        targets = range(labels.shape[1])
        scores = [ccgp(hidden, conditions, labels, target, **settings.fitted) for target in targets]
    else:
        dichotomies = trained_dichotomies(labels)
        scores = [matched_ccgp(hidden, conditions, d, **settings.fitted) for d in dichotomies]
    return float(np.mean(scores))
