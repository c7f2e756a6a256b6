"""Figure C4: learning dynamics."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.curves import dot_of
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
TIME = "time_to_0.95"


def draw(table: pd.DataFrame, style: Style) -> Figure:
    table = with_deviations(table, learned_ends(table))
    kinds = activations(table)
    depth = int(table["depth"].max())
    shown = table[table["contrast"] == "mean"]
    rows = len(kinds)
    heights = [0.4 * style.width, (0.21 * rows + 0.05) * style.width, 0.31 * style.width]
    figure = Figure(figsize=(style.width, sum(heights) + 0.1 * style.width))
    top, middle, bottom = figure.subfigures(3, 1, height_ratios=heights)
    letter(top, "A")
    first = first_shown(shown, kinds)
    _draw_maps(top, shown[shown["activation"] == first], activation_name(first))
    letter(middle, "B")
    _draw_curves(middle, table, kinds, depth, style)
    left, right = bottom.subfigures(1, 2, width_ratios=[len(kinds), 1])
    letter(left, "C")
    letter(right, "D")
    _draw_progress(left, table, kinds, depth, style)
    _draw_times(right.subplots(), table, kinds, depth, style)
    finish(
        figure,
        table,
        style,
        f"{number_of_networks(table)}. A: {activation_name(first)}; numbers: directions that SVCCA"
        f" keeps of the layer then. B, C: mean over networks, {deviations(learned_ends(table))};"
        " tau: Kendall's correlation of depth and curve from 5 % to 50 % of training, the median"
        " over networks; -1 is bottom up, 0 is no order. D: medians,"
        f" {with_intervals(_medians(table), table, TIME)}.{left_out(table)}",
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


def _draw_curves(
    part: Any, table: pd.DataFrame, kinds: list[str], depth: int, style: Style
) -> None:
    rows = table[table["contrast"] == "mean"]
    itself = rows[(rows["layer"] == rows["other_layer"]) & rows["layer"].between(1, depth)]
    axes = part.subplots(len(kinds), len(NAMES), squeeze=False, sharex=True, sharey=True)
    for row, kind in zip(axes, kinds, strict=True):
        for ax, (measure, name) in zip(row, NAMES.items(), strict=True):
            own = itself[(itself["activation"] == kind) & (itself["measure"] == measure)]
            curves, floor = (own[own["variant"] == variant] for variant in ("", "floor"))
            _draw_layers(ax, curves, depth, style.colours[kind], (0, 1))
            if len(floor):
                value = floor["value"].mean()
                ax.axhline(value, color=FLOOR, linestyle=":", linewidth=1)
                ax.text(
                    0.99, value + 0.03, "noise floor", size=small_type(), color=FLOOR, ha="right"
                )
            ax.set_title(f"{name}{_order(table, kind, measure)}")
        row[0].set_ylabel(f"{activation_name(kind)}\nSimilarity to the end")
        row[0].set_ylim(-0.03, 1.03)
        if len(itself):
            row[-1].legend(loc="center left", bbox_to_anchor=(1, 0.5), handlelength=1.6)
    for ax in axes[-1]:
        time_axis(ax)
        ax.set_xlabel("Fraction of training")


def _order(table: pd.DataFrame, kind: str, variant: str) -> str:
    """Return the words for the order of layers, which claims are about."""
    rows = table[(table["measure"] == "order_of_layers") & (table["variant"] == variant)]
    order = rows.loc[rows["activation"] == kind, "value"].median()
    return "" if np.isnan(order) else f": tau = {round(order, 2) + 0.0:.2f}"


def _draw_layers(
    ax: Any, rows: pd.DataFrame, depth: int, colour: str, limits: tuple[float, float] = FREE
) -> None:
    for layer in sorted(rows["layer"].unique()):
        look = look_of_layer(int(layer), depth, colour)
        of_layer = rows[rows["layer"] == layer]
        draw_mean(ax, of_layer, "at", limits, label=name_of_layer(int(layer), depth), **look)
    if rows.empty:
        say(ax, NOTHING)


def _draw_progress(
    part: Any, table: pd.DataFrame, kinds: list[str], depth: int, style: Style
) -> None:
    rows = table[table["contrast"] == "mean"]
    moved = rows[(rows["variant"] == "progress") & rows["layer"].between(1, depth)]
    axes = part.subplots(1, len(kinds), squeeze=False, sharey=True)[0]
    for ax, kind in zip(axes, kinds, strict=True):
        _draw_layers(ax, moved[moved["activation"] == kind], depth, style.colours[kind])
        time_axis(ax)
        order = _order(table, kind, "pwcca progress")
        ax.set(title=f"{activation_name(kind)}{order}", xlabel="Fraction of training")
        ax.set_ylim(-0.03, 1.03)
    axes[0].set_ylabel("Progress (PWCCA)")


def _draw_times(ax: Any, table: pd.DataFrame, kinds: list[str], depth: int, style: Style) -> None:
    ax.set_title("Until PWCCA is 0.95")
    times = _medians(table)
    if times.empty:
        say(ax, NOTHING)
        return
    for number, kind in enumerate(kinds):
        aside = 0.16 * (number - (len(kinds) - 1) / 2)
        look = {"marker": "os^D"[number % 4], "markersize": 3.5} | dot_of(kind, style)
        of_kind = times[times["activation"] == kind]
        if of_kind.empty:
            continue
        at = of_kind["layer"].astype(float) + aside
        ax.vlines(at, of_kind["low"], of_kind["high"], color=look["color"], linewidth=1)
        ax.plot(at, of_kind["value"], linestyle="none", label=activation_name(kind), **look)
    names = [*map(str, range(1, depth + 1)), "logits", "softmax"]
    ax.set_xticks(range(1, depth + 3), names)
    for tick in ax.get_xticklabels()[depth:]:
        tick.set(rotation=35, ha="right", rotation_mode="anchor")
    ax.set(xlabel="Layer", ylabel="Fraction of training")
    ax.set_ylim(0, None)
    ax.legend(handlelength=0.8, **FRAMED)


def _medians(table: pd.DataFrame) -> pd.DataFrame:
    """Return the median of each layer over networks, with its interval."""
    rows = table[(table["measure"] == TIME) & table["layer"].ge(1)]
    return with_interval(rows, ["activation", "layer"])
