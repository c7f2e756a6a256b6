"""Verdicts on claims, from the tables of figures.

A check counts networks: by the sign test, how likely it would be that so many of them lie beyond
its limit if the median did not. Two errors are possible. A claim that does not hold is supported
only if each of its checks errs, so that the p of "supported" is the largest of theirs (the
intersection-union test, Berger 1982). One that holds is contradicted if any of its checks errs: the
smallest p, times their number (Bonferroni). The claim's own p is twice the smaller of the two. Holm
(1979) corrects it for the number of claims. A number that belongs to no network (statistic `exact`)
is beyond its limit or is not: its p is 0 or 1.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from repatlas.claims.blocks import Block
from repatlas.claims.ledger import LEARNED, Check, Claim
from repatlas.claims.rows import HAS_SEED, Rows
from repatlas.claims.selection import NoRows, select
from repatlas.claims.statistics import STATISTICS, Sample
from repatlas.inference.intervals import median_interval, networks_needed, sign_probability

SUPPORTED, CONTRADICTED, UNDECIDED = "supported", "contradicted", "undecided"
TOO_FEW, NOT_JUDGED = "too few networks", "not judged"
OTHER_SETTINGS, FACT = "judged on other settings", "exact fact"
"""Verdicts that do not count: the networks are not those of the claim; the checks cannot fail."""
ALPHA = 0.05
EXACT = "exact"
"""The statistic whose number belongs to no network."""
ROUNDING = 1e-12
"""A smaller spread over seeds is none: measures are of order 1, in float64."""


CLAIMS_SCHEMA = pa.schema(
    [
        pa.field("claim", pa.string(), nullable=False),
        pa.field("by", pa.string(), nullable=False),
        pa.field("says", pa.string(), nullable=False),
        pa.field("place", pa.string(), nullable=False),
        pa.field("figure", pa.string(), nullable=False),
        pa.field("other_settings", pa.string()),
        pa.field("not_judged", pa.string()),
        pa.field("fact", pa.string()),
        pa.field("claim_p", pa.float64()),
        pa.field("claim_outcome", pa.string()),
        pa.field("claim_verdict", pa.string(), nullable=False),
        pa.field("claim_corrected_p", pa.float64()),
        pa.field("claim_corrected_verdict", pa.string(), nullable=False),
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
"""One row for each check; one, with nulls, for a claim that is not judged. `other_settings` says in
what the run differs from what the claim is about, `not_judged` why there is no verdict, `fact` why
its checks cannot fail, and `networks_needed` how many there would have to be where there are too
few. `claim_outcome` is what the checks say: supported, contradicted, undecided or too few networks.
`claim_verdict` is the outcome of a claim that counts. For a claim that does not count it is "judged
on other settings" or "exact fact". `number` names the check's number in plain words."""


class Finding(NamedTuple):
    """What became of one check."""

    value: float
    """The median over networks"""
    low: float
    high: float
    p: float
    """The p value of the two-sided sign test"""
    verdict: str
    seeds: int
    """Networks of each kind: the unit"""
    left_out: int
    """Seeds that are there but lack a network, which diverged or did not learn its task, or for
    which the statistic is not defined"""
    agreeing: int
    """Seeds whose own value is beyond the limit"""
    effect_size: float
    """Mean over standard deviation of the seeds' values less the limit; nan where they differ by
    rounding alone"""
    opposing: int
    """Seeds whose own value is on the other side; a value at the limit is on neither"""
    exact: bool = False
    """Whether it is a number that belongs to no network, so that nothing is left to chance"""

    def chance(self, hits: int) -> float:
        """The probability of so many seeds on one side of the limit if the median were not."""
        return float(not hits) if self.exact else sign_probability(hits, self.seeds)


class Outcome(NamedTuple):
    """What became of a claim."""

    p: float
    verdict: str
    seeds: int
    """Networks behind the likelier of the two errors"""
    tests: int
    """Checks any of which could make that error: 1, or all of them"""
    needed: int | None = None
    """Networks that it would need, where there are too few"""


def checks_of(claim: Claim, rows: Rows) -> list[Check]:
    """The checks, repeated for all of what the claim is about."""
    if not claim.for_each:
        return claim.checks
    combinations = rows.kinds[claim.for_each].dropna().drop_duplicates().to_dict("records")
    return [
        check.model_copy(
            # First, since "last" is that of what is selected before it.
            update={"options": check.options | {"of": combination | check.options["of"]}}
        )
        for combination in sorted(combinations, key=lambda values: [*values.values()])
        for check in claim.checks
    ]


def judge(claim: Claim, rows: Rows) -> list[Finding]:
    """The findings of a claim's checks. Raises NoRows where the table lacks what they need."""
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
            findings.append(_exact_finding(check, float(sample.values[0])))
        else:
            findings.append(_finding(check, sample, _seeds_there(claim, check, rows)))
    if not findings:
        raise NoRows(f"the table has no rows with {' and '.join(claim.for_each)}")
    return findings


def _seeds_there(claim: Claim, check: Check, rows: Rows) -> int:
    """Return how many values a check has where no network is left out. A figure may show several
    sweeps, of which one has fewer seeds; and measures of disjoint pairs, which have half as many
    values as there are networks."""
    rows = rows.only(rows.kinds["measure"].isin(check.measures))
    of = check.options.get("of")
    if isinstance(of, dict):
        for column in {*claim.for_each, "network"} & of.keys() & {*rows.kinds.columns}:
            rows = rows.only(rows.kinds[column] == of[column])
        rows = rows.only(rows.kinds["run"].isin(select(rows.kinds, of)["run"].dropna()))
    return rows.number_of_seeds()


def learned_rows(claim: Claim, rows: Rows) -> tuple[Rows, int]:
    """The rows of single networks, without those of networks that have not learned their task, and
    how many these are."""
    kinds = rows.kinds
    rows = rows.only(kinds["run"].notna() & kinds[HAS_SEED] & kinds["contrast"].isna())
    if claim.learned is None:
        return rows, 0
    kinds = rows.kinds
    scores = kinds[(kinds["measure"] == "accuracy") & (kinds["variant"] == claim.learned)]
    learned, poor = [], 0
    for block in rows.blocks:
        of_block = _learned(block, scores["step"])
        learned.append(of_block[0])
        poor += of_block[1]
    return (rows.of_networks(learned) if poor else rows), poor


def _learned(block: Block, steps: pd.Series) -> tuple[np.ndarray, int]:
    """(runs, seeds): whether each network's accuracy, of kinds with these steps, is high enough at
    the last of them; and how many are not."""
    rows = block.of(steps.index.to_numpy())
    network = block.run_of[rows["kind"]], rows["seed"]
    step = steps.loc[rows["kind"]].to_numpy(float)
    last = np.full((block.run_of.max(initial=0) + 1, len(block.seeds)), -np.inf)
    np.fmax.at(last, network, step)
    poor = (step == last[network]) & (rows["value"] < LEARNED)
    learned = np.ones(last.shape, bool)
    learned[tuple(part[poor] for part in network)] = False
    return learned, int(poor.sum())


def outcome(findings: list[Finding]) -> Outcome:
    """The verdict on a claim, at an error of 5 % for this claim alone."""
    seeds = [found.seeds for found in findings if not found.exact] or [1]
    support = max(found.chance(found.agreeing) for found in findings)
    against = min(found.chance(found.opposing) for found in findings)
    against = min(against * len(findings), 1.0)
    if support <= against:
        found = Outcome(min(2 * support, 1.0), SUPPORTED, min(seeds), tests=1)
    else:
        found = Outcome(min(2 * against, 1.0), CONTRADICTED, max(seeds), tests=len(findings))
    return _at(found, found.p, claims=1)


def corrected(outcomes: list[Outcome]) -> list[Outcome]:
    """The same for claims all of which together err in 5 % (Holm 1979), their p so adjusted."""
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


def _at(found: Outcome, p: float, claims: int) -> Outcome:
    """The outcome with this p, as one of so many claims that are not decided."""
    if found.verdict in (UNDECIDED, TOO_FEW) or p <= ALPHA:
        return found._replace(p=p)
    needed = networks_needed(ALPHA / (found.tests * claims))
    if found.seeds < needed:
        return found._replace(p=p, verdict=TOO_FEW, needed=needed)
    return found._replace(p=p, verdict=UNDECIDED)


def _finding(check: Check, sample: Sample, number: int) -> Finding:
    own = sample.values[~np.isnan(sample.values)]
    interval = median_interval(own)
    sign, limit = (1, check.above) if check.above is not None else (-1, check.below)
    with np.errstate(invalid="ignore"):
        beyond = sign * (own - limit)
    agreeing, opposing = int((beyond > 0).sum()), int((beyond < 0).sum())
    finite = len(own) > 1 and np.isfinite(beyond).all()
    spread = np.std(beyond, ddof=1) if finite else 0.0
    likeliest = min(sign_probability(count, len(own)) for count in (agreeing, opposing))
    return Finding(
        *interval,
        min(2 * likeliest, 1.0),
        _verdict(agreeing, opposing, len(own)),
        len(own),
        number - len(own),
        agreeing,
        float(np.mean(beyond) / spread) if spread > ROUNDING else np.nan,
        opposing,
    )


def _exact_finding(check: Check, value: float) -> Finding:
    limit = check.above if check.above is not None else check.below
    beyond = value - limit if check.above is not None else limit - value
    agreeing, opposing = int(beyond > 0), int(not beyond > 0)
    verdict = SUPPORTED if agreeing else CONTRADICTED
    return Finding(
        value, np.nan, np.nan, 0.0, verdict, 1, 0, agreeing, np.nan, opposing, exact=True
    )


def _verdict(agreeing: int, opposing: int, number: int) -> str:
    """Says where the interval lies: beyond the limit, on the other side of it, or neither."""
    if number < networks_needed(ALPHA):
        return TOO_FEW
    for count, verdict in ((agreeing, SUPPORTED), (opposing, CONTRADICTED)):
        if 2 * sign_probability(count, number) <= ALPHA:
            return verdict
    return UNDECIDED
