"""CCGP of the last layer (section 3)."""

from collections.abc import Iterator

import numpy as np

from repatlas.geometry.ccgp import generalisation_of_columns
from repatlas.geometry.labels import design_of
from repatlas.geometry.paired import paired_ccgp
from repatlas.representation import Decoders, Labelled, Row, decoded

OF = "checkpoint"


def rows(seen: Labelled, settings: Decoders) -> Iterator[Row]:
    """Yield CCGP, the mean over the trained dichotomies, over contexts or pairs as in the
    parallelism score."""
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
        fits = generalisation_of_columns(hidden, conditions, labels, settings.regularisation)
        scores, reason = decoded(fits.scores)
        yield Row("ccgp", "samples", float(np.mean(scores)), deviation=deviation, reason=reason)
