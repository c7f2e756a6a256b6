"""The claims as a page to read."""

from collections import Counter

import numpy as np
import pandas as pd

from repatlas.claims.ledger import OWNERS, Claim
from repatlas.claims.verdicts import CONTRADICTED, NOT_JUDGED, SUPPORTED, TOO_FEW, UNDECIDED

ORDER = (SUPPORTED, CONTRADICTED, UNDECIDED, TOO_FEW, NOT_JUDGED)


def claims_page(claims: list[Claim], rows: pd.DataFrame, preview: bool) -> str:
    """Markdown: the counts, a line for each claim, and every check."""
    verdicts = _verdicts(rows)
    lines = ["# The claims, judged", "", result(rows, preview), ""]
    if not preview:
        lines += [
            "The unit is the network, paired across activations by its seed. A statistic gives one"
            " number for each network; what is found is their median, with its exact 95 % interval"
            " (order statistics), which holds for any distribution over networks and needs 6 of"
            " them. A check is supported if the interval lies beyond its limit, contradicted if it"
            " lies on the other side. p: of the sign test, two-sided. A claim is supported if"
            " all of its checks are, and contradicted if one is by more than their number explains"
            " (Bonferroni), each at an error of 5 %. Corrected: the same at an error of 5 % for all"
            " claims of one source together (Holm). Left out: networks that"
            " diverged or did not learn their task.",
            "",
        ]
        if any(check.statistic == "exact" for claim in claims for check in claim.checks):
            lines += [
                "A check called exact is about a number that follows from a task or a theory alone:"
                " it has no interval, and no networks behind it.",
                "",
            ]
    lines += ["| claim | by | where | verdict | corrected | figure |", "|---|---|---|---|---|---|"]
    for claim in claims:
        found = verdicts.loc[claim.id]
        lines.append(
            f"| {claim.id}. {claim.claim} | {claim.by} | {claim.where} |"
            f" {_marked(found['claim_verdict'])}{_remark(found)} | {_corrected(found)} |"
            f" {claim.figure} |"
        )
    lines += ["", "## Every check", ""]
    for claim in claims:
        lines += _checks(claim, rows[rows["claim"] == claim.id])
    return "\n".join(lines)


def result(rows: pd.DataFrame, preview: bool = False) -> str:
    """The result in Markdown: the counts, a list of the papers' claims that are contradicted, and
    the numbers of those that could not be decided."""
    if preview:
        return "This is a preview: few networks on coarse grids. It judges no claim."
    parts = [" ".join(counts(rows))]
    verdicts = _verdicts(rows)
    paper = verdicts[(verdicts["by"] != "ours") & verdicts["other_settings"].isna()]
    against = paper[paper["claim_verdict"] == CONTRADICTED]
    if len(against):
        listed = "\n".join(f"- ({row.Index}) {row.says}" for row in against.itertuples())
        parts.append(f"{CONTRADICTED.capitalize()}:\n\n{listed}")
    for verdict in (UNDECIDED, TOO_FEW):
        names = paper.index[paper["claim_verdict"] == verdict]
        if len(names):
            parts.append(f"{verdict.capitalize()}: {', '.join(names)}.")
    return "\n\n".join(parts)


def counts(rows: pd.DataFrame) -> list[str]:
    """How many claims have which verdict: a sentence for each source that has claims."""
    there = set(rows["by"])
    return [counted(rows, by) for by in OWNERS if by in there]


def counted(rows: pd.DataFrame, by: str) -> str:
    """How many claims of this source have which verdict, in a sentence. Those that were judged on
    other settings than they are about are counted apart."""
    verdicts = _verdicts(rows)
    mine = verdicts[verdicts["by"] == by]
    other = mine["other_settings"].notna()
    parts = []
    for column in ("claim_verdict", "claim_corrected_verdict"):
        counts = Counter(mine.loc[~other, column])
        parts.append([f"{counts[name]} {name}" for name in ORDER if counts[name]])
    if other.any():
        parts[0].append(f"{other.sum()} judged on other settings only")
    found = f"Of {OWNERS[by]} {len(mine)} claims: {', '.join(parts[0])}"
    return f"{found} (corrected for their number: {', '.join(parts[1]) or 'none judged'})."


def _verdicts(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each claim."""
    return rows.drop_duplicates("claim").set_index("claim")


def _corrected(found: pd.Series) -> str:
    needed = found["networks_needed"]
    return found["claim_corrected_verdict"] + ("" if pd.isna(needed) else f" ({needed:.0f} needed)")


def _remark(found: pd.Series) -> str:
    if isinstance(found["other_settings"], str):
        return f", on other settings: {_cell(found['other_settings'])}"
    if isinstance(found["not_judged"], str):
        return f": {_cell(found['not_judged'])}"
    return ""


def _cell(text: str) -> str:
    """Text for the cell of a Markdown table."""
    return text.replace("|", "\\|")


def _marked(verdict: str) -> str:
    return verdict if verdict == SUPPORTED else f"**{verdict}**"


def _checks(claim: Claim, rows: pd.DataFrame) -> list[str]:
    about = f" It is about the networks of {', '.join(claim.settings)}." if claim.settings else ""
    lines = [
        f"### {claim.id}. {claim.claim}",
        "",
        f"Statistic: {claim.statistic}. Contradicted by {claim.contradicted_by}.{about}",
        "",
    ]
    first = rows.iloc[0]
    if rows["check"].isna().all():
        return [*lines, f"Not judged: {first['not_judged']}.", ""]
    if isinstance(first["other_settings"], str):
        lines += [f"Judged on other settings: {first['other_settings']}.", ""]
    lines += [
        f"p = {number(first['claim_p'])}, corrected {number(first['claim_corrected_p'])}.",
        "",
        "| check | expected | median | 95 % interval | networks (left out) | agreeing | p |"
        " effect size | verdict |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows.itertuples():
        size = "" if np.isnan(row.effect_size) else f"{row.effect_size:.1f}"
        out = f" ({row.left_out:.0f})" if row.left_out else ""
        networks = "none" if row.statistic.startswith("exact:") else f"{row.seeds:.0f}{out}"
        lines.append(
            f"| {row.statistic} | {row.expected} | {number(row.value)} |"
            f" {interval(row.low, row.high)} | {networks} |"
            f" {row.agreeing:.0f} | {number(row.p)} | {size} | {_marked(row.verdict)} |"
        )
    return [*lines, ""]


def number(value: float) -> str:
    return f"{value:.3g}"


def interval(low: float, high: float) -> str:
    """From low to high; a dash where there are too few networks for one."""
    return "-" if np.isnan(low) else f"{number(low)} to {number(high)}"
