"""Intervals of shares: of how many cases something holds, and how two shares differ."""

import numpy as np

from repatlas.inference.intervals import LEVEL, Interval


def share_interval(hits: int, number: int, level: float = LEVEL) -> Interval:
    """Return a share with its interval (Wilson 1927); nan for no cases.

    The interval is not empty where the share is 0 or 1. It holds the true share with a probability
    of about the level: at times a little less, on average over shares a little more.

    >>> [round(end, 3) for end in share_interval(30, 32)]
    [0.938, 0.799, 0.983]
    """
    if not number:
        return Interval(np.nan, np.nan, np.nan)
    z2 = _quantile(level) ** 2
    share = hits / number
    middle = (share + z2 / (2 * number)) / (1 + z2 / number)
    half = np.sqrt(z2 * (share * (1 - share) / number + z2 / (4 * number**2))) / (1 + z2 / number)
    return Interval(share, float(max(middle - half, 0.0)), float(min(middle + half, 1.0)))


def difference_interval(
    first: tuple[int, int], second: tuple[int, int], level: float = LEVEL
) -> Interval:
    """Return the first share minus the second with its interval (Newcombe 1998, method 10, from the
    Wilson intervals of both); nan where one has no cases. Each is its hits and its number of cases.

    >>> [round(end, 2) for end in difference_interval((15, 16), (4, 16))]
    [0.69, 0.36, 0.84]
    """
    one, other = share_interval(*first, level), share_interval(*second, level)
    difference = one.value - other.value
    below = np.hypot(one.value - one.low, other.high - other.value)
    above = np.hypot(one.high - one.value, other.value - other.low)
    return Interval(difference, float(difference - below), float(difference + above))


def _quantile(level: float) -> float:
    """Return the standard normal quantile of a two-sided interval."""
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))
