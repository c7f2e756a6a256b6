"""The rows of the claims' table."""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from repatlas.claims.claims_file import Claim
from repatlas.claims.main_check import main_check
from repatlas.claims.verdicts import (
    CONTRADICTED,
    FACT,
    NO_NUMBER,
    NOT_JUDGED,
    OTHER_SETTINGS,
    SUPPORTED,
    TOO_FEW,
    UNDECIDED,
)

MARKS = {SUPPORTED: "✓", CONTRADICTED: "✗", UNDECIDED: "?", TOO_FEW: "…", NOT_JUDGED: "○"}
MARKS |= {OTHER_SETTINGS: "◇", NO_NUMBER: "#", FACT: "="}
"""Marks beside the colours, which not everyone tells apart."""


class Row(NamedTuple):
    about: Claim
    verdict: str
    outcome: str | None
    """What the checks say, also of a claim that does not count; None where it is not judged"""
    corrected: str
    """The verdict corrected for the number of claims"""
    other_settings: str | None
    """The settings in which the networks differ from those that the claim is about"""
    not_judged: str | None
    """Why there is no verdict"""
    needed: int | None
    """Networks that a verdict would need, where there are too few"""
    main: object | None
    """The check whose number stands for the claim: the first with the claim's own outcome, or the
    first of all"""
    settings: str
    """In how many settings of a multiverse it holds, in words; empty without one"""

    @property
    def remarks(self) -> list[str]:
        """What a reader has to know of the verdict."""
        found = []
        if self.not_judged:
            found.append(self.not_judged)
        if self.other_settings:
            found.append(f"{self.other_settings}; there {self.outcome}")
        if self.verdict == FACT:
            found.append(str(self.about.fact))
        if self.needed:
            found.append(f"{self.needed} networks needed")
        return [*found, f"holds in {self.settings}"] if self.settings else found


def claim_rows(
    claims: list[Claim], found: pd.DataFrame, settings: Mapping[str, str] | None = None
) -> list[Row]:
    """Return a row for each claim, in the order of the claims file. `found` is the judged table.
    settings: by the number of a claim, in how many settings of a multiverse it holds, in words."""
    rows = []
    for claim in claims:
        mine = found[found["claim"] == claim.id]
        first = mine.iloc[0]
        checks = list(mine[mine["check"].notna()].itertuples())
        texts = [first[name] for name in ("other_settings", "not_judged")]
        outcome = first["claim_outcome"]
        needed = first["networks_needed"]
        rows.append(
            Row(
                claim,
                first["claim_verdict"],
                outcome if isinstance(outcome, str) else None,
                first["claim_corrected_verdict"],
                *(text if isinstance(text, str) else None for text in texts),
                None if pd.isna(needed) else int(needed),
                main_check(checks, outcome),
                (settings or {}).get(claim.id, ""),
            )
        )
    return rows
