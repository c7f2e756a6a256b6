"""The claims as a page to read."""

from collections import Counter
from collections.abc import Iterator

import pandas as pd

from repatlas.claims.claims_file import OWNERS
from repatlas.claims.rule import (
    DEPENDS,
    FAILS,
    IN_OUR_SETTING,
    NOT_REPRODUCED,
    PASSES,
    REPRODUCED,
)
from repatlas.claims.sentences import main_check, what_was_found
from repatlas.claims.verdicts import FACT, NO_NUMBER, NOT_JUDGED, TOO_FEW

OF_SETTINGS = (REPRODUCED, DEPENDS, NOT_REPRODUCED, IN_OUR_SETTING)
ORDER = (*OF_SETTINGS, TOO_FEW, NO_NUMBER, NOT_JUDGED, FACT)
"""All verdicts, in the order in which they are counted."""
UNCOUNTED = {NO_NUMBER, NOT_JUDGED, FACT}
PREVIEW = "This is a preview: few networks on coarse grids. It judges no claim."
HOW = """\
Verdicts are by the rule in docs/guide/verdicts.md, which defines all words of this page. *Found* is
the median over networks with its 95 % interval. The claims file has the reason of each limit."""
TITLES = (
    "claim",
    "where",
    "verdict",
    "found",
    "limit",
    "control",
    "holds in",
    "networks",
    "figure",
)


def claims_page(rows: pd.DataFrame, preview: bool) -> str:
    """Return the page in Markdown: how many claims have which verdict, and a line for each."""
    counts = [counted(rows, by) for by in OWNERS if by in {*rows["by"]}]
    lines = ["# The claims, judged", ""]
    lines += [PREVIEW] if preview else [*(f"- {each}" for each in counts), "", HOW]
    lines += ["", f"| {' | '.join(TITLES)} |", "|---" * len(TITLES) + "|"]
    lines += [f"| {' | '.join(map(_cell, cells))} |" for cells in _lines(rows, preview)]
    return "\n".join(lines) + "\n"


def _lines(rows: pd.DataFrame, preview: bool) -> Iterator[list[str]]:
    for name, about in rows.fillna({"why": ""}).groupby("claim", sort=False):
        first = about.iloc[0]
        checks = [] if preview else list(about[about["check"].notna()].itertuples())
        main = main_check(checks, first["ours"])
        yield [
            f"{name}. {first['says']}",
            first["place"]
            if first["place"].lower().startswith(first["by"])
            else f"{first['by']}, {first['place']}",
            verdict_in_words(first),
            "" if main is None else what_was_found(main),
            "" if first["limit"] == "ours" else first["limit"].replace("_", " "),
            first["control"] if first["control"] in (FAILS, PASSES) else "",
            first["holds_in"] if isinstance(first["holds_in"], str) else "",
            "; ".join(text for text in first[["data", "other_networks"]] if isinstance(text, str)),
            first["figure"],
        ]


def verdict_in_words(claim: pd.Series) -> str:
    """Return the verdict on a claim, and what decides it. The file has why it is a fact."""
    word, why, needed = claim["claim_verdict"], claim["why"], claim["networks_needed"]
    if word in (FACT, NO_NUMBER):
        why = None
    if word == TOO_FEW and pd.notna(needed):
        why = f"{needed:.0f} needed"
    return f"**{word}**" + (f": {why}" if isinstance(why, str) and why else "")


def counted(rows: pd.DataFrame, by: str) -> str:
    """Return how many claims of this source have which verdict, by what our networks are to the
    source's. What does not count is named last."""
    verdicts = rows.drop_duplicates("claim")
    mine = verdicts[verdicts["by"] == by]
    judged = mine[~mine["claim_verdict"].isin(UNCOUNTED)]
    parts = [
        f"in the {label}: {_counts(of_label)}" if label else _counts(of_label)
        for label, of_label in judged.fillna({"data": ""}).groupby("data", sort=False)
    ]
    rest = _counts(mine[mine["claim_verdict"].isin(UNCOUNTED)])
    owner = OWNERS[by][0].upper() + OWNERS[by][1:]
    parts += [f"not counted: {rest}"] if rest else []
    return f"{owner} {len(mine)} claims: {'; '.join(parts)}."


def counts_of_others(rows: pd.DataFrame) -> str:
    """Return how many claims of named people have which verdict, apart for each label of the data.
    Others are not judged."""
    verdicts = rows.drop_duplicates("claim")
    theirs = verdicts[verdicts["by"] != "ours"]
    judged = theirs[theirs["claim_verdict"].isin(OF_SETTINGS)]
    groups = judged.groupby("data", sort=False)
    parts = [f"{label}: {_counts(of_label.assign(ours=None))}" for label, of_label in groups]
    return "; ".join([*parts, f"{len(theirs) - len(judged)} others"])


def _counts(claims: pd.DataFrame) -> str:
    """Return how many of these claims have which verdict."""
    ours = claims["ours"].where(claims["claim_verdict"] == IN_OUR_SETTING)
    of_ours = [f"{number} {word}" for word, number in Counter(ours.dropna()).items()]
    counts = Counter(claims["claim_verdict"])
    return ", ".join(
        f"{counts[word]} {word}"
        + (f" ({', '.join(of_ours)})" if of_ours and word == IN_OUR_SETTING else "")
        for word in ORDER
        if counts[word]
    )


def _cell(text: str) -> str:
    """Return text for the cell of a Markdown table, with escaped bars."""
    return text.replace("|", "\\|")
