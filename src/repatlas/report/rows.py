"""The rows of the claims' table."""

from typing import NamedTuple

import pandas as pd

from repatlas.claims.claims_file import Claim
from repatlas.claims.rule import DEPENDS, FAILS, IN_OUR_SETTING, NOT_REPRODUCED, PASSES, REPRODUCED
from repatlas.claims.sentences import main_check
from repatlas.claims.summary import verdict_in_words
from repatlas.claims.verdicts import FACT, NO_NUMBER, NOT_JUDGED, TOO_FEW

MARKS = {REPRODUCED: "✓", NOT_REPRODUCED: "✗", DEPENDS: "?", TOO_FEW: "…", NOT_JUDGED: "○"}
MARKS |= {IN_OUR_SETTING: "◇", NO_NUMBER: "#", FACT: "="}
"""Marks beside the colours, which not everyone tells apart."""


class Row(NamedTuple):
    about: Claim
    verdict: str
    why: str
    """The choice that decides, what our setting found, or why there is no verdict; may be empty"""
    ours: str | None
    """What our own setting found; None where no check is computed"""
    remarks: list[str]
    """The control, in how many settings the claim holds, and what our networks are"""
    main: object | None
    """The check whose number stands for the claim: the first that says what our setting found, or
    the first of all"""


def claim_rows(claims: list[Claim], found: pd.DataFrame) -> list[Row]:
    """Return a row for each claim, in the order of the claims file. `found` is the judged table."""
    rows = []
    for claim in claims:
        mine = found[found["claim"] == claim.id]
        first = mine.iloc[0].astype(object).where(mine.iloc[0].notna(), None)
        is_known = first["control"] in (FAILS, PASSES)
        control = f"control: {first['control']}" if is_known else None
        held = first["holds_in"] and f"holds in {first['holds_in']}"
        why = verdict_in_words(first).partition("**: ")[2]
        remarks = [control, held, first["data"], first["other_networks"]]
        checks = list(mine[mine["check"].notna()].itertuples())
        rows.append(
            Row(
                claim,
                first["claim_verdict"],
                why,
                first["ours"],
                [remark for remark in remarks if remark],
                main_check(checks, first["ours"]),
            )
        )
    return rows
