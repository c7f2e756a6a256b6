"""Measures of variables and their null distributions."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.inference.nulls import MOVED, SHUFFLED
from repatlas.plots.marks import draw_line, violin
from repatlas.plots.palette import BAND, DARK, ORANGE, SKY
from repatlas.plots.representations import chosen, cut, grid, panels_of, title_of
from repatlas.plots.style import CHARACTER, Style, note_under, say, small_type

NULLS = {SHUFFLED: BAND, MOVED: SKY}
"""The colour of each null."""
FEW = 6
"""Representations whose names stand side by side in a quarter of a figure's width."""


def draw_nulls(table: pd.DataFrame, style: Style) -> Any:
    """Return a figure with a panel for each measure and variable.

    A panel has the value of each representation, with its interval, over its nulls.
    """
    from matplotlib.patches import Patch

    panels = panels_of(table)
    shown, more = chosen(table)
    columns = 4 if len(shown) <= FEW else 2
    names = list(map(cut, shown.values()))
    figure, axes = grid(len(panels), style, height=1.15, most=columns)
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + CHARACTER * max(map(len, names)) * small_type() / 72)
    lowest = axes[-columns:]  # of each column: the others have the same axis
    for ax, (measure, about) in zip(axes, panels, strict=True):
        own = table[(table["measure"] == measure) & (table["about"].fillna("") == about)]
        for place, (name, order) in enumerate(shown):
            draw_with_nulls(
                ax, own[(own["order"] == order) & (own["representation"] == name)], place
            )
        if not own["value"].notna().any():
            say(ax, own["reason"].dropna().iloc[0])
        ax.set_xticks(range(len(shown)), names, rotation=90)
        ax.tick_params(labelbottom=ax in lowest)
        ax.set_xlim(-0.6, len(shown) - 0.4)
        ax.set_title(title_of(measure, about))
    handles = [Patch(color=colour, label=f"null: {name}") for name, colour in NULLS.items()]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
    bars = ", with 95 % intervals where there are any" if table["low"].notna().any() else ""
    draws = f"{table['draw'].max() + 1:.0f} draws each" if table["draw"].notna().any() else "none"
    note = f"Dots: values{bars}. Nulls: {draws}.{more}"
    note_under(figure, style, note)
    return figure


def draw_with_nulls(ax: Any, own: pd.DataFrame, place: int) -> None:
    nulls = [name for name in NULLS if (own["variant"] == name).any()]
    for number, name in enumerate(nulls):
        draws = own["value"][own["variant"] == name].dropna().to_numpy(dtype=float)
        if len(draws) < 2:
            continue
        at = place + (number - (len(nulls) - 1) / 2) * 0.36
        if np.ptp(draws) > 0:
            violin(ax, draws, at, NULLS[name])
        ax.plot([at - 0.12, at + 0.12], [np.median(draws)] * 2, color=DARK, linewidth=0.6)
    value = own[own["draw"].isna() & own["value"].notna()]
    draw_line(ax, value.assign(place=place), "place", bars=0.9, color=ORANGE, linestyle="none",
              marker="o", markersize=3, zorder=3)  # fmt: skip
