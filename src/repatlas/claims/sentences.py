"""What was found of a claim, in sentences."""

import numpy as np

from repatlas.claims.verdicts import EXACT


def number(value: float, digits: int = 3) -> str:
    """Return the value with this number of significant digits and a true minus sign."""
    return f"{value:.{digits}g}".replace("-", "\N{MINUS SIGN}")


def interval(low: float, high: float) -> str:
    """Return "low to high", with more digits where three would print both ends alike; a dash where
    there are too few networks for an interval."""
    if np.isnan(low):
        return "-"
    digits = 3 if number(low) != number(high) or low == high else 6
    return f"{number(low, digits)} to {number(high, digits)}"


def we_find(check) -> str:
    """Return the sentence "We find NUMBER: VALUE (...); we read the claim as ...". `check` is the
    row of the claims' file that stands for the claim."""
    found = f"We find {_named(check)}: {number(check.value)} ({_sample(check)})"
    return f"{found}; we read the claim as {_reading(check)}."


def found_in_short(check) -> str:
    """Return the sentence "We find VALUE (NUMBER); we read the claim as ..."."""
    found = f"We find {number(check.value)} ({_named(check)})"
    return f"{found}; we read the claim as {_reading(check)}."


def _named(check) -> str:
    return check.number if isinstance(check.number, str) else check.statistic


def _reading(check) -> str:
    side, limit = check.expected.split(" ")
    return f"{'more' if side == '>' else 'less'} than {number(float(limit))}"


def _sample(check) -> str:
    """Return the interval and the number of networks."""
    if check.statistic.startswith(f"{EXACT}:"):
        return "an exact number"
    networks = f"{check.seeds:.0f} network{'s' * (check.seeds != 1)}"
    if np.isnan(check.low):
        return networks
    return f"95 % interval {interval(check.low, check.high)}, {networks}"
