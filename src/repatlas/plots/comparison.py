"""Two kinds of networks over training (Figure S2), and contrasts of networks (Figures 8, S2)."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.dots import draw_dots, mark_zero, name_dots
from repatlas.plots.panels import TITLES, Conditions, draw_over_training, panel_names
from repatlas.plots.style import GREY, Style, letter, small_type


def draw_comparison(
    table: pd.DataFrame,
    style: Style,
    conditions: Conditions,
    contrast: pd.DataFrame,
    beside: Conditions,
    looks: dict[str, dict],
    nothing: str,
) -> Figure:
    """Draw the measures over training in A and a contrast in B. The caller labels B and finishes
    the figure."""
    figure = Figure(figsize=(style.width, 1.2 * style.width))
    part_a, part_b = figure.subfigures(2, 1, height_ratios=[1.4, 1])
    single = table[table["contrast"].isna()]
    letter(part_a, "A")
    draw_over_training(part_a, single, style, conditions)

    letter(part_b, "B")
    names = beside.present(table)
    draw_contrasts(part_b, contrast, panel_names(single), names, beside.column, looks, nothing)
    return figure


def draw_contrasts(
    part: Any,
    contrast: pd.DataFrame,
    rows: dict[tuple[str, float], str],
    names: dict[str, str],
    beside: str,
    looks: dict[str, dict],
    nothing: str,
) -> Any:
    """Draw a contrast with its interval for each measure and sigma_test of `rows`, and return the
    axes.

    Each value of the column `beside` has its name and its look. Rows without a contrast say
    `nothing`.
    """
    ax = part.subplots()
    looks = {value: looks[value] for value in names}
    # Without noise it is 0, as in the names of panels.
    contrast = contrast[contrast["measure"].isin(TITLES)].fillna({"deviation": 0.0})
    draw_dots(ax, contrast, ["measure", "deviation"], rows, beside, looks, nothing)
    if len(contrast):
        found = set(contrast[["measure", "deviation"]].itertuples(index=False, name=None))
        for place, key in enumerate(rows):
            if key not in found:
                ax.text(0.5, place, nothing, transform=ax.get_yaxis_transform(), ha="center",
                        va="center", size=small_type(), color=GREY)  # fmt: skip
        missing = set(names) - set(contrast[beside])
        names = names | {value: f"{names[value]}: no pair" for value in missing}
    above = {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "frameon": False}
    name_dots(ax, looks, names, ncols=len(names), **above)
    mark_zero(ax)
    return ax
