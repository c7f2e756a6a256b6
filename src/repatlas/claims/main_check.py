"""Which check stands for a claim."""

from collections.abc import Sequence
from typing import Any


def main_check(checks: Sequence[Any], outcome: str | None) -> Any | None:
    """Return the first of a claim's checks with the claim's own outcome, or the first of all; None
    for a claim that is not judged. A check is a row of the claims' file."""
    return next((c for c in checks if c.verdict == outcome), None) or next(iter(checks), None)
