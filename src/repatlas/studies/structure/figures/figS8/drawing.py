"""Figure S8: effective weights of each layer of deep networks, and their gradient field."""

from itertools import cycle
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.inference.pooling import not_diverged
from repatlas.plots.curves import DASHES, draw_curves, handles_of
from repatlas.plots.style import (
    Style,
    activation_name,
    activations,
    finish,
    letter,
    say,
)
from repatlas.plots.trajectories import draw_trajectories
from repatlas.plots.words import mean_and_networks, why_nothing

RANGE = (-0.03, 1.03)
RANDOM = 0.25
"""The fraction of inter-selective units if all directions in the plane are equally likely."""
GUIDE = {"color": "0.3", "linewidth": 0.6, "zorder": 0}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    shown, nothing = not_diverged(table), why_nothing(table)
    depths = sorted(table["depth"].dropna().unique().astype(int))
    names = activations(table)
    figure = Figure(figsize=(style.width, 0.9 * style.width))
    above, below = figure.subfigures(2, 1, height_ratios=[1.3, 1])
    left, right = above.subfigures(1, 2, width_ratios=[1.55, 1])

    letter(left, "A")
    key = left.subplots()
    _draw_layers(key, shown, "inter_selective", depths, style, nothing)
    key.set(title="After training", ylabel="Fraction of inter-selective units", ylim=RANGE)
    key.axhline(RANDOM, **GUIDE)
    letter(right, "B")
    agreement = right.subplots()
    _draw_layers(agreement, shown, "field_agreement", depths, style, nothing)
    agreement.set(title="Start of training", ylabel="Cosine of expected and actual change")
    agreement.axhline(1, **GUIDE)

    parts = below.subfigures(1, max(len(depths), 1), squeeze=False)[0]
    for part, depth, name in zip(parts, depths, "CD", strict=False):
        letter(part, name)
        axes = part.subplots(1, max(len(names), 1), squeeze=False)[0]
        for ax, activation in zip(axes, names, strict=False):
            title = f"{activation_name(activation)}, layer {depth} of {depth}"
            rows = _last_layer(table, depth)
            draw_trajectories(
                ax, rows, activation, style, title, heights=_heights(rows, activation)
            )
            ax.set_xlabel("Intra-class weight")
        axes[0].set_ylabel("Inter-class weight")

    handles = handles_of(names, style)
    handles += [
        Line2D([], [], color="0.3", linestyle=dashes, label=f"{depth} layers")
        for depth, dashes in zip(depths, cycle(DASHES), strict=False)
    ]
    handles.append(Line2D([], [], label="A: random directions", **GUIDE))
    above.legend(handles=handles, loc="outside upper center", ncols=max(len(handles), 1),
                 borderpad=0, handlelength=1.8)  # fmt: skip
    finish(
        figure,
        table,
        style,
        f"A, B: {mean_and_networks(table, 'inter_selective')}. C, D: units of one network whose "
        "effective readout is positive, on the expected gradient before training; "
        "inter-selective: inter > |intra| at the end, mean over all networks.",
    )
    return figure


def _draw_layers(
    ax: Any, shown: pd.DataFrame, measure: str, depths: list[int], style: Style, nothing: str
) -> None:
    """Draw a statistic of each layer, with dashes by the number of layers."""
    rows = shown[shown["measure"] == measure]
    if not len(rows):
        say(ax, nothing)
        return
    draw_curves(ax, rows, "layer", style, nothing, "depth", depths, spread="networks")
    for line in ax.lines:
        line.set_markevery(None)  # there are few layers
    deepest = max(depths)
    ax.set_xticks([1, 5, deepest] if deepest > 5 else range(1, deepest + 1))
    ax.set_xlabel("Layer")


def _heights(rows: pd.DataFrame, activation: str) -> tuple[float, float] | None:
    """Return limits that make a square panel, as wide as the field; None without a field."""
    field = rows[(rows["measure"] == "field") & (rows["activation"] == activation)]
    return (-field["inter"].max(), field["inter"].max()) if len(field) else None


def _last_layer(table: pd.DataFrame, depth: int) -> pd.DataFrame:
    """Return the rows of the last layer of the networks of this depth, with the field."""
    of_depth = table[table["depth"] == depth]
    return of_depth[(of_depth["layer"] == depth) | of_depth["layer"].isna()]
