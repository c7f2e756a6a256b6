"""Figure C3: directions versus neurons."""

from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.experiments.classification.columns import COLUMNS
from repatlas.figures.figure import Figure, Finding, Pairs
from repatlas.figures.role import Role
from repatlas.plots.dots import MARKED, draw_dots
from repatlas.plots.marks import add_key, dot_of, guide, look_of
from repatlas.plots.palette import BLACK, DARK, GREY
from repatlas.plots.spread import with_interval
from repatlas.plots.style import Style, activation_name, activations, finish, letter, page, say
from repatlas.plots.words import with_intervals
from repatlas.studies.convergence.parts import (
    deviations,
    draw_mean,
    first_shown,
    learned_ends,
    left_out,
    look_of_layer,
    number_of_networks,
    with_deviations,
)
from repatlas.studies.convergence.roles import MLP
from repatlas.studies.convergence.rows.networks import (
    accuracies,
    both_learned,
    first_reached,
    means,
)

FIGURE = Figure(
    "Directions versus neurons: how many of each a network needs of a layer.",
    {"networks": Role("The sweep of the networks.", {"accuracy"}, MLP)},
    comparisons={
        "directions": Pairs(
            "The comparison of these networks, each with the next one: pairs: cyclic.",
            frozenset({"directions"}),
        )
    },
    finding=Finding(
        "In ReLU networks a layer needs fewer directions than neurons; with the same regression,"
        " more than half as many.",
        {"C7": SUPPORTED, "C7b": CONTRADICTED},
    ),
)
CAPTION = """**Figure C3: directions versus neurons.** What a network needs of a layer: its activity
is confined to k directions, or to k neurons. The rest of the network continues with it, without
training again. {{ kind(facts.networks) }}, {{ n(facts.networks.seeds) }} of each; SVCCA finds the
directions with the next network, in descending order of correlation. Directions and decoders are
fitted on training images. A, left: test accuracy of one activation and layer. "Projection" projects
on the directions, or keeps the neurons with the others at their mean (the table has the others at
0, too). "Regression" predicts the whole layer by least squares from the directions, or from the
neurons. Neurons are random (20 draws) or have the largest activity. Principal directions (ours)
distinguish the effect of directions from the effect of SVCCA. Markers: k for 99 % of the accuracy
of the whole layer. Dotted: chance. A, right: this k of SVCCA directions divided by k of neurons,
with the same decoder; median over networks, with its 95 % interval where there are networks enough
for one. Dotted: the limit of claims. B: after the projection on k directions only the m neurons
that have most of them are kept. C (ours): each of the first 10 directions is cut to the m neurons
of its largest coefficients: its correlation with itself. The table has the test accuracy with all
ten, and all curves of the other layer and activation. Networks below {{ "80 %" if "fashion_mnist"
in facts.networks.data_set else "99 %" }} training accuracy at the end are left out, with the pairs
they are in, and counted under the figure. {{ lost }}"""

ENOUGH = 0.99
"""The fraction of the accuracy of the whole layer, or of the directions that are cut."""
CORRELATION = 0.95
CUT = "svcca, orthogonal, cut to m neurons"
CUT_OF = 10
"""Directions whose neurons are counted."""
SHOWN = (8, 16, 32, 64, 128)
"""Neurons that directions are cut to in the drawing."""
LIKE = {
    "svcca, orthogonal": ("random neurons, others at mean", "largest neurons, others at mean"),
    "svcca, least squares": ("random neurons, regressed", "largest neurons, regressed"),
}
"""The neurons that directions are compared with, decoded in the same way."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    networks = rows["networks"]
    found = both_learned(rows["directions"], networks)
    found = found[found["step"] == found["step"].max()]
    drawn = found[(found["variant"] != CUT) | found["unit"].isin(SHOWN)]
    by = ["comparison", "step", "layer", "items", "measure", "variant", "at", "unit"]
    return pd.concat(
        [means(drawn, by), needed_rows(found), accuracies(networks)],
        ignore_index=True,
    )


def needed_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return these numbers for each network and layer, with the comparison's variants:

    "needed": the number of directions, or neurons, for 99 % of the accuracy with the whole layer.
    It is the width of the layer if this accuracy is not reached.
    "needed_ratio": the number for SVCCA divided by the number for the variant, both with the same
    decoder.
    "neurons_of_a_direction": the share of the layer's neurons that the first 10 directions need on
    average to correlate by 0.95 with the full directions.
    "neurons_per_direction": the neurons for 99 % of the accuracy with 10 directions, divided by 10.
    All are interpolated in the logarithm of the number.
    """
    found = []
    for _, of_one in rows.groupby(["run", "seed", "layer"], sort=False):
        found += _needed(of_one)
    return pd.DataFrame(found)


def _needed(rows: pd.DataFrame) -> list[dict]:
    about = rows.iloc[0][["comparison", "run", "seed", "step", "layer", "items", *COLUMNS]]
    accuracy = rows[rows["measure"] == "accuracy"]
    [whole] = accuracy[accuracy["variant"] == "whole"].itertuples()
    width, level = float(whole.at), ENOUGH * whole.value
    curves = accuracy[~accuracy["variant"].isin(["whole", CUT])]
    needed = {
        name: _reached(curve, "at", level, width) for name, curve in curves.groupby("variant")
    }
    found = [("needed", name, value) for name, value in needed.items()]
    for name, others in LIKE.items():
        for other in others:
            if name in needed and other in needed:
                found.append(("needed_ratio", other, needed[name] / needed[other]))
    correlation = rows[rows["measure"] == "cut_correlation"]
    neurons = _reached(correlation, "at", CORRELATION, width)
    found.append(("neurons_of_a_direction", "svcca", neurons / width))
    uncut = curves[(curves["variant"] == "svcca, orthogonal") & (curves["at"] == CUT_OF)]
    cut = accuracy[(accuracy["variant"] == CUT) & (accuracy["at"] == CUT_OF)]
    if len(uncut):
        neurons = _reached(cut, "unit", ENOUGH * uncut["value"].iloc[0], width)
        found.append(("neurons_per_direction", "svcca, orthogonal", neurons / CUT_OF))
    names = ("measure", "variant", "value")
    return [about.to_dict() | dict(zip(names, each, strict=True)) for each in found]


def _reached(curve: pd.DataFrame, along: str, level: float, width: float) -> float:
    """Return where a curve first reaches a level, or the width if it does not; nan without
    values."""
    curve = curve.dropna(subset="value").sort_values(along)
    if not len(curve):
        return np.nan
    values = curve["value"].to_numpy(float)
    place = first_reached(curve[along].to_numpy(float), values, level)
    return width if np.isnan(place) else place


RANDOM, LARGEST, DASHES = GREY, BLACK, (0, (4, 1.5))
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
NOTHING = "No network learned"
CHANCE = 0.1
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


def draw(table: pd.DataFrame, style: Style) -> Any:
    table = with_deviations(table, learned_ends(table))
    kinds = activations(table)
    shown = table[table["contrast"] == "mean"]
    layers = sorted(shown["layer"].dropna().astype(int).unique())
    first = first_shown(shown, kinds)
    last = shown[(shown["activation"] == first) & (shown["layer"] == max(layers, default=0))]
    figure = page(style, 0.95 * style.width)
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
        guide(ax, CHANCE, "chance", 0.99, ha="right")
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
    looks = {name: _look(colour or style.colours[kind]) | {"linestyle": line}
             for name, colour, line in DECODERS["Projection"].values()}  # fmt: skip
    looks["99 % of the accuracy"] = MARKED | {"color": DARK, "markersize": 3.5}
    add_key(part, looks, loc="outside lower center", ncols=2, handlelength=2.2, columnspacing=1)


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
    looks = {kind: dot_of(kind, style) for kind in kinds}
    draw_dots(ax, ratios, ["variant", "layer"], names, "activation", looks, NOTHING)
    if ratios.empty:
        return
    guide(ax, LIMIT, f"limit {LIMIT:g}", 1, False, ha="center", va="bottom", xytext=(0, 2))
    ax.set(xlabel="SVCCA directions divided by neurons")
    ax.set_xlim(0, max(1.0, ax.get_xlim()[1]))
    dots = {activation_name(kind): MARKED | look for kind, look in looks.items()}
    add_key(ax, dots, loc="lower center", bbox_to_anchor=(0.5, 1.06), handlelength=1)


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
    guide(ax, 0.95, "0.95")
    ax.set(ylim=(0, 1.05), xlabel="Neurons m", ylabel="Correlation of a\ndirection with itself")
    part.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2,
                handlelength=3)  # fmt: skip


def _number_axis(ax: Any) -> None:
    ax.set_xscale("log", base=2)
    low, high = ax.get_xlim()
    ticks = [tick for tick in (1, 4, 16, 64, 256) if low * 0.8 <= tick <= max(high, 1) * 1.2]
    ax.set_xticks(np.array(ticks), [str(tick) for tick in ticks])
    ax.minorticks_off()
