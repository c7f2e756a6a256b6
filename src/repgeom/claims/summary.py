"""The claims as a page to read."""

from collections import Counter

import numpy as np
import pandas as pd

from repgeom.claims.ledger import Claim
from repgeom.claims.verdicts import CONTRADICTED, NOT_RUN, SUPPORTED, UNDECIDED

ORDER = (SUPPORTED, CONTRADICTED, UNDECIDED, NOT_RUN)


def claims_page(claims: list[Claim], rows: pd.DataFrame, preview: bool) -> str:
    """Markdown: the counts, a line for each claim, and every check."""
    verdicts = _verdicts(rows)
    lines = ["# The claims, judged", ""]
    if preview:
        lines += ["**Preview: the first seeds of coarse grids. These are no results.**", ""]
    lines += [
        result(rows),
        "",
        "The unit is the network, paired across activations by its seed. A check is supported if"
        " its 95 % bootstrap interval lies beyond its limit, contradicted if on the other"
        " side; a claim is supported if all of its checks are, and contradicted if any is."
        f" Corrected: the same with intervals at which all {rows['check'].notna().sum()} checks"
        " together err in 5 % (Bonferroni). Left out: networks that diverged or did not learn"
        " their task.",
        "",
        "| claim | by | where | verdict | corrected | figure |",
        "|---|---|---|---|---|---|",
    ]
    for claim in claims:
        found = verdicts.loc[claim.id]
        lines.append(
            f"| {claim.id}. {claim.claim} | {claim.by} | {claim.where} |"
            f" {_marked(found['claim_verdict'])} | {found['claim_family_verdict']} |"
            f" {claim.figure} |"
        )
    lines += ["", "## Every check", ""]
    for claim in claims:
        lines += _checks(claim, rows[rows["claim"] == claim.id])
    return "\n".join(lines)


def result(rows: pd.DataFrame) -> str:
    """The result in one paragraph: the counts, and each of the paper's claims that was run and is
    not supported."""
    verdicts = _verdicts(rows)
    sentences = [counted(rows, by) for by in ("paper", "ours")]
    paper = verdicts[verdicts["by"] == "paper"]
    for verdict in (CONTRADICTED, UNDECIDED):
        found = paper[paper["claim_verdict"] == verdict]
        texts = [f"({row.Index}) {row.says.rstrip('.')}" for row in found.itertuples()]
        if texts:
            sentences.append(f"{verdict.capitalize()}: {'; '.join(texts)}.")
    return " ".join(sentences)


def _verdicts(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each claim."""
    return rows.drop_duplicates("claim").set_index("claim")


def counted(rows: pd.DataFrame, by: str) -> str:
    """How many claims have which verdict, in a sentence."""
    of = {"paper": "Of the paper's", "ours": "Of our own"}[by]
    verdicts = _verdicts(rows)
    mine = verdicts[verdicts["by"] == by]
    parts = []
    for column in ("claim_verdict", "claim_family_verdict"):
        counts = Counter(mine[column])
        parts.append(", ".join(f"{counts[name]} {name}" for name in ORDER if counts[name]))
    return f"{of} {len(mine)} claims: {parts[0]} (corrected for their number: {parts[1]})."


def _sweeps(claim: Claim) -> str:
    return f" Sweeps: {', '.join(claim.sweeps)}." if claim.sweeps else ""


def _marked(verdict: str) -> str:
    return verdict if verdict == SUPPORTED else f"**{verdict}**"


def _checks(claim: Claim, rows: pd.DataFrame) -> list[str]:
    lines = [
        f"### {claim.id}. {claim.claim}",
        "",
        f"Statistic: {claim.statistic}. Contradicted by {claim.contradicted_by}.{_sweeps(claim)}",
        "",
    ]
    if rows["check"].isna().all():
        return [*lines, "Not run.", ""]
    lines += [
        "| check | expected | found | 95 % interval | seeds (left out) | agreeing | effect size |"
        " verdict |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows.itertuples():
        size = "" if np.isnan(row.effect_size) else f"{row.effect_size:.1f}"
        out = f" ({row.left_out:.0f})" if row.left_out else ""
        lines.append(
            f"| {row.statistic} | {row.expected} | {number(row.value)} |"
            f" {number(row.low)} to {number(row.high)} | {row.seeds:.0f}{out} |"
            f" {row.agreeing:.0f} | {size} | {_marked(row.verdict)} |"
        )
    return [*lines, ""]


def number(value: float) -> str:
    return f"{value:.3g}"
