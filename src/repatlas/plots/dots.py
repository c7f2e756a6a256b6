"""Medians with their intervals, as dots in rows with names."""

from typing import Any

import pandas as pd

from repatlas.inference.pooling import refuse_pooling
from repatlas.plots.style import SMALLEST_RANGE, say, small_type

SPREAD = 0.55
"""How far the dots of one name spread; names are 1 apart."""
MARKED = {"linestyle": "none", "marker": "o", "markersize": 2.6}


def draw_dots(
    ax: Any,
    rows: pd.DataFrame,
    named: list[str],
    names: dict[Any, str],
    beside: str,
    looks: dict[str, dict],
    nothing: str,
) -> None:
    """Draw `value` as dots with bars from `low` to `high`, from the top down in the order of
    `names`.

    The values of the columns `named` are the names. A column `text`, if any, is written to the
    right of the bar. Values of the column `beside` have dots below each other in a row, each with
    its look. Without rows the panel says `nothing`.
    """
    refuse_pooling(rows, [*named, beside])
    if not len(rows):
        say(ax, nothing)
        return
    alone = len(looks) == 1
    for number, (value, look) in enumerate(looks.items()):
        offset = SPREAD * ((number + 0.5) / len(looks) - 0.5)
        at = rows[rows[beside] == value].set_index(named)
        for place, key in enumerate(names):
            if key not in at.index:
                continue
            row = at.loc[key]
            # The median of few networks has no interval.
            low, high = row[["low", "high"]].astype(float).fillna(row["value"])
            ax.errorbar(
                row["value"],
                place + offset,
                xerr=[[row["value"] - low], [high - row["value"]]],
                **MARKED | {"elinewidth": 0.8} | look,
            )
            ax.annotate(
                row.get("text", ""),
                (high, place + offset),
                # Words are higher than the dots are apart.
                xytext=(4, 2 * (len(looks) - 1 - 2 * number)),
                textcoords="offset points",
                va="center",
                size=small_type(),
                color=look["color"],
                # The box is over the line at 0 and under all dots; words in one row hide nothing.
                bbox={"facecolor": "white", "linewidth": 0, "pad": 0.3} if alone else None,
                zorder=1.5,
            )
    ax.set(ylim=(len(names) - 0.5, -0.5))
    ax.set_yticks(range(len(names)), list(names.values()))


def set_range(ax: Any) -> None:
    """Set the range of the axis from the dots that are drawn, and limit its labels."""
    low, high = ax.get_xlim()
    missing = max(SMALLEST_RANGE - (high - low), 0)
    ax.set_xlim(low - missing / 2, high + missing / 2)
    ax.locator_params(axis="x", nbins=4)


def mark_zero(ax: Any) -> None:
    ax.axvline(0, color="0.7", linewidth=0.6, linestyle=":", zorder=0)


def name_dots(ax: Any, looks: dict[str, dict], names: dict[str, str], **legend: Any) -> None:
    """Add a legend. In a panel it needs a frame: its dots could be taken for means."""
    for value, look in looks.items():
        ax.errorbar([], [], **MARKED | look, label=names[value])
    ax.legend(**{"handlelength": 1} | legend)
