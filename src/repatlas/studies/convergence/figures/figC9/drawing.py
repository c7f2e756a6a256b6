"""Figure C9: noise directions."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.inference.intervals import FEWEST
from repatlas.plots.curves import dot_of
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
    time_axis,
    with_deviations,
)

NOTHING = "No network learned"
PARTS = {"top": "-", "bottom": (0, (4, 1.5))}
MOST_TIMES = 4
"""The most curves of panel A; the table has all checkpoints."""
TOY = {
    "toy_cca": ("mean CCA", "0.35", (0, (4, 1.5))),
    "toy_svcca": ("SVCCA, 99 %", "#A98BCB", "-."),
    "toy_pwcca": ("PWCCA", "black", "-"),
    "toy_floor": ("CCA of noise", FLOOR, (0, (1, 3))),
}
"""The name, colour and line of each similarity in the toy."""
NOISES = {"variance 0.1": "Variance 0.1", "sd 0.1": "SD 0.1"}
"""The two readings of the paper's noise. Noise as strong as the signal is in the table alone."""
LIMIT, LEAST = 1e-6, 1e-17


def draw(table: pd.DataFrame, style: Style) -> Figure:
    kinds = activations(table)
    toy = table[table["measure"] == "toy_least_gap"]
    networks = learned_ends(table)
    # Rows of the toy, and its draws, belong to no run.
    shown = with_deviations(table[table["contrast"] == "mean"], pd.concat([networks, toy]))
    first = first_shown(shown[shown["measure"] == "correlation_with_end"], kinds)
    figure = Figure(figsize=(style.width, 0.9 * style.width))
    top, bottom = figure.subfigures(2, 1, height_ratios=[1.25, 1])
    left, right = top.subfigures(1, 2, width_ratios=[1.5, 1])
    letter(left, "A")
    letter(right, "B")
    _draw_sorted(left.subplots(), table, shown, first, style)
    _draw_parts(right.subplots(), shown, kinds, style)
    left, middle, right = bottom.subfigures(1, 3, width_ratios=[1.15, 1.5, 0.8])
    letter(left, "C")
    letter(middle, "D")
    letter(right, "E")
    _draw_accuracies(left.subplots(), shown, kinds, style)
    _draw_toy(middle, shown)
    _draw_changes(right.subplots(), table)
    finish(
        figure,
        table,
        style,
        f"A to C: {number_of_networks(table)}, mean, {deviations(networks)}, last hidden layer."
        f" D: the toy, mean {_over_draws(toy)}. E: each dot is an affine map of data as in D;"
        f" at {LEAST:g} nothing changes.{left_out(table)}",
    )
    return figure


def _over_draws(toy: pd.DataFrame) -> str:
    number = toy["seed"].nunique()
    if number < FEWEST:
        return f"over {number} draw{'s' * (number != 1)}, no SD: {FEWEST} needed"
    return f"and SD over {number} draws"


def _draw_sorted(
    ax: Any, table: pd.DataFrame, shown: pd.DataFrame, kind: str, style: Style
) -> None:
    rows = shown[shown["measure"] == "correlation_with_end"]
    own = rows[rows["activation"] == kind]
    if own.empty:
        say(ax, NOTHING)
        return
    is_floor = own["variant"].str.endswith(" floor")
    times = np.sort(own.loc[~is_floor, "at"].unique())
    chosen = np.linspace(0, len(times) - 1, min(MOST_TIMES, len(times))).round().astype(int)
    for place, at in enumerate(times[chosen]):
        curve = own[~is_floor & np.isclose(own["at"], at)]
        look = look_of_layer(place + 1, len(chosen), style.colours[kind])
        curve = curve.assign(unit=curve["unit"] + 1)
        draw_mean(ax, curve, "unit", (0, 1), label=f"{at:.0%}", **look)
    for value in own.loc[is_floor, "value"]:
        _draw_floor(ax, value, "noise floor (mean)")
    settled = table[(table["measure"] == "converged_at") & (table["activation"] == kind)]
    settled_at = settled["value"].median()
    at_part = f": accuracy settles after {settled_at:.0%} of training" if len(settled) else ""
    ax.set(title=f"{activation_name(kind)}{at_part}", xlabel="Place in descending order",
           ylabel="Correlation with the end", ylim=(0, 1.03))  # fmt: skip
    ax.legend(title="after this\nfraction", loc="center left", bbox_to_anchor=(1, 0.5),
              handlelength=1.2)  # fmt: skip


def _draw_floor(ax: Any, value: float, name: str) -> None:
    ax.axhline(value, color=FLOOR, linestyle=":", linewidth=1)
    ax.annotate(name, (0, value), xycoords=("axes fraction", "data"), xytext=(2, 1),
                textcoords="offset points", size=small_type(), color=FLOOR)  # fmt: skip


def _draw_parts(ax: Any, shown: pd.DataFrame, kinds: list[str], style: Style) -> None:
    rows = shown[shown["measure"] == "part_correlation"]
    if rows.empty:
        say(ax, NOTHING)
        return
    for kind in kinds:
        for name, line in PARTS.items():
            curve = rows[(rows["activation"] == kind) & (rows["variant"] == name)]
            look = {"marker": "o", "markersize": 3} | dot_of(kind, style)
            draw_mean(ax, curve, "at", (0, 1), linestyle=line, **look)
    floor = rows[rows["variant"] == "bottom floor"]
    if len(floor):
        _draw_floor(ax, floor["value"].mean(), "noise floor")
    time_axis(ax)
    ax.set(xlabel="Fraction of training", ylabel="Mean CCA of a part\nwith the layer then")
    ax.set(xlim=(0.04, 1.1), ylim=(0, 1.03))
    ax.set_xticks([0.1, 0.5, 1], [".1", ".5", "1"])
    handles = [Line2D([], [], label=activation_name(kind), linestyle="", markersize=3,
                      **{"marker": "o"} | dot_of(kind, style)) for kind in kinds]  # fmt: skip
    handles += [Line2D([], [], color="0.25", linestyle=line, label=f"{name} quarter")
                for name, line in PARTS.items()]  # fmt: skip
    ax.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1), handlelength=2.2,
              ncols=2, columnspacing=1)  # fmt: skip


def _draw_accuracies(ax: Any, shown: pd.DataFrame, kinds: list[str], style: Style) -> None:
    without = shown[shown["measure"] == "accuracy_without_part"]
    whole = shown[(shown["measure"] == "accuracy") & (shown["variant"] == "test")]
    names = ["whole", *(f"{part}{way}" for way in ("", ", regressed") for part in PARTS)]
    for number, kind in enumerate(kinds):
        aside = 0.16 * (number - (len(kinds) - 1) / 2)
        own = {"whole": whole[whole["activation"] == kind]}
        cut = without[without["activation"] == kind]
        own |= {name: cut[cut["variant"] == name] for name in names[1:]}
        for place, rows in enumerate(own.values()):
            label = activation_name(kind) if place == 0 else None
            ax.errorbar([place + aside] * len(rows), rows["value"], rows["sd"].fillna(0),
                        linestyle="none", elinewidth=0.8, label=label,
                        **{"marker": "o", "markersize": 3.5} | dot_of(kind, style))  # fmt: skip
    ax.set_xticks(range(len(names)), ["none", *PARTS, *PARTS])
    for tick in ax.get_xticklabels():
        tick.set(rotation=45, ha="right", rotation_mode="anchor")
    for middle, way in ((1.5, "projected"), (3.5, "regressed")):
        ax.text(middle, 0.27, way, size=small_type(), color="0.3", ha="center")
    ax.axhline(0.1, color=FLOOR, linestyle=":", linewidth=0.8)
    ax.text(-0.4, 0.115, "chance", size=small_type(), color=FLOOR)
    ax.set(ylabel="Test accuracy at\n5 % of training", xlabel="Part taken off")
    ax.set(ylim=(0, 1.03), yticks=np.linspace(0, 1, 6), xlim=(-0.5, len(names) - 0.5))
    if without.empty:
        say(ax, NOTHING)
    else:
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), handlelength=0.8, ncols=2,
                  columnspacing=1)  # fmt: skip


def _draw_toy(part: Any, shown: pd.DataFrame) -> None:
    axes = part.subplots(1, len(NOISES), sharey=True)
    floor = shown[shown["measure"] == "toy_floor"]
    for ax, (noise, title) in zip(axes, NOISES.items(), strict=True):
        own = shown[shown["variant"] == noise]
        for measure, (name, colour, line) in TOY.items():
            curve = floor if measure == "toy_floor" else own[own["measure"] == measure]
            curve = curve.assign(value=1 - curve["value"])
            draw_mean(ax, curve, "at", (0, 1), color=colour, linestyle=line, label=name)
        ax.set(title=title, ylim=(-0.03, 1.03))
    axes[1].set_xlabel("Shared directions k, of 200")
    axes[0].set_ylabel("Distance,\n1 \N{MINUS SIGN} similarity")
    axes[-1].legend(loc="center left", bbox_to_anchor=(1, 0.5), handlelength=1.8)


def _draw_changes(ax: Any, table: pd.DataFrame) -> None:
    rows = table[table["measure"] == "affine_change"]
    names = {"cca": "CCA", "svcca": "SVCCA"}
    for place, variant in enumerate(names):
        values = rows.loc[rows["variant"] == variant, "value"].sort_values()
        x = place + np.linspace(-0.2, 0.2, max(len(values), 1))[: len(values)]
        ax.plot(x, np.maximum(values, LEAST), ".", color="black", markersize=3)
    ax.axhline(LIMIT, color=FLOOR, linestyle=":", linewidth=0.8)
    ax.text(1.45, LIMIT, "limit", size=small_type(), color=FLOOR, ha="right", va="bottom")
    ax.set_yscale("log")
    ax.set_xticks(range(len(names)), list(names.values()))
    ax.set(title="Affine maps", ylabel="Change of the similarity", ylim=(LEAST / 3, 3))
    ax.set_xlim(-0.5, 1.5)
