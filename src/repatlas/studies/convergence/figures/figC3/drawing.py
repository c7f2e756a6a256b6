"""Figure C3: directions versus neurons."""

from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.plots.curves import dot_of, look_of
from repatlas.plots.dots import draw_dots, name_dots
from repatlas.plots.spread import with_interval
from repatlas.plots.style import (
    Style,
    activation_name,
    activations,
    finish,
    letter,
    say,
    small_type,
)
from repatlas.plots.words import with_intervals
from repatlas.studies.convergence.parts import (
    FLOOR,
    deviations,
    draw_mean,
    first_shown,
    learned_ends,
    left_out,
    look_of_layer,
    number_of_networks,
    with_deviations,
)

RANDOM, LARGEST, DASHES = "0.5", "black", (0, (4, 1.5))
DECODERS = {
    "Projection": {
        "svcca, orthogonal": ("SVCCA directions", None, "-"),
        "principal": ("principal directions", None, DASHES),
        "random neurons, others at mean": ("random neurons", RANDOM, "-"),
        "largest neurons, others at mean": ("largest neurons", LARGEST, "-"),
    },
    "Regression": {
        "svcca, least squares": ("SVCCA directions", None, "-"),
        "principal": ("principal directions", None, DASHES),
        "random neurons, regressed": ("random neurons", RANDOM, "-"),
        "largest neurons, regressed": ("largest neurons", LARGEST, "-"),
    },
}
"""The name, colour and line of each curve, by decoder. None means the colour of the activation."""
CUT = "svcca, orthogonal, cut to m neurons"
NOTHING = "No network learned"
CHANCE = 0.1
ENOUGH = 0.99
RATIO = "needed_ratio"
COMPARED = {
    "random neurons, others at mean": "projection,\nrandom neurons",
    "largest neurons, others at mean": "projection,\nlargest neurons",
    "random neurons, regressed": "regression,\nrandom neurons",
    "largest neurons, regressed": "regression,\nlargest neurons",
}
"""The neurons that directions are divided by, each with the same decoder."""
LIMIT = 0.5
"""The ratio by which claims are judged."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    table = with_deviations(table, learned_ends(table))
    kinds = activations(table)
    shown = table[table["contrast"] == "mean"]
    layers = sorted(shown["layer"].dropna().astype(int).unique())
    first = first_shown(shown, kinds)
    last = shown[(shown["activation"] == first) & (shown["layer"] == max(layers, default=0))]
    figure = Figure(figsize=(style.width, 0.95 * style.width))
    top, bottom = figure.subfigures(2, 1, height_ratios=[1.6, 1])
    letter(top, "A")
    curves, ratios = top.subfigures(1, 2, width_ratios=[1, 1.15])
    _draw_accuracies(curves, table, last, first, style)
    found = _ratios(table)
    _draw_ratios(ratios.subplots(), found, kinds, style)
    left, right = bottom.subfigures(1, 2)
    letter(left, "B")
    letter(right, "C")
    _draw_cut(left, last, style.colours[first])
    _draw_single(right, shown, kinds, layers, style)
    where = f"{activation_name(first)}, layer {max(layers)}" if layers else "none"
    finish(
        figure,
        table,
        style,
        f"{number_of_networks(table)}, mean, {deviations(learned_ends(table))}; test accuracy"
        " without training again. A: projection keeps neurons with the others at their mean;"
        f" left, {where}; right, medians, {with_intervals(found, table, RATIO)}. B: {where}. B, C:"
        f" k directions of SVCCA on m neurons.{left_out(table)}",
    )
    return figure


def _draw_accuracies(
    part: Any, table: pd.DataFrame, shown: pd.DataFrame, kind: str, style: Style
) -> None:
    """Draw what one layer of one activation needs. A mark is where 99 % of the accuracy is."""
    axes = part.subplots(len(DECODERS), 1, sharex=True, sharey=True)
    own = shown[shown["measure"] == "accuracy"]
    if own.empty:
        for ax in axes:
            say(ax, NOTHING)
        return
    needed = table[(table["measure"] == "needed") & (table["activation"] == kind)]
    needed = needed[needed["layer"] == own["layer"].iloc[0]]
    level = ENOUGH * own.loc[own["variant"] == "whole", "value"].mean()
    for ax, (decoder, curves) in zip(axes, DECODERS.items(), strict=True):
        ax.axhline(CHANCE, color=FLOOR, linestyle=":", linewidth=0.8)
        ax.text(64, CHANCE + 0.02, "chance", size=small_type(), color=FLOOR, ha="right")
        for variant, (_, colour, line) in curves.items():
            dot = {"color": colour} if colour else dot_of(kind, style)
            look = _look(colour or style.colours[kind])
            draw_mean(ax, own[own["variant"] == variant], "at", (0, 1), linestyle=line, **look)
            place = needed.loc[needed["variant"] == variant, "value"].median()
            if line == "-":
                mark = {"marker": "o", "markersize": 3.5, "zorder": 5} | dot
                ax.plot(place, level, linestyle="", **mark)
        ax.set(title=f"{decoder}", ylabel="Test accuracy")
        _number_axis(ax)
    axes[0].set_ylim(0, 1)
    axes[-1].set_xlabel("Directions or neurons k")
    handles = [
        Line2D([], [], linestyle=line, label=name, **_look(colour or style.colours[kind]))
        for name, colour, line in DECODERS["Projection"].values()
    ]
    handles.append(Line2D([], [], linestyle="", marker="o", color="0.25", markersize=3.5,
                          label="99 % of the accuracy"))  # fmt: skip
    part.legend(handles=handles, loc="outside lower center", ncols=2, handlelength=2.2,
                columnspacing=1)  # fmt: skip


def _ratios(table: pd.DataFrame) -> pd.DataFrame:
    """Return how many directions of SVCCA a layer needs, divided by how many neurons: the median
    over networks, with its interval."""
    rows = table[(table["measure"] == RATIO) & table["variant"].isin(COMPARED)]
    return with_interval(rows, ["activation", "variant", "layer"])


def _draw_ratios(ax: Any, ratios: pd.DataFrame, kinds: list[str], style: Style) -> None:
    """Draw the ratios by which claims are judged."""
    layers = sorted(ratios["layer"].unique())
    names = {
        (variant, layer): f"{name}, layer {int(layer)}"
        for variant, name in COMPARED.items()
        for layer in layers
    }
    looks = {kind: {"marker": "o"} | dot_of(kind, style) for kind in kinds}
    draw_dots(ax, ratios, ["variant", "layer"], names, "activation", looks, NOTHING)
    if ratios.empty:
        return
    ax.axvline(LIMIT, color=FLOOR, linestyle=":", linewidth=0.8)
    ax.annotate(f"limit {LIMIT:g}", (LIMIT, 1), xycoords=("data", "axes fraction"), ha="center",
                xytext=(0, 2), textcoords="offset points", size=small_type(),
                color=FLOOR)  # fmt: skip
    ax.set(xlabel="SVCCA directions divided by neurons")
    ax.set_xlim(0, max(1.0, ax.get_xlim()[1]))
    name_dots(ax, looks, {kind: activation_name(kind) for kind in kinds}, loc="lower center",
              bbox_to_anchor=(0.5, 1.06), ncols=len(kinds))  # fmt: skip


def _look(colour: str) -> dict[str, Any]:
    """Return the look of curves of random neurons: crosses, because their grey is as dark as
    colours."""
    look = {"color": colour, "linewidth": 1.1, "markersize": 2.5}
    return look | ({"marker": "x"} if colour == RANDOM else {})


def _draw_cut(part: Any, rows: pd.DataFrame, colour: str) -> None:
    cut = rows[(rows["measure"] == "accuracy") & (rows["variant"] == CUT)]
    ax = part.subplots()
    if cut.empty:
        say(ax, NOTHING)
        return
    numbers = sorted(cut["unit"].dropna().astype(int).unique())
    for place, number in enumerate(numbers):
        look = look_of_layer(place + 1, len(numbers), colour)
        draw_mean(ax, cut[cut["unit"] == number], "at", (0, 1), label=str(number), **look)
    _number_axis(ax)
    ax.set(xlabel="Directions k", ylabel="Test accuracy", ylim=(0, 1))
    ax.legend(title="neurons m", loc="center left", bbox_to_anchor=(1, 0.5), handlelength=1.2)


def _draw_single(
    part: Any, rows: pd.DataFrame, kinds: list[str], layers: list[int], style: Style
) -> None:
    ax = part.subplots()
    own = rows[rows["measure"] == "cut_correlation"]
    if own.empty:
        say(ax, NOTHING)
        return
    for kind in kinds:
        for layer, line in zip(layers, cycle(("-", DASHES, ":", "-.")), strict=False):
            of_layer = own[(own["activation"] == kind) & (own["layer"] == layer)]
            draw_mean(
                ax, of_layer, "at", (0, 1), linestyle=line,
                label=f"{activation_name(kind)}, layer {layer}", **look_of(kind, style),
            )  # fmt: skip
    _number_axis(ax)
    ax.axhline(0.95, color=FLOOR, linestyle=":", linewidth=0.8)
    ax.text(1, 0.96, "0.95", size=small_type(), color=FLOOR, va="bottom")
    ax.set(ylim=(0, 1.05), xlabel="Neurons m", ylabel="Correlation of a\ndirection with itself")
    part.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2,
                handlelength=3)  # fmt: skip


def _number_axis(ax: Any) -> None:
    ax.set_xscale("log", base=2)
    low, high = ax.get_xlim()
    ticks = [tick for tick in (1, 4, 16, 64, 256) if low * 0.8 <= tick <= max(high, 1) * 1.2]
    ax.set_xticks(np.array(ticks), [str(tick) for tick in ticks])
    ax.minorticks_off()
