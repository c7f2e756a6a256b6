"""Figure 2: XoR with a third input, and its two solutions."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.dynamics.xor import CROSSING, LAST_OF_FOUR
from repatlas.plots.schematic import VIEW, draw_edges
from repatlas.plots.style import CLASS_COLOURS, Style, finish, letter, say
from repatlas.studies.gating.look import (
    FITTED,
    RELU,
    draw_band,
    draw_matrix,
    label,
    losses,
    medians,
    number_of_seeds,
)

POSITIVE = (0, 3)
"""The items whose class is positive."""
IN_ROW = 4
"""The most panels of D side by side."""
PATHWAYS = {
    "B": ("2 pathways", [[1, 0, 0, 1], [0, 1, 1, 0]]),
    "C": ("4 pathways", np.eye(4)),
}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    curves = losses(table)
    deltas_of_curves = sorted(curves["delta"].dropna().unique())
    rows = max(-(-len(deltas_of_curves) // IN_ROW), 1)
    heights = [0.35, 0.3 * rows, 0.34]
    figure = Figure(figsize=(style.width, sum(heights) * style.width))
    top, middle, bottom = figure.subfigures(3, 1, height_ratios=heights)
    left, right = top.subfigures(1, 2, width_ratios=[1.5, 1])
    letter(left, "A")
    inputs = table[table["measure"] == "input"]
    deltas = sorted(inputs["delta"].unique())
    for ax, delta in zip(left.subplots(1, len(deltas)), deltas, strict=True):
        _draw_items(ax, inputs[inputs["delta"] == delta], delta)

    for part, (mark, (title, gates)) in zip(right.subfigures(1, 2), PATHWAYS.items(), strict=True):
        letter(part, mark)
        ax = part.subplots()
        draw_matrix(ax, -np.asarray(gates, float), title)
        ax.set_yticks(range(len(gates)), range(1, len(gates) + 1))
        ax.set_xticks(range(4), ["$x_1$", "$x_2$", "$x_3$", "$x_4$"])
        ax.set_ylabel("Pathway")
        ax.tick_params(length=0)

    letter(middle, "D")
    columns = max(-(-len(deltas_of_curves) // rows), 1)
    axes = middle.subplots(rows, columns, sharey=True, squeeze=False)
    for ax, delta in zip(axes.flat, deltas_of_curves, strict=False):
        _draw_losses(ax, table, delta)
    for ax in axes.flat[len(deltas_of_curves) :]:
        ax.set_axis_off()
    if not deltas_of_curves:
        axes[0, 0].set_axis_on()
        say(axes[0, 0], "No loss in this run")
    for ax in axes[:, 0]:
        ax.set_ylabel("Loss")

    letter(bottom, "E")
    _draw_share(bottom.subplots(), table)
    shares = table[table["measure"] == "items_share"]
    finish(
        figure,
        table,
        style,
        "A: circles the positive class. B, C: blue, the items for which a pathway is on. D: thin, "
        f"{number_of_seeds(curves)}; dashed, the logistic of the faster pathways from one fitted "
        "strength for each \N{GREEK CAPITAL LETTER DELTA}. E: after the last epoch, "
        f"{medians(shares, ['delta'])}.",
    )
    return figure


def _draw_items(ax: Any, rows: pd.DataFrame, delta: float) -> None:
    places = rows.pivot_table(index="cluster", columns="neuron", values="value").to_numpy() @ VIEW.T
    draw_edges(ax, places)
    for item, place in enumerate(places):
        positive = item in POSITIVE
        ax.plot(
            *place, "o" if positive else "s", color=CLASS_COLOURS[int(not positive)], markersize=4
        )
        ax.annotate(f"$x_{item + 1}$", place, xytext=(3, 3), textcoords="offset points")
    reach = 2.6
    ax.set(xlim=(-1.6, 1.9), ylim=(-reach, reach), aspect="equal")
    ax.set_axis_off()
    is_crossing = np.isclose(delta, CROSSING)
    title = r"$\Delta=\Delta^*=0.816$" if is_crossing else rf"$\Delta={delta:g}$"
    ax.set_title(title, pad=2)  # with more the asterisk is above the figure


def _draw_losses(ax: Any, table: pd.DataFrame, delta: float) -> None:
    at = table[np.isclose(table["delta"].astype(float), delta)]
    for _, curve in losses(at).groupby(["run", "seed"]):
        ax.plot(curve["step"], curve["value"], color=RELU, linewidth=0.5)
    theory = at[at["measure"] == "theory"]
    for name, curve in theory.groupby("variant"):
        ax.plot(curve["step"], curve["value"], color=FITTED, linestyle=(0, (4, 1.5)))
        ax.text(0.95, 0.85, name, transform=ax.transAxes, ha="right", color=FITTED)
    found = losses(at)
    learned = found.loc[found["value"] < 0.01, "step"].min()
    last = 2.2 * learned if pd.notna(learned) else found["step"].max()
    ax.set(title=rf"$\Delta={delta:g}$", xlabel="Epoch", xlim=(0, last))
    ax.locator_params(nbins=4)


def _draw_share(ax: Any, table: pd.DataFrame) -> None:
    rows = table[table["measure"] == "items_share"]
    if rows.empty:
        say(ax, "Not in this run")
        return
    draw_band(ax, rows, "delta", RELU, marker="o", markersize=2)
    for place, name in ((CROSSING, r"$\Delta^*=\sqrt{2/3}$"), (LAST_OF_FOUR, r"$\sqrt{2}$")):
        ax.axvline(place, color="0.6", linewidth=0.6, linestyle=":")
        label(ax, place + 0.02, 1.08, name, "0.4")
    ax.set(xlabel=r"Third input $\Delta$", ylabel="Mass of units on\nat one item alone",
           ylim=(-0.03, 1.15))  # fmt: skip
    # Outside, where no curve can be.
    for share, name in ((1, "4 pathways"), (0, "2 pathways")):
        label(ax, 1.01, share, name, RELU, transform=ax.get_yaxis_transform())
