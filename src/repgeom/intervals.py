"""Bootstrap intervals. The unit is the network: neurons of one network are not independent."""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.stats import DegenerateDataWarning, binomtest, bootstrap, norm, t

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
    Bias-corrected and accelerated (Efron 1987), at the level that makes up for the narrowness of
    bootstrap intervals of few values (Hesterberg 2015, "What teachers should know about the
    bootstrap", section 3.3): without it an interval of ten says 95 % and holds 90 %. Where BCa is
    not defined, from percentiles.
    No interval, nan, for fewer than three networks; a point where all resamples agree.
    """
    number = len(values)
    if not number:
        return Interval(np.nan, np.nan, np.nan)
    whole = float(summary(values.mean(axis=0, keepdims=True))[0])
    if number < FEWEST:
        return Interval(whole, np.nan, np.nan)
    if np.ptp(values, axis=0).max() <= 1e-12 * max(np.abs(values).max(), 1):
        return Interval(whole, whole, whole)

    def statistic(index: np.ndarray, axis: int) -> np.ndarray:
        # scipy asks for many resamples, (R, n), and once for the sample itself, (n,).
        index = np.moveaxis(np.atleast_2d(index), axis, -1)
        return np.squeeze(summary(values[index].mean(axis=1)))

    tail = norm.cdf(np.sqrt(number / (number - 1)) * t.ppf((1 - level) / 2, number - 1))
    with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        found = bootstrap(
            (np.arange(number),),
            statistic,
            method="BCa",
            confidence_level=1 - 2 * tail,
            n_resamples=resamples,
            vectorized=True,
            batch=500,
            random_state=stream(0, "bootstrap"),
        )
    low, high = found.confidence_interval
    if not np.isfinite([low, high]).all():
        ends = (tail, 1 - tail)
        low, high = np.quantile(found.bootstrap_distribution, ends, method="nearest")
    return Interval(whole, float(low), float(high))


def proportion_interval(hits: int, number: int) -> Interval:
    """hits / number with the exact 95 % interval of Clopper and Pearson (1934), for independent
    trials; nan for none."""
    if number == 0:
        return Interval(np.nan, np.nan, np.nan)
    found = binomtest(hits, number).proportion_ci(method="exact")
    return Interval(hits / number, float(found.low), float(found.high))


def ratio_interval(first: np.ndarray, second: np.ndarray) -> Interval:
    """mean(first) / mean(second), each (n,), with its interval; no ratio, nan, where the interval
    of the second mean holds 0."""
    first, second = (np.asarray(values, dtype=np.float64) for values in (first, second))
    of = mean_interval(second)
    if not len(second) or of.value == 0 or of.low <= 0 <= of.high:
        return Interval(np.nan, np.nan, np.nan)
    return summary_interval(np.stack([first, second], axis=1), lambda mean: mean[:, 0] / mean[:, 1])


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
