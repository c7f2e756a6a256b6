"""Verdicts on claims, from the tables of figures.

A check counts the networks beyond its limit. The sign test gives the probability of this count or a
larger one if the median were not beyond the limit. Two errors are possible:

- A claim that does not hold is supported only if each of its checks errs. So the p of "supported"
  is the largest p of its checks (the intersection-union test, Berger 1982).
- A claim that holds is contradicted if any of its checks errs. So the p of "contradicted" is the
  smallest p, times the number of checks (Bonferroni).

The p of the claim is twice the smaller of the two. Holm (1979) corrects it for the number of
claims. A number that belongs to no network (statistic `exact`) is beyond its limit or not: its p is
0 or 1.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from repatlas.claims.claims_file import LEARNED, Check, Claim
from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED, TOO_FEW, UNDECIDED
from repatlas.claims.rows import HAS_SEED, Rows
from repatlas.claims.selection import NoRows, select
from repatlas.claims.statistics import STATISTICS, Sample
from repatlas.inference.intervals import median_interval, networks_needed, sign_probability

NOT_JUDGED = "not judged"
FACT, NO_NUMBER = "exact fact", "no number in the words"
"""Verdicts that do not count: the checks cannot fail, or their limit is ours alone."""
ALPHA = 0.05
EXACT = "exact"
"""The statistic whose number belongs to no network."""
ROUNDING = 1e-12
"""A smaller spread over seeds counts as none: measures are of order 1, in float64."""


CLAIMS_SCHEMA = pa.schema(
    [
        pa.field("claim", pa.string(), nullable=False),
        pa.field("by", pa.string(), nullable=False),
        pa.field("says", pa.string(), nullable=False),
        pa.field("place", pa.string(), nullable=False),
        pa.field("figure", pa.string(), nullable=False),
        pa.field("claim_verdict", pa.string(), nullable=False),
        pa.field("why", pa.string()),
        pa.field("limit", pa.string(), nullable=False),
        pa.field("control", pa.string()),
        pa.field("holds_in", pa.string()),
        pa.field("data", pa.string()),
        pa.field("other_networks", pa.string()),
        pa.field("ours", pa.string()),
        pa.field("claim_p", pa.float64()),
        pa.field("corrected_p", pa.float64()),
        pa.field("networks_needed", pa.int32()),
        pa.field("check", pa.int32()),
        pa.field("statistic", pa.string()),
        pa.field("number", pa.string()),
        pa.field("expected", pa.string()),
        pa.field("value", pa.float64()),
        pa.field("low", pa.float64()),
        pa.field("high", pa.float64()),
        pa.field("p", pa.float64()),
        pa.field("verdict", pa.string()),
        pa.field("seeds", pa.int32()),
        pa.field("left_out", pa.int32()),
        pa.field("agreeing", pa.int32()),
        pa.field("effect_size", pa.float64()),
    ]
)
"""One row for each check; one row, with nulls, for a claim whose checks are not computed.

`claim_verdict` and `why` follow from the rule for verdicts. `limit` is the source of the limits,
and `control` what the checks say on the null model. `holds_in` says in how many other settings the
claim holds. `data` says what our networks are to the authors', and `other_networks` in what they
differ.
`ours` is what our setting found: supported, contradicted, undecided or too few networks. It is
corrected for the number of claims of the source that are judged. `networks_needed` is the number
that would be enough. `number` names the check's number in plain words.
"""


class CheckResult(NamedTuple):
    """The result of one check."""

    value: float
    """The median over networks"""
    low: float
    high: float
    p: float
    """The p value of the two-sided sign test"""
    verdict: str
    seeds: int
    """The number of networks of each type"""
    left_out: int
    """Seeds without a number: a network is missing, diverged or did not learn its task, or the
    statistic is not defined"""
    agreeing: int
    """Seeds whose own value is beyond the limit"""
    effect_size: float
    """The mean of the seeds' values minus the limit, divided by their standard deviation; nan if
    they differ only by rounding"""
    opposing: int
    """Seeds whose own value is on the other side; a value at the limit is on neither"""
    exact: bool = False
    """True for a number that belongs to no network, so that nothing is left to chance"""

    def chance(self, hits: int) -> float:
        """Return the probability of this number of seeds on one side of the limit if the median
        were not on that side."""
        return float(not hits) if self.exact else sign_probability(hits, self.seeds)


class ClaimResult(NamedTuple):
    """The result of a claim."""

    p: float
    verdict: str
    seeds: int
    """The number of networks behind the more probable of the two errors"""
    tests: int
    """The number of checks that could make this error: 1, or all of them"""
    needed: int | None = None
    """The number of networks that a verdict needs, if there are too few"""


def checks_of(claim: Claim, rows: Rows) -> list[Check]:
    """Return the checks of a claim, repeated for each combination of the columns in `for_each`."""
    if not claim.for_each:
        return claim.checks
    combinations = rows.kinds[claim.for_each].dropna().drop_duplicates().to_dict("records")
    return [
        check.model_copy(
            # Put these filters first: "last" means the last value among the rows that are
            # still selected.
            update={"options": check.options | {"of": combination | check.options["of"]}}
        )
        for combination in sorted(combinations, key=lambda values: [*values.values()])
        for check in claim.checks
    ]


def judge(claim: Claim, rows: Rows) -> list[CheckResult]:
    """Return the findings of a claim's checks. Raises NoRows if the table lacks rows that they
    need."""
    learned, poor = learned_rows(claim, rows)
    findings = []
    for check in checks_of(claim, rows):
        try:
            of = rows.only(rows.kinds["run"].isna()) if check.statistic == EXACT else learned
            sample = STATISTICS[check.statistic](of, **check.options)
        except NoRows as reason:
            if poor:
                left_out = f"{poor} networks did not learn their task (accuracy below {LEARNED})"
                raise NoRows(f"{reason}; left out: {left_out}") from None
            raise
        if check.statistic == EXACT:
            findings.append(_exact_result(check, float(sample.values[0])))
        else:
            findings.append(_result(check, sample, _seeds_there(claim, check, rows)))
    if not findings:
        raise NoRows(f"the table has no rows with {' and '.join(claim.for_each)}")
    return findings


def _seeds_there(claim: Claim, check: Check, rows: Rows) -> int:
    """Return the number of values that a check has if no network is left out. A figure may show
    several sweeps with different numbers of seeds. Measures of disjoint pairs have half as many
    values as there are networks."""
    rows = rows.only(rows.kinds["measure"].isin(check.measures))
    of = check.options.get("of")
    if isinstance(of, dict):
        for column in {*claim.for_each, "network"} & of.keys() & {*rows.kinds.columns}:
            rows = rows.only(rows.kinds[column] == of[column])
        rows = rows.only(rows.kinds["run"].isin(select(rows.kinds, of)["run"].dropna()))
    return rows.number_of_seeds()


def learned_rows(claim: Claim, rows: Rows) -> tuple[Rows, int]:
    """Return the rows of single networks that have learned their task, and the number of networks
    that have not."""
    kinds = rows.kinds
    rows = rows.only(kinds["run"].notna() & kinds[HAS_SEED] & kinds["contrast"].isna())
    if claim.learned is None:
        return rows, 0
    kinds = rows.kinds
    scores = kinds[(kinds["measure"] == "accuracy") & (kinds["variant"] == claim.learned)]
    learned, poor = _learned(rows, scores["step"])
    return (rows.with_networks(learned) if poor else rows), poor


def _learned(rows: Rows, steps: pd.Series) -> tuple[np.ndarray, int]:
    """Return (runs, seeds): whether each network's accuracy at its last step is high enough; and
    the number of networks for which it is not. steps: the step of each kind of accuracy rows."""
    found, run_of = rows.of(steps.index.to_numpy()), rows.table.run_of
    network = run_of[found["kind"]], found["seed"]
    step = steps.loc[found["kind"]].to_numpy(float)
    last = np.full((run_of.max(initial=0) + 1, len(rows.seeds)), -np.inf)
    np.fmax.at(last, network, step)
    poor = (step == last[network]) & (found["value"] < LEARNED)
    learned = np.ones(last.shape, bool)
    learned[tuple(part[poor] for part in network)] = False
    return learned, int(poor.sum())


def outcome(findings: list[CheckResult]) -> ClaimResult:
    """Return the verdict on a claim, with an error of 5 % for this claim alone."""
    seeds = [found.seeds for found in findings if not found.exact] or [1]
    support = max(found.chance(found.agreeing) for found in findings)
    against = min(found.chance(found.opposing) for found in findings)
    against = min(against * len(findings), 1.0)
    if support <= against:
        found = ClaimResult(min(2 * support, 1.0), SUPPORTED, min(seeds), tests=1)
    else:
        found = ClaimResult(min(2 * against, 1.0), CONTRADICTED, max(seeds), tests=len(findings))
    return _at(found, found.p, claims=1)


def corrected(outcomes: list[ClaimResult]) -> list[ClaimResult]:
    """Return the verdicts on several claims, with an error of 5 % for all of them together. Their p
    values are adjusted (Holm 1979)."""
    p = np.array([found.p for found in outcomes])
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    # Holm stops at the first that fails: it and those after it face this number of claims.
    left = int((adjusted > ALPHA).sum())
    return [
        _at(found, min(p, 1.0), claims=left)
        for found, p in zip(outcomes, adjusted.tolist(), strict=True)
    ]


def _at(found: ClaimResult, p: float, claims: int) -> ClaimResult:
    """Return the outcome with this p. claims: the number of claims that are not yet decided."""
    if found.verdict in (UNDECIDED, TOO_FEW) or p <= ALPHA:
        return found._replace(p=p)
    needed = networks_needed(ALPHA / (found.tests * claims))
    if found.seeds < needed:
        return found._replace(p=p, verdict=TOO_FEW, needed=needed)
    return found._replace(p=p, verdict=UNDECIDED)


def _result(check: Check, sample: Sample, number: int) -> CheckResult:
    own = sample.values[~np.isnan(sample.values)]
    interval = median_interval(own)
    sign, limit = (1, check.above) if check.above is not None else (-1, check.below)
    with np.errstate(invalid="ignore"):
        beyond = sign * (own - limit)
    agreeing, opposing = int((beyond > 0).sum()), int((beyond < 0).sum())
    finite = len(own) > 1 and np.isfinite(beyond).all()
    spread = np.std(beyond, ddof=1) if finite else 0.0
    likeliest = min(sign_probability(count, len(own)) for count in (agreeing, opposing))
    return CheckResult(
        *interval,
        min(2 * likeliest, 1.0),
        _verdict(agreeing, opposing, len(own)),
        len(own),
        number - len(own),
        agreeing,
        float(np.mean(beyond) / spread) if spread > ROUNDING else np.nan,
        opposing,
    )


def _exact_result(check: Check, value: float) -> CheckResult:
    limit = check.above if check.above is not None else check.below
    beyond = value - limit if check.above is not None else limit - value
    agreeing, opposing = int(beyond > 0), int(not beyond > 0)
    verdict = SUPPORTED if agreeing else CONTRADICTED
    return CheckResult(
        value, np.nan, np.nan, 0.0, verdict, 1, 0, agreeing, np.nan, opposing, exact=True
    )


def _verdict(agreeing: int, opposing: int, number: int) -> str:
    """Return the verdict of a check, from the side of the limit on which the interval is: beyond
    the limit, on the other side, or on both."""
    if number < networks_needed(ALPHA):
        return TOO_FEW
    for count, verdict in ((agreeing, SUPPORTED), (opposing, CONTRADICTED)):
        if 2 * sign_probability(count, number) <= ALPHA:
            return verdict
    return UNDECIDED
