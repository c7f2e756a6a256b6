"""95 % intervals. The unit is the network: neurons of one network are not independent."""

from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest, bootstrap

from repgeom.streams import stream

RESAMPLES = 9999


class Interval(NamedTuple):
    value: float
    low: float
    high: float


def mean_interval(values: np.ndarray) -> Interval:
    """The mean of one value for each network, (n,), with its interval from a bootstrap over the
    networks: bias-corrected and accelerated (Efron 1987). No interval, nan, for fewer than three
    networks; that of values that are all alike is a point. Values that are nan are left out."""
    values = np.asarray(values, dtype=np.float64)
    values = values[np.isfinite(values)]
    if not len(values):
        return Interval(np.nan, np.nan, np.nan)
    mean = float(values.mean())
    if len(values) < 3:
        return Interval(mean, np.nan, np.nan)
    if np.ptp(values) <= 1e-12 * max(abs(mean), 1):
        return Interval(mean, mean, mean)
    found = bootstrap(
        (values,), np.mean, n_resamples=RESAMPLES, method="BCa", random_state=stream(0, "bootstrap")
    ).confidence_interval
    return Interval(mean, float(found.low), float(found.high))


def proportion_interval(hits: int, number: int) -> Interval:
    """hits / number with the exact interval of Clopper and Pearson (1934), for independent trials;
    nan for none."""
    if number == 0:
        return Interval(np.nan, np.nan, np.nan)
    found = binomtest(hits, number).proportion_ci(method="exact")
    return Interval(hits / number, float(found.low), float(found.high))
