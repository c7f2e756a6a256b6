"""The rows of the claims' table."""

from typing import NamedTuple

import pandas as pd

from repgeom.claims.ledger import Claim
from repgeom.claims.summary import ORDER
from repgeom.claims.verdicts import CONTRADICTED, NOT_RUN, SUPPORTED, UNDECIDED

MARKS = {SUPPORTED: "✓", CONTRADICTED: "✗", UNDECIDED: "?", NOT_RUN: "○"}
"""Beside the colours: not everyone tells those apart."""


class Row(NamedTuple):
    place: int
    """In the ledger; the numbers have letters"""
    about: Claim
    verdict: str
    corrected: str
    """The verdict corrected for the number of checks"""
    rank: int
    """Of the verdict, for sorting"""
    checks: list
    """As in the claims' file; none for a claim that is not run"""
    main: object | None
    """The check whose number stands for the claim: the first with the claim's own verdict"""


def claim_rows(claims: list[Claim], found: pd.DataFrame) -> list[Row]:
    """A row for each claim, in the ledger's order. `found` is the table of the claims' file."""
    rows = []
    for place, claim in enumerate(claims):
        mine = found[found["claim"] == claim.id]
        first = mine.iloc[0]
        checks = [check for check in mine.itertuples() if check.verdict != NOT_RUN]
        rows.append(
            Row(
                place,
                claim,
                first["claim_verdict"],
                first["claim_family_verdict"],
                ORDER.index(first["claim_verdict"]),
                checks,
                next((c for c in checks if c.verdict == first["claim_verdict"]), None),
            )
        )
    return rows
