"""Contrasts of networks, a row for each measure (Figures 8 and S2)."""

from typing import Any

import pandas as pd

from repatlas.plots.dots import draw_dots, mark_zero, name_dots
from repatlas.plots.panels import TITLES
from repatlas.plots.style import GREY, small_type


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
    above = {"loc": "lower center", "bbox_to_anchor": (0.5, 1)}
    name_dots(ax, looks, names, ncols=len(names), **above)
    mark_zero(ax)
    return ax
