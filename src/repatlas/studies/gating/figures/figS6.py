"""Figure S6: the geometry of representations, XoR, at matched loss."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.dynamics.xor import CROSSING
from repatlas.plots.style import Style, finish, letter, say
from repatlas.studies.gating.look import MARKED, RELU, TANH, draw_band, number_of_seeds

PANELS = {
    ("target_alignment", None): "Target alignment",
    ("input_alignment", None): "Input alignment",
    ("parallelism", 0): "Parallelism of the target",
    ("ccgp", 0): "CCGP of the target",
    ("decoding", 1): "Decoding of the first input",
    ("participation_ratio", None): "Participation ratio",
}
KINDS = {
    ("relu", None): ("ReLU", RELU, "-", ""),
    ("tanh", 0.1): ("Tanh, g = 0.1", TANH, "-", "o"),
    ("tanh", 1.0): ("Tanh, g = 1", TANH, "--", "v"),
}
"""By kind and size of its weights: name, colour, line and marker."""
FORMS = {"2 pathways": ":", "4 pathways": (0, (4, 1.5))}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 1.2 * style.width))
    top, bottom = figure.subfigures(2, 1, height_ratios=[2, 0.95])
    letter(top, "A")
    axes = top.subplots(2, 3, sharex=True)
    for ax, ((measure, number), title) in zip(axes.flat, PANELS.items(), strict=True):
        rows = table[table["measure"] == measure]
        _draw(ax, rows if number is None else rows[rows["neuron"] == number], "delta")
        _draw_forms(ax, table, measure, "delta")
        ax.axvline(CROSSING, color="0.8", linewidth=0.6, zorder=0)
        ax.set_title(title)
        if measure in ("ccgp", "decoding"):
            ax.set_ylim(-0.05, 1.05)
    for ax in axes[-1]:
        ax.set_xlabel(r"Third input $\Delta$")
    top.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=5,
               handlelength=1.8)  # fmt: skip

    letter(bottom, "B")
    axes = bottom.subplots(1, 3)
    aligned = table.assign(aligned=_alignment(table["delta"]))
    for ax, measure in zip(axes, ("target_alignment", "input_alignment"), strict=False):
        _draw(ax, aligned[aligned["measure"] == measure], "aligned")
        _draw_forms(ax, aligned, measure, "aligned")
        ax.set(title=PANELS[measure, None], xlabel="Input-target alignment")
    _draw(axes[2], table[table["measure"] == "reached"], "delta")
    axes[2].set(title="Networks compared", xlabel=r"Third input $\Delta$", ylim=(-0.03, 1.05))
    finish(
        figure,
        table,
        style,
        "Medians with 95 % intervals over "
        f"{number_of_seeds(table[table['measure'] == 'target_alignment'])}, when the loss was "
        "first below 0.01 of that of no output. Grey line: where the solutions are learned equally "
        "fast. B: the same against the alignment of inputs and targets; right: the share that got "
        "there.",
    )
    return figure


def _alignment(delta: pd.Series) -> pd.Series:
    d = delta.astype(float)
    return d**2 / np.sqrt(2 + d**4)


def _draw(ax: Any, rows: pd.DataFrame, x: str) -> None:
    if rows.empty:
        say(ax, "Not in this run")
    for (network, sigma), (name, colour, line, marker) in KINDS.items():
        chosen = rows[rows["network"] == network]
        if sigma is not None:
            chosen = chosen[np.isclose(chosen["sigma"].astype(float), sigma)]
        draw_band(ax, chosen, x, colour, name, linestyle=line, linewidth=0.9, marker=marker,
                  **MARKED)  # fmt: skip


def _draw_forms(ax: Any, table: pd.DataFrame, measure: str, x: str) -> None:
    rows = table[table["measure"] == f"{measure} in closed form"]
    for variant, line in FORMS.items():
        curve = rows[rows["variant"] == variant].sort_values(x)
        if len(curve):
            ax.plot(
                curve[x], curve["value"], color="0.3", linestyle=line, linewidth=0.8, label=variant
            )
