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


def ratio_interval(first: np.ndarray, second: np.ndarray) -> Interval:
    """mean(first) / mean(second), each (n,), with its interval, of percentiles, from a bootstrap
    over the networks, paired. No interval, nan, for fewer than three networks; no ratio either
    where the interval of the second mean holds 0."""
    first, second = (np.asarray(values, dtype=np.float64) for values in (first, second))
    of = mean_interval(second)
    if not len(second) or of.value == 0 or of.low <= 0 <= of.high:
        return Interval(np.nan, np.nan, np.nan)
    ratio = float(first.mean() / of.value)
    if len(second) < 3:
        return Interval(ratio, np.nan, np.nan)
    if np.allclose(first, ratio * second, rtol=0, atol=1e-12):
        return Interval(ratio, ratio, ratio)
    # Of few networks some resample may have a mean of 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        found = bootstrap(
            (first, second), _ratio_of_means, paired=True, n_resamples=RESAMPLES,
            method="percentile", random_state=stream(0, "bootstrap"),
        ).confidence_interval  # fmt: skip
    return Interval(ratio, float(found.low), float(found.high))


def _ratio_of_means(first: np.ndarray, second: np.ndarray, axis: int = -1) -> np.ndarray:
    return first.mean(axis=axis) / second.mean(axis=axis)


def sign_change_interval(places: np.ndarray, curves: np.ndarray) -> tuple[Interval, float]:
    """Where the mean of the curves, (n, places), first goes from below 0 to 0 or above, by linear
    interpolation between places in ascending order; and the share of resamples in which it does.

    The interval is that of percentiles, from a bootstrap over the networks, all places of a network
    together; nan for fewer than three networks, or where fewer than 95 % of the resamples change
    sign. All is nan where the mean does not.
    """
    value = float(first_rise_through_zero(places, curves.mean(axis=0, keepdims=True))[0])
    if len(curves) < 3:
        return Interval(value, np.nan, np.nan), np.nan
    chosen = stream(0, "bootstrap").integers(0, len(curves), (RESAMPLES, len(curves)))
    found = first_rise_through_zero(places, curves[chosen].mean(axis=1))
    share = float(np.isfinite(found).mean())
    if np.isnan(value) or share < 0.95:
        return Interval(value, np.nan, np.nan), share
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return Interval(value, float(low), float(high)), share


def first_rise_through_zero(places: np.ndarray, curves: np.ndarray) -> np.ndarray:
    """(n,) of curves (n, places); nan for a curve that does not rise through 0."""
    before, after = curves[:, :-1], curves[:, 1:]
    rises = (before < 0) & (after >= 0)
    first = rises.argmax(axis=1)
    each = np.arange(len(curves))
    below, above = before[each, first], after[each, first]
    with np.errstate(invalid="ignore", divide="ignore"):
        at = places[first] + (places[first + 1] - places[first]) * below / (below - above)
    return np.where(rises.any(axis=1), at, np.nan)
