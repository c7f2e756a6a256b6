"""Decoding of each variable at each time, by decoders of each other time."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from repatlas.own.over_time import accuracies_over_time
from repatlas.own.result import NAN, Result
from repatlas.own.trials import Trials

WITHOUT_TIMES = "its rows have no times: repatlas.own.over_time takes trials x units x times"


def rows(seen: Trials, settings: Any = None) -> Iterator[Result]:
    """Yield the accuracy of each pair of times: `cluster` is the number of the time of the fit,
    `neuron` of the test. Chance is 0.5. p is the p value of all pairs of times of a variable
    together (max-T)."""
    if not seen.times:
        for about in seen.names:
            yield Result("over_time", NAN, "", about=about, chance=0.5, reason=WITHOUT_TIMES)
        return
    by_time = seen.samples.reshape(len(seen.samples), -1, seen.times)
    drawn = seen.drawn
    for column, about in enumerate(seen.names):
        found = accuracies_over_time(
            by_time, seen.levels, column, drawn.groups, seen.fits.folds, drawn.draws, drawn.seed
        )
        common: dict[str, Any] = {"about": about, "chance": 0.5, "n": len(by_time)}
        common["reason"] = found.reason
        for (fit, test), value in np.ndenumerate(found.values):
            at: dict[str, Any] = {"cluster": fit, "neuron": test}
            at["p"] = float(found.p_family[fit, test])
            yield Result("over_time", float(value), found.estimator, **at, **common)
