"""Decodability of dichotomies from the last layer (section 3)."""

from collections.abc import Iterator

import numpy as np

from repatlas.geometry import balanced_dichotomies, decoding_accuracies
from repatlas.representation import (
    Decoders,
    Noisy,
    Row,
    decoded,
    trained_dichotomies,
)

OF = "checkpoint"


def rows(seen: Noisy, settings: Decoders) -> Iterator[Row]:
    """Yield the decoding accuracy of the trained dichotomies, and its mean over the untrained
    dichotomies."""
    conditions = len(seen.targets)
    dichotomies = balanced_dichotomies(conditions)
    overlaps = np.abs(dichotomies @ trained_dichotomies(seen.targets).T)
    trained = (overlaps == conditions).any(axis=1)
    for deviation in seen.deviations:
        fitted, scored = (seen.samples(split, deviation) for split in ("fitted", "scored"))
        accuracies, reason = decoded(
            decoding_accuracies, fitted, scored, dichotomies, **settings.fitted
        )
        accuracies = np.broadcast_to(accuracies, len(dichotomies))
        for name, chosen in (("decoding_trained", trained), ("decoding_untrained", ~trained)):
            value = accuracies[chosen].mean()
            yield Row(name, "samples", value, deviation=deviation, reason=reason)
