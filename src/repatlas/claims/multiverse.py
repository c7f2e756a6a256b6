"""Whether claims hold in many settings of the choices that a paper leaves open, and which choice
decides.

The unit is the setting. A few networks of a setting give one verdict: a claim holds there if, for
each of its checks, their median is beyond the limit. Intervals are over settings.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from repatlas.artifacts.files import read_table
from repatlas.claims.claims_file import LEARNED, Check, Claim
from repatlas.claims.rows import Rows
from repatlas.claims.selection import NoRows
from repatlas.claims.verdicts import CheckResult, checks_of, judge
from repatlas.inference.intervals import LEVEL, Interval
from repatlas.inference.shares import difference_interval, share_interval

HOLDS, FAILS = "holds", "does not hold"
NOT_APPLICABLE, NOT_JUDGED = "not applicable", "not judged"
"""Networks did not learn the task; the table lacks what the checks need."""

MULTIVERSE_SCHEMA = pa.schema(
    [
        pa.field("claim", pa.string(), nullable=False),
        pa.field("says", pa.string(), nullable=False),
        pa.field("by", pa.string(), nullable=False),
        pa.field("figure", pa.string(), nullable=False),
        pa.field("setting", pa.int32(), nullable=False),
        pa.field("choices", pa.string(), nullable=False),
        pa.field("outcome", pa.string(), nullable=False),
        pa.field("reason", pa.string()),
        pa.field("check", pa.int32()),
        pa.field("number", pa.string()),
        pa.field("expected", pa.string()),
        pa.field("value", pa.float64()),
    ]
)
"""One row for each claim, setting and check; one row, with nulls, for a claim without a verdict.
`choices` has the values of the setting as JSON. `value` is the median over the networks."""


class Design(NamedTuple):
    """Settings in which a claim was tried: many choices at once, or training lengths alone. The
    first setting is ours."""

    values: dict[str, list[Any]]
    """The values of each choice"""
    settings: Sequence[dict[str, Any]]
    """The value of each choice, by the number of the setting"""
    holds: dict[int, bool]
    """Whether the claim holds, by the number of each setting to which it applies"""


class Verdict(NamedTuple):
    """What was found of a claim in one setting."""

    outcome: str
    reason: str | None
    """Why it does not count, if it does not"""
    checks: list[tuple[Check, CheckResult]]


class Seeds(NamedTuple):
    """The seeds of a setting's networks, for studies whose tables have no test accuracy."""

    all: set[int]
    poor: set[int]
    """Seeds with a network that did not learn its task"""


NO_SEEDS = Seeds(set(), set())


def verdict(claim: Claim, rows: Rows, seeds: Seeds = NO_SEEDS) -> Verdict:
    """Return the verdict on a claim in a setting. Networks that did not learn their task are left
    out; if they are most of the networks of a check, the setting is not applicable."""
    claim = with_limit(claim)
    if seeds.poor:
        if 2 * len(seeds.poor) >= len(seeds.all):
            reason = f"{len(seeds.poor)} of {len(seeds.all)} seeds have a network that did not"
            return Verdict(NOT_APPLICABLE, f"{reason} learn its task", [])
        rows = without_seeds(rows, seeds.poor)
    try:
        judge(claim.model_copy(update={"learned": None}), rows)
    except NoRows as reason:
        return Verdict(NOT_JUDGED, str(reason), [])
    try:
        findings = judge(claim, rows)
    except NoRows as reason:
        return Verdict(NOT_APPLICABLE, str(reason), [])
    checks = list(zip(checks_of(claim, rows), findings, strict=True))
    for check, found in checks:
        if not found.exact and found.seeds <= found.left_out:
            reason = f"{found.left_out} networks have an accuracy below {LEARNED} or no value"
            return Verdict(NOT_APPLICABLE, f"{check.number or check.description}: {reason}", [])
    holds = all(check.holds_for(found.value) for check, found in checks)
    return Verdict(HOLDS if holds else FAILS, None, checks)


def with_limit(claim: Claim) -> Claim:
    """Return a claim about networks that have learned their task, also if its own check takes
    all."""
    return claim.model_copy(update={"learned": claim.learned or "test"})


def without_seeds(rows: Rows, left_out: set[int]) -> Rows:
    """Return the rows without the networks of these seeds. Rows of no network stay."""
    nobody = rows.kinds.index[rows.kinds["run"].isna()].to_numpy()
    run_of = rows.table.run_of
    counting = np.ones((run_of.max(initial=0) + 1, len(rows.seeds)), bool)
    counting[:, np.isin(rows.seeds, [*left_out])] = False
    counting[np.unique(run_of[nobody])] = True
    return rows.with_networks(counting)


class Effect(NamedTuple):
    """The share of settings in which a claim holds with one value of a choice, minus the share with
    any other value."""

    choice: str
    value: Any
    difference: Interval

    @property
    def decides(self) -> bool:
        """Whether the interval excludes 0."""
        return self.difference.low > 0 or self.difference.high < 0


class Summary(NamedTuple):
    """A claim over all settings."""

    claim: str
    says: str
    counts: dict[str, int]
    """The number of settings with each outcome"""
    holds: dict[int, bool]
    share: Interval
    effects: list[Effect]
    """The effect of each value of each choice"""

    @property
    def applicable(self) -> int:
        return self.counts[HOLDS] + self.counts[FAILS]

    @property
    def decisive(self) -> Effect | None:
        """The largest effect whose interval excludes 0, if there is one."""
        found = [effect for effect in self.effects if effect.decides]
        return max(found, key=lambda each: abs(each.difference.value), default=None)


class Tried(NamedTuple):
    """The claims of a study in many settings, as a file has them."""

    header: dict[str, Any]
    table: pa.Table
    found: list[Summary]
    """Each claim over all settings"""

    @property
    def varies(self) -> str:
        """What the settings differ in: choices, length, or untrained for networks that did not
        learn."""
        return self.header["job"]["varies"]

    def design(self, claim: str) -> Design | None:
        """Return the settings of a claim, or None if it was not judged here."""
        own = [each for each in self.found if each.claim == claim]
        job = self.header["job"]
        return Design(job["values"], job["settings"], own[0].holds) if own else None


def read_tried(path: Path) -> Tried:
    """Return the content of the file. Raises Refused if it is damaged."""
    header, table = read_table(path, "multiverse", MULTIVERSE_SCHEMA)
    job = header["job"]
    return Tried(header, table, summaries(table.to_pandas(), job["settings"], job["values"]))


def summaries(
    rows: pd.DataFrame, settings: Sequence[dict[str, Any]], values: dict[str, list[Any]]
) -> list[Summary]:
    """Return a summary of each claim, in the order of the rows. The rows have the columns of
    MULTIVERSE_SCHEMA. settings: the value of each choice, by the number of the setting."""
    verdicts = rows.drop_duplicates(["claim", "setting"])
    found = []
    for (claim, says), own in verdicts.groupby(["claim", "says"], sort=False):
        outcomes = dict(zip(own["setting"], own["outcome"], strict=True))
        counts = {
            outcome: sum(each == outcome for each in outcomes.values())
            for outcome in (HOLDS, FAILS, NOT_APPLICABLE, NOT_JUDGED)
        }
        holds = {
            number: outcome == HOLDS
            for number, outcome in outcomes.items()
            if outcome in (HOLDS, FAILS)
        }
        share = share_interval(sum(holds.values()), len(holds))
        found.append(Summary(claim, says, counts, holds, share, effects(holds, settings, values)))
    return found


def effects(
    holds: dict[int, bool], settings: Sequence[dict[str, Any]], values: dict[str, list[Any]]
) -> list[Effect]:
    """Return the effect of each value of each choice. holds: whether the claim holds, by the number
    of each applicable setting. All intervals together hold their effects with a probability of
    about 95 % (Bonferroni)."""
    level = 1 - (1 - LEVEL) / max(sum(map(len, values.values())), 1)
    found = []
    for choice, of_choice in values.items():
        for value in of_choice:
            chosen = [held for n, held in holds.items() if settings[n][choice] == value]
            others = [held for n, held in holds.items() if settings[n][choice] != value]
            difference = difference_interval(_count(chosen), _count(others), level)
            found.append(Effect(choice, value, difference))
    return found


def _count(holds: Iterable[bool]) -> tuple[int, int]:
    cases = list(holds)
    return sum(cases), len(cases)
