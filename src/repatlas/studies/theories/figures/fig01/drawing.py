"""Figure 1: theories against networks."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from repatlas.inference.intervals import median_interval
from repatlas.plots.style import Style, finish, letter, say, small_type
from repatlas.plots.words import why_nothing
from repatlas.studies.theories.families import FAMILIES
from repatlas.studies.theories.figures.fig01.table import OTHERS
from repatlas.theories.errors import THEORIES

LIMIT = 0.1
"""A theory holds if the interval of its error ends at or below it, and fails if it begins above."""
PANELS = {"loss_error": "Loss", "alignment_error": "Target alignment"}
COLOURS = {"holds": "#c9b8e8", "open": "#e9e2f5", "fails": "#d9d9d9"}
SIGNS = {"holds": "", "open": "?", "fails": "\u00d7"}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 0.95 * style.width))
    there = [each for each in FAMILIES if (table["family"] == each).any()]
    parts = figure.subfigures(2, 1, height_ratios=[1, 1.32])
    for part, mark, (measure, title) in zip(parts, "AB", PANELS.items(), strict=True):
        letter(part, mark)
        ax = part.subplots()
        if not there:
            say(ax, why_nothing(table))
            continue
        _draw(ax, table[table["measure"] == measure], there)
        last = measure == list(PANELS)[-1]
        names = [each.replace("relu", "ReLU").replace("xor", "XoR") for each in there]
        ax.set_xticks(range(len(there)), names if last else [], rotation=35, ha="right")
        ax.set_title(f"{title}: error, limit {LIMIT:g}")
    finish(
        figure,
        table,
        style,
        "Median over seeds; below it, the error of the other seeds. Violet: the interval ends below"
        " the limit. Grey: it begins above. ?: neither. Empty: does not apply.",
    )
    return figure


def _draw(ax: Any, rows: pd.DataFrame, there: list[str]) -> None:
    for (family, theory), found in rows.groupby(["family", "variant"], sort=False):
        if theory not in THEORIES:
            continue
        others = rows[(rows["family"] == family) & (rows["variant"] == OTHERS)]["value"]
        x, y = there.index(family), THEORIES.index(theory)
        of = median_interval(found["value"].to_numpy())
        outcome = verdict(of.low, of.high)
        ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, fc=COLOURS[outcome], ec="white"))
        text = f"{SIGNS[outcome]} {short(of.value)}".strip()
        if len(others):
            text += f"\n{short(others.median())}"
        box = {"facecolor": COLOURS[outcome], "edgecolor": "none", "pad": 0}
        ax.text(x, y, text, ha="center", va="center", size=small_type(), bbox=box)
    ax.set(xlim=(-0.5, len(there) - 0.5), ylim=(len(THEORIES) - 0.5, -0.5))
    ax.set_yticks(range(len(THEORIES)), THEORIES)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def verdict(low: float, high: float) -> str:
    """Return what the interval of an error says of a theory.

    >>> verdict(0.02, 0.1), verdict(0.05, 0.2), verdict(0.2, 0.3)
    ('holds', 'open', 'fails')
    """
    if high <= LIMIT:
        return "holds"
    return "fails" if low > LIMIT else "open"


def short(value: float) -> str:
    """Return an error in a few signs."""
    if not np.isfinite(value):
        return "∞"
    return "> 1" if value > 1 else f"{value:.3f}"
