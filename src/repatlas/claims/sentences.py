"""What was found of a claim, in sentences."""

from collections.abc import Sequence
from typing import Any

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


def main_check(checks: Sequence[Any], outcome: str | None) -> Any | None:
    """Return the first of a claim's checks with the claim's own outcome, or the first of all; None
    for a claim that is not judged. A check is a row of the claims' file."""
    return next((c for c in checks if c.verdict == outcome), None) or next(iter(checks), None)


def what_was_found(check) -> str:
    """Return "NUMBER: VALUE (SAMPLE); limit LIMIT", for a table."""
    limit = check.expected.replace("-", "\N{MINUS SIGN}")
    return f"{_named(check)}: {number(check.value)} ({_sample(check)}); limit {limit}"


def _named(check) -> str:
    return check.number if isinstance(check.number, str) else check.statistic


def _sample(check) -> str:
    """Return the interval and the number of networks."""
    if check.statistic.startswith(f"{EXACT}:"):
        return "an exact number"
    networks = f"{check.seeds:.0f} network{'s' * (check.seeds != 1)}"
    if np.isnan(check.low):
        return networks
    return f"{interval(check.low, check.high)}, {networks}"
