"""From a figure's table to the verdict on a claim."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from repgeom.claims.ledger import LEARNED, Check, Claim
from repgeom.claims.statistics import STATISTICS, NoRows, Sample
from repgeom.intervals import FEWEST, Interval, summary_interval

SUPPORTED, CONTRADICTED, UNDECIDED, NOT_RUN = "supported", "contradicted", "undecided", "not run"
ALPHA = 0.05
RESAMPLES = 99_999
"""Enough for the tails of the family-wise intervals: some 50 resamples beyond each end."""
ROUNDING = 1e-12
"""A smaller spread over seeds is none: measures are of order 1, in float64."""


CLAIMS_SCHEMA = pa.schema(
    [
        pa.field("claim", pa.string(), nullable=False),
        pa.field("by", pa.string(), nullable=False),
        pa.field("says", pa.string(), nullable=False),
        pa.field("place", pa.string(), nullable=False),
        pa.field("figure", pa.string(), nullable=False),
        pa.field("claim_verdict", pa.string(), nullable=False),
        pa.field("claim_family_verdict", pa.string(), nullable=False),
        pa.field("check", pa.int32()),
        pa.field("statistic", pa.string()),
        pa.field("expected", pa.string()),
        pa.field("value", pa.float64()),
        pa.field("low", pa.float64()),
        pa.field("high", pa.float64()),
        pa.field("verdict", pa.string(), nullable=False),
        pa.field("family_low", pa.float64()),
        pa.field("family_high", pa.float64()),
        pa.field("family_verdict", pa.string(), nullable=False),
        pa.field("seeds", pa.int32()),
        pa.field("left_out", pa.int32()),
        pa.field("effect_size", pa.float64()),
        pa.field("agreeing", pa.int32()),
    ]
)
"""One row for each check; one, with nulls, for a claim that is not run."""


class Finding(NamedTuple):
    """What became of one check."""

    value: float
    low: float
    high: float
    verdict: str
    family_low: float
    """Of the interval with which all checks of the ledger together err in 5 % (Bonferroni)."""
    family_high: float
    family_verdict: str
    seeds: int
    """Networks of each kind: the unit."""
    left_out: int
    """Seeds that are there but lack a network: it diverged, or did not learn its task."""
    effect_size: float
    """Mean over standard deviation of the seeds' own values less what is expected of them; nan
    where they differ by rounding alone."""
    agreeing: int
    """Seeds whose own value is on the expected side."""


def checks_of(claim: Claim, table: pd.DataFrame | None) -> list[Check]:
    """The checks, repeated for all of what the claim is about; none of them without a table."""
    if table is None:
        return []
    if not claim.for_each:
        return claim.checks
    combinations = table[claim.for_each].dropna().drop_duplicates().sort_values(claim.for_each)
    return [
        check.model_copy(
            # First, since "last" is that of what is selected before it.
            update={"options": check.options | {"of": combination | check.options["of"]}}
        )
        for combination in combinations.to_dict("records")
        for check in claim.checks
    ]


def judge(claim: Claim, table: pd.DataFrame, family: int) -> list[Finding]:
    """The findings of a claim's checks. `family` is the number of checks in the whole ledger.
    Raises NoRows where the table lacks what they need."""
    rows = learned_rows(claim, table)
    findings = []
    for check in checks_of(claim, table):
        sample = STATISTICS[check.statistic](rows, **check.options)
        about = table
        for column in claim.for_each:
            about = about[about[column] == check.options["of"][column]]
        number = about["seed"].dropna().nunique()
        findings.append(_finding(check, sample, number, family))
    if not findings:
        raise NoRows(f"the table has no rows with {' and '.join(claim.for_each)}")
    return findings


def learned_rows(claim: Claim, table: pd.DataFrame) -> pd.DataFrame:
    """The rows of single networks, without those of networks that have not learned their task."""
    rows = table[table["run"].notna() & table["seed"].notna() & table["contrast"].isna()]
    if claim.learned is None:
        return rows
    scores = rows[(rows["measure"] == "accuracy") & (rows["variant"] == claim.learned)]
    last = scores["step"] == scores.groupby(["run", "seed"])["step"].transform("max")
    poor = scores[last & (scores["value"] < LEARNED)]
    networks = pd.MultiIndex.from_frame(rows[["run", "seed"]])
    return rows[~networks.isin(pd.MultiIndex.from_frame(poor[["run", "seed"]]))]


def overall(verdicts: list[str]) -> str:
    """The verdict on a claim from those on its checks."""
    if not verdicts:
        return NOT_RUN
    if CONTRADICTED in verdicts:
        return CONTRADICTED
    return SUPPORTED if set(verdicts) == {SUPPORTED} else UNDECIDED


def verdict(check: Check, interval: Interval) -> str:
    """Where the interval lies."""
    sign, threshold = (1, check.above) if check.above is not None else (-1, check.below)
    if not np.isfinite([interval.low, interval.high]).any():
        return UNDECIDED
    nearest, farthest = sorted((sign * interval.low, sign * interval.high))
    if nearest > sign * threshold:
        return SUPPORTED
    return CONTRADICTED if farthest < sign * threshold else UNDECIDED


def _finding(check: Check, sample: Sample, number: int, family: int) -> Finding:
    interval, wide = (
        summary_interval(sample.values, sample.summary, 1 - alpha, RESAMPLES)
        for alpha in (ALPHA, ALPHA / family)
    )
    own = np.array([sample.summary(values[None])[0] for values in sample.values])
    sign, threshold = (1, check.above) if check.above is not None else (-1, check.below)
    beyond = sign * (own - threshold)
    spread = np.std(beyond, ddof=1) if len(own) >= FEWEST and np.isfinite(beyond).all() else 0.0
    return Finding(
        *interval,
        verdict(check, interval),
        wide.low,
        wide.high,
        verdict(check, wide),
        len(own),
        number - len(own),
        float(np.mean(beyond) / spread) if spread > ROUNDING else np.nan,
        int((beyond > 0).sum()),
    )
