"""The claims as a page to read."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pandas as pd

from repatlas.claims.ledger import OWNERS, Check, Claim
from repatlas.claims.main_check import main_check
from repatlas.claims.sentences import found_in_short, interval, number, we_find
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

HELD, AGAINST = (SUPPORTED,), (CONTRADICTED,)
OPEN = (UNDECIDED, TOO_FEW, OTHER_SETTINGS, NO_NUMBER, NOT_JUDGED)
ORDER = (*HELD, *AGAINST, *OPEN, FACT)
"""All verdicts, in the order in which they are counted."""
PREVIEW = "This is a preview: few networks on coarse grids. It judges no claim."
HOW = """\
These verdicts are of one setting, and many limits are ours. The rule for verdicts, which replaces
this one, is written, and its numbers are not there yet: docs/guide/verdicts.md.

A claim of a paper is our paraphrase, in one sentence, of the passage that the column *where* names.
The unit is the network, paired across activations by its seed. A statistic gives one number for
each network, or for each disjoint pair of networks. The page shows the median of these numbers
with its exact 95 % interval (order statistics), which holds for any distribution over networks and
needs 6 numbers. Where a claim compares all pairs of networks, a network's number is its jackknife
pseudo-value. The median is then the similarity of two typical networks, and its interval is not
exact: in simulations it held this similarity in 94.9 % or more, also of skewed networks. A check is
supported if the interval lies beyond its limit, and contradicted if the interval lies on the
other side. p is the two-sided p value of the sign test. A claim is supported if all of its checks
are supported. It is contradicted if one check is contradicted by more than the number of checks
explains (Bonferroni). Each verdict has an error of 5 %. The corrected verdict has an error of 5 %
for all claims of one source together (Holm). Networks that diverged or did not learn their task
are left out.

Some claims do not count. A claim is judged on other settings if our networks or data are not
those that its authors wrote about; its outcome here is shown beside it. An exact fact cannot
fail, whatever networks learn. A check called exact is about a number that follows from a task or
a theory: it has no interval, and no networks behind it."""
WITHOUT_NUMBER = """\
Some claims have no number in the words: their limit is ours alone, so that what was found is shown,
and not judged."""
MANY_SETTINGS = """\
The verdicts are about one setting: ours. The claims of some figures were also judged in many
settings of the choices that the paper leaves open ([how](../guide/multiverse.md), [every
number](multiverse.md), [values and their reasons](../studies/multiverse.md)). These settings have
fewer networks, and fewer values along the axes of a figure. The last column says in how many of
them a claim holds. It names the value of a choice, if there is one, with which the claim holds more
or less often than with others."""


def claims_page(
    claims: list[Claim],
    rows: pd.DataFrame,
    preview: bool,
    settings: Mapping[str, str] | None = None,
) -> str:
    """Return the page in Markdown: what was found, a line for each claim, and every check. A claim
    is in the words in which it was judged. How it is tested is there if the claims file says so.

    settings: by the number of a claim, in how many settings of a multiverse it holds, in words.
    """
    verdicts = _verdicts(rows)
    lines = ["# The claims, judged", ""]
    settings = settings or {}
    lines += [PREVIEW, ""] if preview else [*_what_was_found(rows, settings), HOW, ""]
    lines += [WITHOUT_NUMBER, ""] if (verdicts["claim_verdict"] == NO_NUMBER).any() else []
    lines += [MANY_SETTINGS, ""] if settings else []
    titles = ["claim", "by", "where", "verdict", "corrected", "figure"]
    titles += ["other settings"] if settings else []
    lines += [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for name, found in verdicts.iterrows():
        lines.append(
            f"| {name}. {found['says']} | {found['by']} | {found['place']} |"
            f" {_marked(found['claim_verdict'])}{_remark(found)} | {_corrected(found)} |"
            f" {found['figure']} |" + (f" {settings.get(name, '')} |" if settings else "")
        )
    lines += ["", "## Every check", ""]
    known = {claim.id: claim for claim in claims}
    for name, of_claim in rows.groupby("claim", sort=False):
        lines += _checks(known.get(name), of_claim)
    return "\n".join(lines)


def result(rows: pd.DataFrame, page: str, settings: Mapping[str, str] | None = None) -> str:
    """Return the result in Markdown, in at most three points: what held, what was not confirmed,
    and what could not be decided. `page` is the link to the page of all claims. settings: as in
    `claims_page`."""
    held, against = _papers(rows, HELD), _papers(rows, AGAINST)
    example = f" {_sentence(*held[0])}" if held else ""
    points = [f"- **Held:** {_shares(rows)}.{example} [All claims]({page})."]
    if against:
        link = page.replace("claims.md", "multiverse.md")
        open_choices = f" Settings are of [choices that the paper leaves open]({link})."
        points.append(
            f"- **Not confirmed:** {len(against)} claim{'s' * (len(against) != 1)}."
            + (open_choices if settings else "")
        )
        points += [f"  - {_short(*each)}{_elsewhere(each[0], settings)}" for each in against]
    if open_ := _open(rows):
        points.append(f"- **Not decided:** {open_}.")
    return "\n".join(points)


def counted(rows: pd.DataFrame, by: str) -> str:
    """Return how many claims of this source have which verdict, in a sentence. Exact facts are
    counted apart."""
    verdicts = _verdicts(rows)
    mine = verdicts[verdicts["by"] == by]
    facts = mine["claim_verdict"] == FACT
    parts = []
    for column in ("claim_verdict", "claim_corrected_verdict"):
        counts = Counter(mine.loc[~facts, column])
        parts.append([f"{counts[name]} {name}" for name in ORDER if counts[name]])
    found = f"Of {OWNERS[by]} {(~facts).sum()} claims: {', '.join(parts[0]) or 'none'}"
    if parts[0] != parts[1]:
        found += f" (corrected for their number: {', '.join(parts[1])})"
    return f"{found}." + (f" Not counted: {_facts(int(facts.sum()))}." if facts.any() else "")


def _facts(number: int) -> str:
    return f"{number} exact fact{'s' * (number != 1)}"


def _what_was_found(rows: pd.DataFrame, settings: Mapping[str, str]) -> list[str]:
    """Return the counts, and the papers' claims that did not hold or could not be tested, each with
    its number."""
    there = set(rows["by"])
    lines = [counted(rows, by) for by in OWNERS if by in there]
    lines = [" ".join(lines), ""]
    for title, verdicts in (
        ("Not confirmed", AGAINST),
        ("Not decided", (UNDECIDED, TOO_FEW, NOT_JUDGED)),
        ("No number in the words", (NO_NUMBER,)),
        ("Judged on other settings than the authors'", (OTHER_SETTINGS,)),
    ):
        found = _papers(rows, verdicts)
        if found:
            points = [f"- {_sentence(*each)}{_elsewhere(each[0], settings)}" for each in found]
            lines += [f"{title}:", "", *points, ""]
    return lines


def _papers(rows: pd.DataFrame, verdicts: tuple[str, ...]) -> list[tuple]:
    """Return the claims of the papers that have one of these verdicts, each with the row of the
    check that stands for it, or None."""
    chosen = rows[(rows["by"] != "ours") & rows["claim_verdict"].isin(verdicts)]
    return [
        (about, main_check(list(about[about["check"].notna()].itertuples()), _outcome(about)))
        for _, about in chosen.groupby("claim", sort=False)
    ]


def _outcome(about: pd.DataFrame) -> str | None:
    return about["claim_outcome"].iloc[0]


def _sentence(about: pd.DataFrame, main) -> str:
    """Return a claim with what was found of it."""
    first = about.iloc[0]
    ending = we_find(main) if main is not None else f"Not judged: {first['not_judged']}."
    return f"({first['claim']}) {first['says'].rstrip('.')}. {ending}"


def _elsewhere(about: pd.DataFrame, settings: Mapping[str, str] | None) -> str:
    """Return a further sentence: in how many settings of a multiverse a claim holds."""
    found = (settings or {}).get(about["claim"].iloc[0])
    return f" It {found}." if found else ""


def _short(about: pd.DataFrame, main) -> str:
    """Return a claim with the number that was found, without its interval."""
    first = about.iloc[0]
    return f"({first['claim']}) {first['says'].rstrip('.')}. {found_in_short(main)}"


def _shares(rows: pd.DataFrame) -> str:
    """Return how many claims of each source held, of those tested in the settings that they are
    about."""
    verdicts = _verdicts(rows)
    verdicts = verdicts[verdicts["claim_verdict"].isin((*HELD, *AGAINST, UNDECIDED, TOO_FEW))]
    parts = []
    for by, whose in OWNERS.items():
        mine = verdicts.loc[verdicts["by"] == by, "claim_verdict"]
        if len(mine):
            parts.append(f"{mine.isin(HELD).sum()} of {whose} {len(mine)} tested claims")
    return ", ".join(parts) or "none, since none was tested"


def _open(rows: pd.DataFrame) -> str:
    """Return how many claims of the papers could not be decided, by the reason."""
    counts = {verdict: len(_papers(rows, (verdict,))) for verdict in OPEN}
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)


def _verdicts(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each claim."""
    return rows.drop_duplicates("claim").set_index("claim")


def _corrected(found: pd.Series) -> str:
    needed = found["networks_needed"]
    return found["claim_corrected_verdict"] + ("" if pd.isna(needed) else f" ({needed:.0f} needed)")


def _remark(found: pd.Series) -> str:
    """Return, after the verdict, why it does not count or why there is none."""
    if isinstance(found["not_judged"], str):
        return f": {_cell(found['not_judged'])}"
    if found["claim_verdict"] == OTHER_SETTINGS:
        return f" ({_cell(found['other_settings'])}), there {found['claim_outcome']}"
    return ""


def _cell(text: str) -> str:
    """Return text for the cell of a Markdown table, with escaped bars."""
    return text.replace("|", "\\|")


def _marked(verdict: str) -> str:
    return verdict if verdict in (SUPPORTED, FACT) else f"**{verdict}**"


def _checks(claim: Claim | None, rows: pd.DataFrame) -> list[str]:
    first = rows.iloc[0]
    lines = [f"### {first['claim']}. {first['says']}", ""]
    if claim is not None and _judged_as_now(claim, rows):
        about = f" It is about the networks of {', '.join(claim.settings)}." * bool(claim.settings)
        how = f"Tested by: {claim.statistic}. Contradicted by: {claim.contradicted_by}.{about}"
        lines += [how, ""]
    lines += [f"An exact fact: {first['fact']}.", ""] if isinstance(first["fact"], str) else []
    if rows["check"].isna().all():
        return [*lines, f"Not judged: {first['not_judged']}.", ""]
    if isinstance(first["other_settings"], str):
        lines += [f"Judged on other settings: {first['other_settings']}.", ""]
    lines += [
        f"p = {number(first['claim_p'])}{_corrected_p(first)}.",
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


def _judged_as_now(claim: Claim, rows: pd.DataFrame) -> bool:
    """Return whether rows were judged by the words and the checks that the claims file has. Checks
    that were made for each value of a column begin with this value."""
    made = rows[rows["check"].notna()]
    every = claim.checks * (len(made) // max(len(claim.checks), 1))
    return (
        claim.claim == rows["says"].iloc[0]
        and len(every) == len(made)
        and all(map(str.endswith, made["statistic"], (_tail(check) for check in every)))
        and list(made["expected"]) == [check.expected for check in every]
    )


def _tail(check: Check) -> str:
    return check.description.partition(": ")[2]


def _corrected_p(found: pd.Series) -> str:
    p = found["claim_corrected_p"]
    return "" if pd.isna(p) else f", corrected {number(p)}"
