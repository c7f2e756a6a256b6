"""Medians with their intervals, as dots in rows with names."""

from typing import Any

import pandas as pd

from repatlas.inference.pooling import refuse_mixed_kinds
from repatlas.plots.marks import draw_line
from repatlas.plots.palette import WHITE
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
    refuse_mixed_kinds(rows, [*named, beside])
    if not len(rows):
        say(ax, nothing)
        return
    keys = [key if isinstance(key, tuple) else (key,) for key in names]
    places = pd.Series(range(len(keys)), index=keys)
    found = pd.Series([*rows[named].itertuples(index=False, name=None)], index=rows.index)
    rows = rows.assign(place=found.map(places)).dropna(subset="place")
    for number, (value, look) in enumerate(looks.items()):
        aside = SPREAD * ((number + 0.5) / len(looks) - 0.5)
        own = rows[rows[beside] == value]
        own = own.assign(place=own["place"] + aside)
        draw_line(ax, own, "place", bars=0.8, across=True, **MARKED | look)
        for row in own.itertuples() if "text" in own else ():
            ax.annotate(
                row.text,
                (row.value if pd.isna(row.high) else row.high, row.place),
                # Words are higher than the dots are apart.
                xytext=(4, 2 * (len(looks) - 1 - 2 * number)),
                textcoords="offset points",
                va="center",
                size=small_type(),
                color=look["color"],
                # The box is over the line at 0 and under all dots; words in one row hide nothing.
                bbox={"facecolor": WHITE, "linewidth": 0, "pad": 0.3} if len(looks) == 1 else None,
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
