"""Figure S6: the geometry of representations, XoR, at matched loss."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.dynamics.xor import CROSSING
from repatlas.inference.pooling import not_diverged
from repatlas.plots.style import GREY, Style, finish, letter, say
from repatlas.studies.gating.look import MARKED, RELU, TANH, draw_band, medians

PANELS = {
    "target": ("target_alignment", None, "Target alignment"),
    "input": ("input_alignment", None, "Input alignment"),
    "parallelism": ("parallelism", 0, "Parallelism of the target"),
    "ccgp": ("ccgp", 0, "CCGP of the target"),
}
"""By panel: measure and `neuron`, with the title. The table has others."""
PLACES = [["target", "input"], ["target", "parallelism"], ["target", "ccgp"]]
CHANCE = 0.5
LINES = (("-", "o"), ("--", "v"), (":", "s"), ("-.", "D"))
"""Line and marker of tanh networks, in the order of their scales."""
FORMS = {"2 pathways": ":", "4 pathways": (0, (4, 1.5))}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 1.16 * style.width))
    top, bottom = figure.subfigures(2, 1, height_ratios=[0.76, 0.34])
    letter(top, "A")
    axes = top.subplot_mosaic(PLACES, width_ratios=[1.6, 1], sharex=True)
    scales = sorted(table.loc[table["network"] == "tanh", "sigma"].dropna().unique())
    for name, (measure, number, title) in PANELS.items():
        ax, rows = axes[name], table[table["measure"] == measure]
        _draw(ax, rows if number is None else rows[rows["neuron"] == number], "delta", scales)
        _draw_forms(ax, table, measure, "delta")
        ax.axvline(CROSSING, color="0.8", linewidth=0.6, zorder=0)
        ax.set_title(title)
    axes["target"].annotate(r"$\Delta^*$", (CROSSING, 0), xycoords=("data", "axes fraction"),
                            xytext=(2, 4), textcoords="offset points", color=GREY)  # fmt: skip
    axes["ccgp"].axhline(CHANCE, color="0.7", linewidth=0.6, linestyle=":", zorder=0)
    axes["ccgp"].set_ylim(-0.05, 1.05)
    axes["ccgp"].set_yticks([0, CHANCE, 1], ["0", "chance", "1"])
    for name in ("target", "ccgp"):
        axes[name].set_xlabel(r"Third input $\Delta$")

    letter(bottom, "B")
    ax = bottom.subplots()
    aligned = table.assign(aligned=_alignment(table["delta"]))
    _draw(ax, aligned[aligned["measure"] == "target_alignment"], "aligned", scales)
    _draw_forms(ax, aligned, "target_alignment", "aligned")
    ax.set(ylabel="Target alignment", xlabel="Input-target alignment")
    handles, names = axes["target"].get_legend_handles_labels()
    if handles:
        top.legend(handles, names, loc="outside lower center", ncols=5, handlelength=1.8)
    alignment = table[table["measure"] == "target_alignment"]
    said = medians(alignment, ["network", "sigma", "delta"])
    finish(
        figure,
        table,
        style,
        f"{said[0].upper()}{said[1:]}, when the loss was "
        "first below 0.01 of that of no output; curves end where no network got there. "
        "\N{GREEK CAPITAL LETTER DELTA}*: both solutions are learned equally fast. "
        "B: target alignment again, against the "
        "alignment of inputs and targets.",
    )
    return figure


def _alignment(delta: pd.Series) -> pd.Series:
    d = delta.astype(float)
    return d**2 / np.sqrt(2 + d**4)


def _draw(ax: Any, rows: pd.DataFrame, x: str, scales: list[float]) -> None:
    """Draw ReLU networks, and tanh networks from each scale of initial weights."""
    rows = not_diverged(rows)
    if rows["value"].isna().all():
        say(ax, "Not in this run" if rows.empty else "No loss fell to this level")
    draw_band(ax, rows[rows["network"] == "relu"], x, RELU, "ReLU", linewidth=0.9, marker="s",
              markerfacecolor="white", **MARKED)  # fmt: skip
    for sigma, (line, marker) in zip(scales, LINES, strict=False):
        chosen = rows[(rows["network"] == "tanh") & (rows["sigma"] == sigma)]
        draw_band(ax, chosen, x, TANH, f"Tanh, g = {sigma:g}", linestyle=line, linewidth=0.9,
                  marker=marker, **MARKED)  # fmt: skip


def _draw_forms(ax: Any, table: pd.DataFrame, measure: str, x: str) -> None:
    rows = table[table["measure"] == f"{measure} in closed form"]
    for variant, line in FORMS.items():
        curve = rows[rows["variant"] == variant].sort_values(x)
        if len(curve):
            ax.plot(
                curve[x], curve["value"], color="0.3", linestyle=line, linewidth=0.8, label=variant
            )
