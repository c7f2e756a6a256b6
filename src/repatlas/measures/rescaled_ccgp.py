"""CCGP of the last layer with activity scaled to a root mean square of 1.

The regularisation of a decoder depends on the scale of the activity that it is fitted on. This
measure shows whether a difference in CCGP is a difference of scale alone.
"""

from collections.abc import Iterator

import numpy as np

from repatlas.geometry.ccgp import generalisation_of_columns
from repatlas.representation import Decoders, Noisy, Row, decoded

OF = "checkpoint"


def rows(seen: Noisy, settings: Decoders) -> Iterator[Row]:
    """Yield CCGP of samples divided by their root mean square."""
    for deviation in seen.deviations:
        hidden, conditions = seen.samples("fitted", deviation)
        size = max(np.sqrt(np.mean(hidden**2)), np.finfo(float).tiny)
        fits = generalisation_of_columns(hidden, conditions, seen.targets, settings.regularisation)
        scores, reason = decoded(fits.scores, unit=size)
        value = float(np.mean(scores))
        yield Row("rescaled_ccgp", "samples", value, deviation=deviation, reason=reason)
