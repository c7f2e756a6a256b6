"""Figure S6: the geometry of representations, XoR, at matched loss."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.dynamics.xor import CROSSING
from repatlas.inference.pooling import not_diverged
from repatlas.plots.style import Style, finish, letter, say
from repatlas.studies.gating.look import MARKED, RELU, TANH, draw_band, medians

PANELS = {
    ("target_alignment", None): "Target alignment",
    ("input_alignment", None): "Input alignment",
    ("parallelism", 0): "Parallelism of the target",
    ("ccgp", 0): "CCGP of the target",
    ("decoding", 1): "Decoding of the first input",
    ("participation_ratio", None): "Participation ratio",
}
LINES = (("-", "o"), ("--", "v"), (":", "s"), ("-.", "D"))
"""Line and marker of tanh networks, in the order of their scales."""
FORMS = {"2 pathways": ":", "4 pathways": (0, (4, 1.5))}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 1.2 * style.width))
    top, bottom = figure.subfigures(2, 1, height_ratios=[2, 0.95])
    letter(top, "A")
    axes = top.subplots(2, 3, sharex=True)
    scales = sorted(table.loc[table["network"] == "tanh", "sigma"].dropna().unique())
    for ax, ((measure, number), title) in zip(axes.flat, PANELS.items(), strict=True):
        rows = table[table["measure"] == measure]
        _draw(ax, rows if number is None else rows[rows["neuron"] == number], "delta", scales)
        _draw_forms(ax, table, measure, "delta")
        ax.axvline(CROSSING, color="0.8", linewidth=0.6, zorder=0)
        ax.set_title(title)
        if measure in ("ccgp", "decoding"):
            ax.set_ylim(-0.05, 1.05)
    for ax in axes[-1]:
        ax.set_xlabel(r"Third input $\Delta$")

    letter(bottom, "B")
    axes = bottom.subplots(1, 3)
    aligned = table.assign(aligned=_alignment(table["delta"]))
    for ax, measure in zip(axes, ("target_alignment", "input_alignment"), strict=False):
        _draw(ax, aligned[aligned["measure"] == measure], "aligned", scales)
        _draw_forms(ax, aligned, measure, "aligned")
        ax.set(title=PANELS[measure, None], xlabel="Input-target alignment")
    _draw(axes[2], table[table["measure"] == "reached"], "delta", scales)
    found: dict[str, Any] = {}
    for ax in figure.axes:  # a kind whose loss did not fall is in the last panel alone
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(name, handle)
    if found:
        top.legend(found.values(), found.keys(), loc="outside lower center", ncols=5,
                   handlelength=1.8)  # fmt: skip
    axes[2].set(title="Networks compared", xlabel=r"Third input $\Delta$", ylim=(-0.03, 1.05))
    alignment = table[table["measure"] == "target_alignment"]
    said = medians(alignment, ["network", "sigma", "delta"])
    finish(
        figure,
        table,
        style,
        f"{said[0].upper()}{said[1:]}, when the loss was "
        "first below 0.01 of that of no output. Grey line: where the solutions are learned equally "
        "fast. B: the same against the alignment of inputs and targets; right: the share that got "
        "there.",
    )
    return figure


def _alignment(delta: pd.Series) -> pd.Series:
    d = delta.astype(float)
    return d**2 / np.sqrt(2 + d**4)


def _draw(ax: Any, rows: pd.DataFrame, x: str, scales: list[float]) -> None:
    """ReLU networks, and those of tanh from each scale of initial weights."""
    rows = not_diverged(rows)
    if rows["value"].isna().all():
        say(ax, "Not in this run" if rows.empty else "No loss fell to this level")
    draw_band(ax, rows[rows["network"] == "relu"], x, RELU, "ReLU", linewidth=0.9)
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
