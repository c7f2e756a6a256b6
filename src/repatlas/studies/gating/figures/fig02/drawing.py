"""Figure 2: XoR with a third input, and its two solutions."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.dynamics.xor import CROSSING, LAST_OF_FOUR
from repatlas.plots.schematic import VIEW, draw_edges
from repatlas.plots.spread import with_interval
from repatlas.plots.style import CLASS_COLOURS, GREY, Style, finish, letter, say, small_type
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

CLASSES = ("positive class", "negative class")
POSITIVE = (0, 3)
"""The items whose class is positive."""
LIMIT = 0.05
"""The largest difference between the loss of a network and the theory that claim 19 allows."""
MARKED_DELTAS = {
    CROSSING: r"$\Delta^*=\sqrt{2/3}$" "\nboth equally fast",
    LAST_OF_FOUR: r"$\sqrt{2}$" "\nbeyond it, no unit can\nbe on at one item alone",
}
PATHWAYS = {
    "B": ("2 pathways", [[1, 0, 0, 1], [0, 1, 1, 0]]),
    "C": ("4 pathways", np.eye(4)),
}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 0.96 * style.width))
    top, bottom = figure.subfigures(2, 1, height_ratios=[0.38, 0.58])
    left, right = top.subfigures(1, 2, width_ratios=[1.5, 1])
    letter(left, "A")
    inputs = table[table["measure"] == "input"]
    deltas = sorted(inputs["delta"].unique())
    for ax, delta in zip(left.subplots(1, len(deltas)), deltas, strict=True):
        _draw_items(ax, inputs[inputs["delta"] == delta], delta)
    handles = [
        Line2D([], [], linestyle="", markersize=4, marker=marker, color=colour, label=name)
        for marker, colour, name in zip("os", CLASS_COLOURS, CLASSES, strict=True)
    ]
    left.legend(handles=handles, loc="outside lower center", ncols=2, borderpad=0)

    for part, (mark, (title, gates)) in zip(right.subfigures(1, 2), PATHWAYS.items(), strict=True):
        letter(part, mark)
        ax = part.subplots()
        draw_matrix(ax, -np.asarray(gates, float), title)
        ax.set_yticks(range(len(gates)), range(1, len(gates) + 1))
        ax.set_xticks(range(4), ["$x_1$", "$x_2$", "$x_3$", "$x_4$"])
        ax.set_ylabel("Pathway")
        ax.tick_params(length=0)

    left, right = bottom.subfigures(1, 2, width_ratios=[0.42, 0.58])
    letter(left, "D")
    curve, difference = left.subplots(2, 1, height_ratios=[1, 0.7])
    _draw_losses(curve, table)
    _draw_agreement(difference, table)
    letter(right, "E")
    _draw_share(right.subplots(), table)
    curves = losses(table)
    shares = table[table["measure"] == "items_share"]
    finish(
        figure,
        table,
        style,
        "B, C: blue are the items for which a pathway is on. D: "
        f"{number_of_seeds(curves)} for each of {curves['delta'].nunique()} values of "
        "\N{GREEK CAPITAL LETTER DELTA}; the theory is the logistic of the faster pathways, with"
        " one fitted number for each \N{GREEK CAPITAL LETTER DELTA}; below, "
        f"{medians(_differences(table), ['delta'])}. E: after the last epoch, "
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


def _draw_losses(ax: Any, table: pd.DataFrame) -> None:
    """Draw the losses of all networks and of the theory of each delta, over time that is scaled so
    that half of the theory's loss is left at 1."""
    ax.set(title="Loss, for each $\\Delta$", ylabel="Loss")
    ax.set_xlabel("Epoch divided by that of\nhalf the loss in theory")
    found, handles = losses(table), {}
    for delta, theory in table[table["measure"] == "theory"].groupby("delta"):
        theory = theory.sort_values("step")
        half = theory.loc[theory["value"] < theory["value"].iloc[0] / 2, "step"].min()
        if pd.isna(half):
            continue
        for _, curve in found[found["delta"] == delta].groupby(["run", "seed"]):
            [line] = ax.plot(curve["step"] / half, curve["value"], color=RELU, linewidth=0.5)
            handles["ReLU"] = line
        [line] = ax.plot(theory["step"] / half, theory["value"], color=FITTED, linewidth=0.8,
                         linestyle=(0, (4, 1.5)))  # fmt: skip
        handles["theory"] = line
    if not handles:
        say(ax, "No loss in this run" if found.empty else "No loss fell to half of its start")
        return
    ax.set_xlim(0, 2)
    ax.legend(handles.values(), handles.keys(), loc="upper right", handlelength=1.8, borderpad=0)


def _differences(table: pd.DataFrame) -> pd.DataFrame:
    """Return the largest difference of each network's loss from the theory, of the first loss."""
    rows = table[(table["measure"] == "agreement") & (table["variant"] == "D1")]
    return rows[rows["reference"].str.endswith("pathways", na=False)]


def _draw_agreement(ax: Any, table: pd.DataFrame) -> None:
    found = with_interval(_differences(table), ["delta"])
    ax.set(xlabel=r"Third input $\Delta$", ylabel="Largest difference,\nof the first loss")
    if found.empty:
        say(ax, "No loss in this run")
        return
    ax.plot(found["delta"], found["value"], "s", color=RELU, markerfacecolor="white", markersize=3)
    ax.vlines(found["delta"], found["low"], found["high"], color=RELU, linewidth=0.8)
    ax.axhline(LIMIT, color="0.6", linewidth=0.6, linestyle=":")
    ax.annotate("limit", (1, LIMIT), xycoords=ax.get_yaxis_transform(), xytext=(0, 2),
                textcoords="offset points", ha="right", color=GREY, size=small_type())  # fmt: skip
    ax.set_ylim(0, max(1.35 * LIMIT, *ax.get_ylim()))


def _draw_share(ax: Any, table: pd.DataFrame) -> None:
    rows = table[table["measure"] == "items_share"]
    if rows.empty:
        say(ax, "Not in this run")
        return
    draw_band(ax, rows, "delta", RELU, marker="s", markersize=2.4, markerfacecolor="white")
    for (place, name), side in zip(MARKED_DELTAS.items(), ("right", "left"), strict=True):
        ax.axvline(place, color="0.6", linewidth=0.6, linestyle=":")
        label(ax, place + (0.03 if side == "left" else -0.03), 1.22, name, "0.4", va="top",
              ha=side, size=small_type(), linespacing=1.05)  # fmt: skip
    ax.set(xlabel=r"Third input $\Delta$", ylabel="Mass of units on\nat one item alone",
           ylim=(-0.03, 1.25))  # fmt: skip
    ax.set_yticks([0, 0.5, 1], ["2 pathways\n0", "0.5", "4 pathways\n1"])
