"""Numbers and sentences as the report page has them."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from repatlas.claims.sentences import interval, number, we_find
from repatlas.claims.summary import ORDER, OWNERS
from repatlas.claims.verdicts import (
    CONTRADICTED,
    EXACT,
    FACT,
    NO_NUMBER,
    NOT_JUDGED,
    OTHER_SETTINGS,
    TOO_FEW,
)
from repatlas.plots.minus import typeset
from repatlas.report.rows import Row


def certainty(check) -> str:
    """Return the interval of a check, or why it has none."""
    if check.statistic.startswith(f"{EXACT}:"):
        return "exact: no networks behind it"
    if np.isnan(check.low):
        return f"no interval (n = {check.seeds:.0f})"
    return f"95 % interval {interval(check.low, check.high)}"


def figure_name(name: str) -> str:
    """Return the name of a figure in a text: fig01 is Figure 1, figS4 is Figure S4, and over_layers
    is over layers."""
    found = re.fullmatch(r"fig0?(\w+)", name)
    return f"Figure {found[1]}" if found else name.replace("_", " ")


def in_all(rows: Sequence[Row]) -> list[str]:
    """Return how many claims of each source have which verdict. Exact facts are left out."""
    sentences = []
    for by, whose in OWNERS.items():
        mine = [row for row in rows if row.about.by == by and row.verdict != FACT]
        if not mine:
            continue
        parts = _counts([row.verdict for row in mine])
        sentences.append(f"Of {whose} {len(mine)} claims {_are(parts)}.")
        if by == "paper" and [row.verdict for row in mine] != [row.corrected for row in mine]:
            parts = _counts([row.corrected for row in mine])
            sentences.append(f"Corrected for their number, {_are(parts)}.")
    return sentences


def verdict_sentence(rows: Sequence[Row]) -> str:
    """Return what became of the claims tested on one figure; an empty text without claims."""
    if not rows:
        return ""
    claims = f"{len(rows)} claim{'s' * (len(rows) != 1)}"
    verdicts = {row.verdict for row in rows}
    if verdicts == {TOO_FEW}:
        return f"Too few networks to judge the {claims} tested on this figure."
    if verdicts == {NOT_JUDGED}:
        reasons = "; ".join(dict.fromkeys(row.not_judged for row in rows))
        return f"Not judged: the {claims} tested on this figure ({reasons})."
    sentence = f"Of the {claims} tested on this figure {_are(_counts([r.verdict for r in rows]))}."
    if len(rows) == 1:
        sentence = f"The one claim tested on this figure is {_word(rows[0].verdict)}."
    elif len(verdicts) == 1:
        sentence = f"All {claims} tested on this figure are {_word(rows[0].verdict)}."
    against = [not_confirmed(row) for row in rows if row.verdict == CONTRADICTED]
    return " ".join([sentence, *against])


def not_confirmed(row: Row) -> str:
    """Return a contradicted claim, in a sentence that cannot be read as true, with its number."""
    claim = row.about.claim.rstrip(".")
    return f"Not confirmed: ({row.about.id}) {claim}. {typeset(we_find(row.main))}"


def _counts(verdicts: list[str]) -> list[str]:
    """Return the number of claims with each verdict, in the order of the verdicts."""
    counts = Counter(verdicts)
    return [f"{counts[name]} {_word(name)}" for name in ORDER if counts[name]]


def _word(verdict: str) -> str:
    """Return the verdict as it follows "is" or "are"."""
    words = {TOO_FEW: "not decidable from so few networks"}
    words |= {FACT: "exact by construction", OTHER_SETTINGS: "judged on other settings only"}
    words |= {NO_NUMBER: "without a number in the words"}
    return words.get(verdict, verdict)


def _are(parts: list[str]) -> str:
    """Return counts as words: "33 are supported, 5 contradicted and 6 undecided"."""
    if not parts:
        return "none was judged"
    count, _, verdict = parts[0].partition(" ")
    first = f"{count} {'is' if count == '1' else 'are'} {verdict}"
    return " and ".join(filter(None, [", ".join([first, *parts[1:-1]]), *parts[1:][-1:]]))


SERIES = ("activation", "network", "variant", "readout")
"""Columns that tell the lines of a figure apart; the first that has several values does."""
AXES = (
    *("delta", "noise_variance", "alignment", "layer", "contexts", "step"),
    *("depth", "width", "cluster"),
)
"""Columns that a figure goes along; the first that has several values."""
TELLING = (
    *("target_alignment", "input_alignment", "parallelism", "ccgp"),
    *("decoding_trained", "decoding_untrained"),
)
"""Measures from 0 to 1, which say something without the picture. Others, such as losses or what a
ratio has where its divisor is nearly 0, do not."""
MEASURES, LINES = 6, 4
"""A listener follows at most this number of measures, and of lines of each measure."""
WORDS = {"ccgp": "CCGP", "relu": "ReLU", "gelu": "GELU"}
NAMES = {"alignment": "input-output alignment"}
"""The names of axes that differ from their columns."""
LONG = 1e6
NOTHING = 1e-9
"""Smaller numbers are 0 except for rounding."""


def described(name: str, table: pd.DataFrame, finding: str = "", about: str = "") -> str:
    """Return a figure in words, for readers who do not see it.

    The words are what was found, what is drawn, and medians over networks at both ends of the axis,
    for measures whose size has a meaning. For a table of a user's representations they are the
    median over these, and the range.
    """
    if "representation" in table:
        return _representations_sentence(name, table)
    said = " ".join(filter(None, [f"{figure_name(name)}.", finding, about]))
    rows = table[table["value"].notna() & table["contrast"].isna()]
    measures = [m for m in TELLING if m in set(rows["measure"])]
    if not measures or rows["run"].isna().all():  # no network is behind it
        return f"{said} The caption says what each panel shows."
    sentences = [_along(each, rows[rows["measure"] == each]) for each in measures[:MEASURES]]
    return f"{said} Medians over networks. {' '.join(sentences)}"


def _representations_sentence(name: str, table: pd.DataFrame) -> str:
    rows = table[table["value"].notna()]
    if "draw" in rows:
        rows = rows[rows["draw"].isna()]  # nulls have many draws
    sentences = []
    for measure, values in rows.groupby("measure", sort=False)["value"]:
        low, middle, high = map(_rounded, (values.min(), values.median(), values.max()))
        title = _words(measure)
        many = "values" if len(values) > 1 else "value"
        sentences.append(
            f"{title[0].upper()}{title[1:]}: {middle}, median of {len(values)} {many}"
            f" between {low} and {high}."
        )
    shown = " ".join(sentences[:MEASURES]) or "the caption says what it shows."
    return f"{figure_name(name)}: {shown}"


def _along(measure: str, rows: pd.DataFrame) -> str:
    axis = _first_of(AXES, rows)
    if axis != "step" and rows["step"].notna().any():
        rows = rows[rows["step"] == rows["step"].max()]  # the end of training
    series = _first_of(SERIES, rows)
    groups = list(rows.groupby(series, sort=False)) if series else [("", rows)]
    parts = [f"{_words(key)} {_ends(axis, group)}".strip() for key, group in groups[:LINES]]
    if len(groups) > LINES:
        parts.append(f"and {len(groups) - LINES} more")
    ends = ""
    if axis is not None and rows[axis].nunique() > 1:
        low, high = rows[axis].min(), rows[axis].max()
        ends = f" from {NAMES.get(axis, _words(axis))} {_rounded(low)} to {_rounded(high)}"
    title = _words(measure)
    return f"{title[0].upper()}{title[1:]}{ends}: {', '.join(parts)}."


def _ends(axis: str | None, rows: pd.DataFrame) -> str:
    if axis is None or rows[axis].nunique() < 2:
        return _rounded(rows["value"].median())
    medians = rows.groupby(axis)["value"].median().sort_index()
    return f"{_rounded(medians.iloc[0])} to {_rounded(medians.iloc[-1])}"


def _rounded(value: float) -> str:
    """Return a number with at most two digits after the point. Short whole numbers stay as they
    are."""
    if abs(value) < NOTHING:
        return "0"
    if abs(value) > LONG:
        return number(value, 2)
    return f"{value:.2f}".rstrip("0").rstrip(".").replace("-", "\N{MINUS SIGN}")


def _words(name: str) -> str:
    for word, shown in WORDS.items():
        name = re.sub(rf"\b{word}\b|(?<=_){word}\b", shown, name)
    return typeset(name).replace("_", " ")


def _first_of(columns: tuple[str, ...], rows: pd.DataFrame) -> str | None:
    return next((c for c in columns if c in rows and rows[c].nunique() > 1), None)
