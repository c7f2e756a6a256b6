"""Figure C4: learning dynamics."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.curves import dot_of
from repatlas.plots.dots import SPREAD, draw_dots, name_dots
from repatlas.plots.spread import with_interval
from repatlas.plots.style import (
    FRAMED,
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
    FREE,
    deviations,
    draw_mean,
    first_shown,
    learned_ends,
    left_out,
    look_of_layer,
    name_of_layer,
    number_of_networks,
    time_axis,
    with_deviations,
)

NAMES = {"pwcca": "PWCCA", "svcca": "SVCCA, 99 %"}
LOWEST = 0.4
"""The start of the scale of colours, if no similarity is lower."""
TIMES = {0.0: "untrained", 1.0: "at the end"}
NOTHING = "No network learned"
ORDER = "order_of_layers"
READINGS = {"pwcca": "PWCCA", "svcca": "SVCCA,\n99 %", "pwcca progress": "Progress\n(PWCCA)"}
"""The readings of "bottom up" that panel C has, by variant."""
CLOSE = 0.95
"""The similarity to the end whose time a claim is about."""
LIMIT = 0.0
"""The order of layers by which claims are judged."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    table = with_deviations(table, learned_ends(table))
    kinds = activations(table)
    depth = int(table["depth"].max())
    shown = table[table["contrast"] == "mean"]
    figure = Figure(figsize=(style.width, 0.9 * style.width))
    top, bottom = figure.subfigures(2, 1, height_ratios=[1, 1.25])
    letter(top, "A")
    first = first_shown(shown, kinds)
    _draw_maps(top, shown[shown["activation"] == first], activation_name(first))
    left, right = bottom.subfigures(1, 2, width_ratios=[1, 1.05])
    letter(left, "B")
    letter(right, "C")
    _draw_curves(left, shown[shown["activation"] == first], depth, style.colours[first])
    orders = _orders(table)
    _draw_orders(right.subplots(), table, orders, kinds, style)
    finish(
        figure,
        table,
        style,
        f"{number_of_networks(table)}. A: numbers: directions that SVCCA keeps of the layer then."
        f" B: {activation_name(first)}, mean over networks, {deviations(learned_ends(table))}."
        " C: Kendall's tau of depth and curve from 5 % to 50 % of training, of each network;"
        " medians,"
        f" {with_intervals(orders, table, ORDER)}.{left_out(table)}",
    )
    return figure


def _draw_maps(part: Any, rows: pd.DataFrame, name: str) -> None:
    maps = rows[rows["variant"] == ""]
    times = sorted(maps.loc[maps["layer"] != maps["other_layer"], "at"].unique())
    measures = ("pwcca", "svcca")
    axes = part.subplots(2, max(len(times), 1), squeeze=False, sharex=True, sharey=True)
    image = None
    shown = maps.loc[maps["measure"].isin(measures), "value"]
    lowest = min(LOWEST, np.floor(10 * shown.min()) / 10) if shown.notna().any() else LOWEST
    for number, measure in enumerate(measures):
        for ax, at in zip(axes[number], times, strict=False):
            here = maps[np.isclose(maps["at"], at)]
            values = here[here["measure"] == measure].pivot_table(
                index="layer", columns="other_layer", values="value"
            )
            image = ax.imshow(values, vmin=lowest, vmax=1, cmap="viridis", origin="lower",
                              aspect="auto")  # fmt: skip
            ticks = range(0, len(values), 2)
            ax.set_xticks(ticks)
            ax.set_yticks(ticks)
            if measure == "svcca":
                kept = here[here["measure"] == "kept_directions"]
                for row in kept.itertuples():
                    value = values.loc[row.layer, row.layer]
                    colour = "black" if value > (lowest + 1) / 2 else "white"
                    ax.text(row.layer, row.layer, f"{row.value:.0f}", ha="center", va="center",
                            size=small_type(), color=colour)  # fmt: skip
            else:
                ax.set_title(TIMES.get(at, f"{at:.0%} of training"))
            if number == 1:
                ax.set_xlabel("layer at the end")
        axes[number, 0].set_ylabel(f"{measure.upper()}\nlayer then")
    if image is None:
        for ax in axes.flat:
            say(ax, NOTHING)
        return
    part.colorbar(image, ax=list(axes.flat), label=f"Similarity, {name}", shrink=0.7)


def _draw_curves(part: Any, rows: pd.DataFrame, depth: int, colour: str) -> None:
    itself = rows[(rows["layer"] == rows["other_layer"]) & rows["layer"].between(1, depth)]
    axes = part.subplots(len(NAMES), 1, sharex=True, sharey=True)
    for ax, (measure, name) in zip(axes, NAMES.items(), strict=True):
        own = itself[itself["measure"] == measure]
        curves, floor = (own[own["variant"] == variant] for variant in ("", "floor"))
        _draw_layers(ax, curves, depth, colour, (0, 1))
        ax.set(title=name, ylabel="Similarity\nto the end")
        if len(floor):
            value = floor["value"].mean()
            ax.axhline(value, color=FLOOR, linestyle=":", linewidth=1)
            ax.text(0.99, value + 0.03, "noise floor", size=small_type(), color=FLOOR, ha="right")
    time_axis(axes[-1])
    axes[0].set_ylim(-0.03, 1.03)
    if len(itself):
        # When PWCCA is first this high is another reading of the order of layers.
        axes[0].axhline(CLOSE, color="0.7", linewidth=0.6, linestyle=":", zorder=0)
        axes[0].set_yticks([0, 0.5, CLOSE], ["0", "0.5", f"{CLOSE:g}"])
    axes[-1].set_xlabel("Fraction of training")
    if len(itself):
        part.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4,
                    handlelength=1.6, columnspacing=1)  # fmt: skip


def _draw_layers(
    ax: Any, rows: pd.DataFrame, depth: int, colour: str, limits: tuple[float, float] = FREE
) -> None:
    for layer in sorted(rows["layer"].unique()):
        look = look_of_layer(int(layer), depth, colour)
        of_layer = rows[rows["layer"] == layer]
        draw_mean(ax, of_layer, "at", limits, label=name_of_layer(int(layer), depth), **look)
    if rows.empty:
        say(ax, NOTHING)


def _orders(table: pd.DataFrame) -> pd.DataFrame:
    """Return the median order of layers over networks, with its interval."""
    rows = table[(table["measure"] == ORDER) & table["variant"].isin(READINGS)]
    return with_interval(rows, ["activation", "variant"])


def _draw_orders(
    ax: Any, table: pd.DataFrame, orders: pd.DataFrame, kinds: list[str], style: Style
) -> None:
    """Draw the order of layers, which claims are about: a dot for each network, and the median."""
    if orders.empty:
        say(ax, NOTHING)
        return
    looks = {kind: {"marker": "o"} | dot_of(kind, style) for kind in kinds}
    for number, kind in enumerate(kinds):
        aside = SPREAD * ((number + 0.5) / len(kinds) - 0.5)
        of_kind = (table["measure"] == ORDER) & (table["activation"] == kind)
        for place, reading in enumerate(READINGS):
            values = table.loc[of_kind & (table["variant"] == reading), "value"].dropna()
            ax.plot(values, [place + aside + 0.14] * len(values), ".", markersize=2,
                    color=style.colours[kind], alpha=0.5)  # fmt: skip
    draw_dots(ax, orders, ["variant"], READINGS, "activation", looks, NOTHING)
    ax.axvline(LIMIT, color=FLOOR, linestyle=":", linewidth=0.8)
    ax.annotate("limit:\nno order", (LIMIT, 1), xycoords=("data", "axes fraction"), xytext=(3, -2),
                textcoords="offset points", va="top", size=small_type(), color=FLOOR)  # fmt: skip
    ax.set(title="Order of layers", xlim=(-1.08, 1.08))
    ax.set_xticks([-1, 0, 1], ["\N{MINUS SIGN}1\nbottom up", "0", "1\ntop down"])
    ax.set_xlabel("tau of depth and curve")
    name_dots(
        ax, looks, {kind: activation_name(kind) for kind in kinds}, loc="lower right", **FRAMED
    )
