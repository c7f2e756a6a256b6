"""Exact intervals over networks, and the sign test that belongs to them.

The unit is the network: neurons of one network are not independent. The estimate is the median over
networks, the value of the typical network. Its interval holds for every distribution of networks:
skewed, with outliers, or at a ceiling where most values are equal. An interval of a mean has no
such guarantee. A bootstrap interval of 95 % misses the mean in 25 % of samples of three and in 9 %
of samples of five. Values must be independent: jackknife pseudo-values of pairs (pseudovalues.py)
are nearly so, and their intervals are not exact.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import islice, takewhile
from typing import NamedTuple

import numpy as np

LEVEL = 0.95


class Interval(NamedTuple):
    value: float
    low: float
    high: float


def networks_needed(alpha: float) -> int:
    """Return the fewest networks that can decide at the level alpha: n with 2 (1/2)^n <= alpha.

    alpha: above 0 and below 1. The formula is the probability that all n networks are on one side
    of their median.

    >>> networks_needed(0.05)
    6
    """
    return int(np.ceil(np.log2(2 / alpha)))


FEWEST = networks_needed(1 - LEVEL)
"""Networks that an interval needs: 6."""


def median_interval(values: np.ndarray) -> Interval:
    """Return the median of one value for each network, (n,), with its exact 95 % interval.

    The ends are the k-th smallest and the k-th largest value, with the largest k for which 2 P(B <
    k) <= 5 %. B is binomial with n trials and probability 1/2 (David & Nagaraja 2003, "Order
    Statistics", section 7.1). The interval holds the median of any distribution with a probability
    of 95 % at least: 96.9 % for 6 networks, 97.9 % for 10, 95.9 % for 20. Values that are nan are
    left out; infinite ones count. The ends are nan for fewer than six networks, and so is the
    median if there is none. All three numbers have the unit of the values.

    >>> median_interval(np.array([3.0, 1.0, 2.0, 5.0, 4.0, 6.0]))
    Interval(value=3.5, low=1.0, high=6.0)
    """
    values = np.sort(np.asarray(values, dtype=np.float64))
    values = values[~np.isnan(values)]
    number = len(values)
    if not number:
        return Interval(np.nan, np.nan, np.nan)
    # The two in the middle are one where n is odd, and equal where both are infinite.
    below, above = values[(number - 1) // 2], values[number // 2]
    median = float(below if below == above else (below + above) / 2)
    if number < FEWEST:
        return Interval(median, np.nan, np.nan)
    outside = _outside(number)
    return Interval(median, float(values[outside]), float(values[number - 1 - outside]))


@cache
def _outside(number: int) -> int:
    """Return how many values lie outside each end of the interval.

    It is the largest k - 1 for which a binomial count is k - 1 or less with a probability of at
    most half of 5 %.
    """
    allowed = int(Fraction((1 - LEVEL) / 2) * 2**number)
    return sum(1 for _ in takewhile(lambda ways: ways <= allowed, _ways(number))) - 1


@cache
def sign_probability(hits: int, number: int) -> float:
    """Return the probability of this number of hits or more in `number` fair tosses.

    hits: from 0 to number. The result is the one-sided p of the sign test that more than half of
    all networks are hits:

        p = sum_{i = hits}^{number} (number choose i) / 2^number

    >>> sign_probability(9, 10)
    0.0107421875
    """
    return next(islice(_ways(number), number - hits, None)) / 2**number


def _ways(number: int) -> Iterator[int]:
    """Yield in how many ways `number` tosses give 0 misses, at most 1 miss, at most 2, and so on.

    Each binomial coefficient is computed from the one before, because they are long for thousands
    of networks.
    """
    ways, coefficient = 0, 1
    for misses in range(number + 1):
        ways += coefficient
        yield ways
        coefficient = coefficient * (number - misses) // (misses + 1)


def proportion_interval(hits: int, number: int) -> Interval:
    """Return hits / number, from 0 to 1, with its exact 95 % interval (Clopper & Pearson 1934).

    Trials must be independent. All is nan if number is 0.
    Raises ValueError for more hits than trials.

    >>> value, low, high = proportion_interval(8, 10)
    >>> value, round(low, 2), round(high, 2)
    (0.8, 0.44, 0.97)
    """
    if number == 0:
        return Interval(np.nan, np.nan, np.nan)
    from scipy.stats import binomtest  # here, since it takes a second to import

    found = binomtest(hits, number).proportion_ci(method="exact")
    return Interval(hits / number, float(found.low), float(found.high))


def ratio_interval(first: np.ndarray, second: np.ndarray) -> Interval:
    """Return the median of first / second, each (n,), with its interval.

    Value i of each belongs to the same network. The ratio has no unit if both have the same.
    It is nan if the interval of the median of `second` holds 0. If there are too few networks for
    an interval, it is nan if the range of `second` holds 0.

    >>> second = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> ratio_interval(2 * second, second)
    Interval(value=2.0, low=2.0, high=2.0)
    """
    first, second = (np.asarray(values, dtype=np.float64) for values in (first, second))
    if not len(second):
        return Interval(np.nan, np.nan, np.nan)
    of = median_interval(second)
    low, high = (of.low, of.high) if len(second) >= FEWEST else (second.min(), second.max())
    if low <= 0 <= high:
        return Interval(np.nan, np.nan, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        return median_interval(first / second)


def sign_change_interval(places: np.ndarray, curves: np.ndarray) -> tuple[Interval, float]:
    """Return where curves of networks first rise from below 0 to 0 or above.

    curves: (n, places); places ascend, and values between them are linear. The result is the median
    over networks with its interval, and the share of networks whose curve rises so.

    A curve that is below 0 at the end without such a rise counts as beyond the end. A curve that
    never is below 0 counts as before the start. If the median or an end of the interval lies beyond
    the places, it is nan.

    >>> curves = np.array([[-1.0, 1.0, 2.0]] * 6 + [[-1.0, -1.0, 1.0]])
    >>> sign_change_interval(np.array([0.0, 1.0, 2.0]), curves)
    (Interval(value=0.5, low=0.5, high=1.5), 1.0)
    """
    found = first_rise_through_zero(places, curves)
    share = float(np.isfinite(found).mean())
    outside = np.where((curves < 0).any(axis=1), np.inf, -np.inf)
    interval = median_interval(np.where(np.isnan(found), outside, found))
    if not np.isfinite(interval.value):
        return Interval(np.nan, np.nan, np.nan), share
    if not np.isfinite(interval).all():
        return Interval(interval.value, np.nan, np.nan), share
    return interval, share


def first_rise_through_zero(places: np.ndarray, curves: np.ndarray) -> np.ndarray:
    """Return where each curve first rises through 0, (n,), or nan if it does not.

    places: (points,), ascending; curves: (n, points), linear between the places.

    >>> first_rise_through_zero(np.array([0.0, 1.0]), np.array([[-1.0, 3.0], [1.0, 2.0]]))
    array([0.25,  nan])
    """
    before, after = curves[:, :-1], curves[:, 1:]
    rises = (before < 0) & (after >= 0)
    first = rises.argmax(axis=1)
    each = np.arange(len(curves))
    below, above = before[each, first], after[each, first]
    with np.errstate(invalid="ignore", divide="ignore"):
        at = places[first] + (places[first + 1] - places[first]) * below / (below - above)
    return np.where(rises.any(axis=1), at, np.nan)
