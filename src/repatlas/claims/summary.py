"""The claims as a page to read."""

from collections import Counter
from collections.abc import Mapping

import pandas as pd

from repatlas.claims.claims_file import OWNERS
from repatlas.claims.main_check import main_check
from repatlas.claims.sentences import what_was_found
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

ORDER = (
    *(SUPPORTED, CONTRADICTED, UNDECIDED, TOO_FEW, OTHER_SETTINGS, NO_NUMBER),
    *(NOT_JUDGED, FACT),
)
"""All verdicts, in the order in which they are counted."""
PREVIEW = "This is a preview: few networks on coarse grids. It judges no claim."
HOW = """\
These verdicts are of one setting, ours, and many limits are ours. The rule that will
replace them is in docs/guide/verdicts.md, with how to read this page."""
WITHOUT_NUMBER = """\
Some claims have no number in the words: what was found is shown, and not judged."""
MANY_SETTINGS = """\
The paper leaves choices open. The last column has the settings of these in which a claim holds, and
the value that decides ([shares](multiverse.md), [values](../studies/verdict-plan.md))."""


def claims_page(rows: pd.DataFrame, preview: bool, settings: Mapping[str, str]) -> str:
    """Return the page in Markdown: how many claims have which verdict, and a line for each.

    settings: by the number of a claim, in how many settings of a multiverse it holds, in words.
    """
    verdicts = _verdicts(rows)
    counts = [counted(rows, by) for by in OWNERS if by in {*rows["by"]}]
    lines = ["# The claims, judged", "", *([PREVIEW] if preview else [" ".join(counts), "", HOW])]
    lines += ["", WITHOUT_NUMBER] if (verdicts["claim_verdict"] == NO_NUMBER).any() else []
    lines += ["", MANY_SETTINGS] if settings else []
    titles = ["claim", "by", "where", "verdict", "found", "figure"]
    titles += ["holds in"] if settings else []
    lines += ["", f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for name, about in rows.groupby("claim", sort=False):
        first = about.iloc[0]
        main = main_check(list(about[about["check"].notna()].itertuples()), first["claim_outcome"])
        cells = [
            f"{name}. {first['says']}",
            first["by"],
            first["place"],
            f"{_marked(first['claim_verdict'])}{_remark(first)}{_corrected(first)}",
            "" if main is None or preview else _cell(what_was_found(main)),
            first["figure"],
        ]
        cells += [settings.get(name, "")] if settings else []
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


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


def _verdicts(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each claim."""
    return rows.drop_duplicates("claim").set_index("claim")


def _corrected(found: pd.Series) -> str:
    """Return the corrected verdict, and how many networks it needs, where it says more."""
    corrected, needed = found["claim_corrected_verdict"], found["networks_needed"]
    more = "" if pd.isna(needed) else f" ({needed:.0f} needed)"
    return f"; corrected: {corrected}{more}" if more or corrected != found["claim_verdict"] else ""


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
