"""Bootstrap intervals. The unit is the network: neurons of one network are not independent."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest, bootstrap

from repgeom.streams import stream

RESAMPLES = 9999
FEWEST = 3
"""Networks that an interval needs."""


class Interval(NamedTuple):
    value: float
    low: float
    high: float


def mean_interval(values: np.ndarray) -> Interval:
    """The mean of one value for each network, (n,), with its 95 % interval from a bootstrap over
    the networks. Values that are nan are left out."""
    values = np.asarray(values, dtype=np.float64)
    return summary_interval(values[np.isfinite(values)], lambda mean: mean)


def summary_interval(
    values: np.ndarray,
    summary: Callable[[np.ndarray], np.ndarray],
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> Interval:
    """A number that follows from the mean over networks, with its bootstrap interval.

    values: (n, ...), what each network has, a number or say a curve; summary: from means, (R, ...),
    to numbers, (R,). Networks are resampled whole, so that the points of a curve stay together.
    Bias-corrected and accelerated (Efron 1987); where that is not defined, from percentiles.
    No interval, nan, for fewer than three networks; a point where all resamples agree.
    """
    if not len(values):
        return Interval(np.nan, np.nan, np.nan)

    def statistic(index: np.ndarray, axis: int) -> np.ndarray:
        index = np.moveaxis(index, axis, -1)
        means = values[index].mean(axis=index.ndim - 1)
        return summary(means)

    whole = float(summary(values.mean(axis=0, keepdims=True))[0])
    if len(values) < FEWEST:
        return Interval(whole, np.nan, np.nan)
    if np.ptp(values, axis=0).max() <= 1e-12 * max(np.abs(values).max(), 1):
        return Interval(whole, whole, whole)
    networks = (np.arange(len(values)),)
    options = {
        "confidence_level": level,
        "n_resamples": resamples,
        "vectorized": True,
        "batch": 500,
    }
    with np.errstate(invalid="ignore", divide="ignore"):
        found = bootstrap(networks, statistic, method="BCa", **options,
                          random_state=stream(0, "bootstrap"))  # fmt: skip
    drawn = found.bootstrap_distribution
    low, high = found.confidence_interval
    if not np.isfinite([low, high]).all():
        tail = 50 * (1 - level)
        low, high = np.percentile(drawn, [tail, 100 - tail], method="nearest")
    return Interval(whole, float(low), float(high))


def proportion_interval(hits: int, number: int) -> Interval:
    """hits / number with the exact 95 % interval of Clopper and Pearson (1934), for independent
    trials; nan for none."""
    if number == 0:
        return Interval(np.nan, np.nan, np.nan)
    found = binomtest(hits, number).proportion_ci(method="exact")
    return Interval(hits / number, float(found.low), float(found.high))
