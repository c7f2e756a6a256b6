"""Figure C3: directions versus neurons."""

from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rcParams
from matplotlib.figure import Figure

from repatlas.plots.curves import dot_of, look_of
from repatlas.plots.style import (
    Style,
    activation_name,
    activations,
    finish,
    letter,
    say,
    small_type,
)
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


def draw(table: pd.DataFrame, style: Style) -> Figure:
    table = with_deviations(table, learned_ends(table))
    kinds = activations(table)
    shown = table[table["contrast"] == "mean"]
    layers = sorted(shown["layer"].dropna().astype(int).unique())
    heights = [(0.26 * len(kinds) + 0.24) * style.width, 0.34 * style.width]
    figure = Figure(figsize=(style.width, sum(heights) + 0.08 * style.width))
    top, bottom = figure.subfigures(2, 1, height_ratios=heights)
    letter(top, "A")
    _draw_accuracies(top, table, shown, kinds, layers, style)
    left, right = bottom.subfigures(1, 2)
    letter(left, "B")
    letter(right, "C")
    first = first_shown(shown, kinds)
    _draw_cut(left, shown[shown["activation"] == first], layers, style.colours[first])
    _draw_single(right, shown, kinds, layers, style)
    finish(
        figure,
        table,
        style,
        f"{number_of_networks(table)}, mean, {deviations(learned_ends(table))}; test accuracy"
        " without training again. A: projection keeps neurons with the others at their mean. B,"
        f" C: k directions of SVCCA on m neurons; B: {activation_name(first)}.{left_out(table)}",
    )
    return figure


def _draw_accuracies(
    part: Any,
    table: pd.DataFrame,
    shown: pd.DataFrame,
    kinds: list[str],
    layers: list[int],
    style: Style,
) -> None:
    panels = [(layer, decoder) for layer in layers for decoder in DECODERS]
    axes = part.subplots(
        max(len(kinds), 1), max(len(panels), 1), squeeze=False, sharex=True, sharey=True
    )
    if not panels:
        for ax in axes.flat:
            say(ax, NOTHING)
        return
    accuracy = shown[shown["measure"] == "accuracy"]
    needed = table[table["measure"] == "needed"]
    for row, kind in zip(axes, kinds, strict=True):
        for ax, (layer, decoder) in zip(row, panels, strict=True):
            own = accuracy[(accuracy["activation"] == kind) & (accuracy["layer"] == layer)]
            if own.empty:
                say(ax, NOTHING)
                continue
            marks = needed[(needed["activation"] == kind) & (needed["layer"] == layer)]
            level = 0.99 * own.loc[own["variant"] == "whole", "value"].mean()
            ax.axhline(CHANCE, color=FLOOR, linestyle=":", linewidth=0.8)
            for variant, (_, colour, line) in DECODERS[decoder].items():
                curve = own[own["variant"] == variant]
                dot = {"color": colour} if colour else dot_of(kind, style)
                colour = colour or style.colours[kind]
                draw_mean(ax, curve, "at", (0, 1), linestyle=line, **_look(colour))
                place = marks.loc[marks["variant"] == variant, "value"].median()
                if line == "-":
                    look = {"marker": "o", "markersize": 3.5, "zorder": 5} | dot
                    ax.plot(place, level, linestyle="", **look)
            if ax in axes[0]:
                ax.set_title(f"Layer {layer}\n{decoder.lower()}")
        row[0].set_ylabel(f"{activation_name(kind)}\nTest accuracy")
        row[-1].text(64, CHANCE + 0.02, "chance", size=small_type(), color=FLOOR, ha="right")
    for ax in axes[-1]:
        _number_axis(ax)
    axes[0, 0].set_ylim(0, 1)
    entries = DECODERS["Projection"].values()
    handles = [
        axes[0, 0].plot([], [], linestyle=line, **_look(colour or "0.25"))[0]
        for _, colour, line in entries
    ]
    names = [name for name, _, _ in entries]
    names[0] += " (in the activation's colour)"
    names[1] += " (same colour)"
    handles += axes[0, 0].plot([], [], "o", color="0.25", markersize=3.5)
    names.append("99 % of the accuracy with the whole layer (median)")
    part.supxlabel("Directions or neurons k", size=rcParams["axes.labelsize"])
    part.legend(handles, names, loc="outside upper center", ncols=3, handlelength=2.2)


def _look(colour: str) -> dict[str, Any]:
    """Return the look of curves of random neurons: crosses, because their grey is as dark as
    colours."""
    look = {"color": colour, "linewidth": 1.1, "markersize": 2.5}
    return look | ({"marker": "x"} if colour == RANDOM else {})


def _draw_cut(part: Any, rows: pd.DataFrame, layers: list[int], colour: str) -> None:
    cut = rows[(rows["measure"] == "accuracy") & (rows["variant"] == CUT)]
    axes = part.subplots(1, max(len(layers), 1), squeeze=False, sharey=True)[0]
    if cut.empty:
        for ax in axes:
            say(ax, NOTHING)
    numbers = sorted(cut["unit"].dropna().astype(int).unique())
    for ax, layer in zip(axes, layers, strict=False):
        for place, number in enumerate(numbers):
            curve = cut[(cut["layer"] == layer) & (cut["unit"] == number)]
            look = look_of_layer(place + 1, len(numbers), colour)
            draw_mean(ax, curve, "at", (0, 1), label=str(number), **look)
        ax.set(title=f"Layer {layer}", xlabel="Directions k")
        _number_axis(ax)
    axes[0].set(ylabel="Test accuracy", ylim=(0, 1.05))
    if numbers:
        axes[-1].legend(title="neurons m", loc="center left",
                        bbox_to_anchor=(1, 0.5), handlelength=1.2)  # fmt: skip


def _draw_single(
    part: Any, rows: pd.DataFrame, kinds: list[str], layers: list[int], style: Style
) -> None:
    titles = {"cut_correlation": "Correlation with itself", "cut_accuracy": "Test accuracy"}
    axes = part.subplots(1, 2, sharey=True)
    for ax, (measure, title) in zip(axes, titles.items(), strict=True):
        for kind in kinds:
            for layer, line in zip(layers, cycle(("-", DASHES, ":", "-.")), strict=False):
                own = rows[(rows["measure"] == measure) & (rows["activation"] == kind)]
                draw_mean(
                    ax, own[own["layer"] == layer], "at", (0, 1), linestyle=line,
                    label=f"{activation_name(kind)}, layer {layer}", **look_of(kind, style),
                )  # fmt: skip
        ax.set(title=title, xlabel="Neurons m")
        _number_axis(ax)
    axes[0].axhline(0.95, color=FLOOR, linestyle=":", linewidth=0.8)
    axes[0].text(1, 0.96, "0.95", size=small_type(), color=FLOOR, va="bottom")
    axes[0].set_ylim(0, 1.05)
    if rows.empty:
        for ax in axes:
            say(ax, NOTHING)
    else:
        part.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2,
                    handlelength=2.2)  # fmt: skip


def _number_axis(ax: Any) -> None:
    ax.set_xscale("log", base=2)
    low, high = ax.get_xlim()
    ticks = [tick for tick in (1, 4, 16, 64, 256) if low * 0.8 <= tick <= max(high, 1) * 1.2]
    ax.set_xticks(np.array(ticks), [str(tick) for tick in ticks])
    ax.minorticks_off()
