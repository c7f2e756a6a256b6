"""Figure S2: where the theory breaks."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.style import Style, finish, letter, say
from repatlas.studies.gating.look import FITTED, RELU, number_of_seeds, with_interval

MEASURES = {
    "D1": "Largest difference D1",
    "D4": "Largest relative lag D4",
    "R2": "$1-R^2$ of the loss curve",
}
LOOKS = (("next seed", RELU, "o"), ("relu", FITTED, "s"))
"""What networks are compared with, and how it is drawn."""
WIDTH, SIGMA = 700, 0.005 / 700


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 0.95 * style.width))
    parts = figure.subfigures(2, 1)
    for part, mark, blocks in zip(parts, ("A", "B"), ("heterogeneous", "homogeneous"), strict=True):
        letter(part, mark)
        axes = part.subplots(1, len(MEASURES) + 1, width_ratios=[1, 1, 1, 0.9])
        rows = table[(table["measure"] == "agreement") & (table["blocks"] == blocks)]
        for ax, (variant, title) in zip(axes, MEASURES.items(), strict=False):
            _draw_scales(ax, rows[rows["variant"] == variant], variant)
            ax.set_title(title)
        _draw_widths(axes[-1], rows[rows["variant"] == "D1"])
        axes[0].set_ylabel(f"{blocks.capitalize()} task")
    finish(
        figure,
        table,
        style,
        "Squares: K-flow with the recruitment fitted at 700 units and a scale of "
        "$7.1\\times 10^{-6}$ (vertical line), against "
        f"{number_of_seeds(table[table['measure'] == 'agreement'])}: medians and 95 % intervals "
        "where there are networks enough. Circles: agreement from seed to seed, for scale. "
        "Last column: D1 by width.",
    )
    return figure


def _draw_scales(ax: Any, rows: pd.DataFrame, variant: str) -> None:
    rows = rows[rows["width"] == WIDTH]
    if variant == "R2":
        rows = rows.assign(value=1 - rows["value"])
    for reference, colour, marker in LOOKS:
        found = with_interval(rows[rows["reference"] == reference], ["sigma"])
        if len(found):
            ax.plot(found["sigma"], found["value"], color=colour, marker=marker, markersize=3,
                    linewidth=0.7)  # fmt: skip
            ax.vlines(found["sigma"].astype(float), found["low"].astype(float),
                      found["high"].astype(float), color=colour, linewidth=1)  # fmt: skip
    ax.set(xscale="log", xlabel=r"$\sigma$")
    if rows[rows["reference"] == "relu"].empty:
        say(ax, "No fit in this run")
        return
    ax.axvline(SIGMA, color="0.7", linewidth=0.6, linestyle=":")
    if rows["value"].gt(0).any():
        ax.set_yscale("log")


def _draw_widths(ax: Any, rows: pd.DataFrame) -> None:
    rows = rows[np.isclose(rows["sigma"].astype(float), SIGMA)]
    for reference, colour, marker in LOOKS:
        found = with_interval(rows[rows["reference"] == reference], ["width"])
        if len(found):
            ax.plot(found["width"], found["value"], marker, color=colour, markersize=3)
            ax.vlines(found["width"].astype(float), found["low"].astype(float),
                      found["high"].astype(float), color=colour, linewidth=1)  # fmt: skip
    if rows[rows["reference"] == "relu"].empty:
        say(ax, "No fit")
    ax.set(xlabel="Units", title="D1", xscale="log", xlim=(130, 3100))
    widths = sorted(rows["width"].dropna().unique())
    ax.set_xticks([float(w) for w in widths], [str(w) for w in widths])
    ax.minorticks_off()
    if rows["value"].gt(0).any():
        ax.set_yscale("log")
