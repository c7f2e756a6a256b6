"""Figure C10: tanh and ReLU."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.inference.intervals import median_interval
from repatlas.plots.style import Style, activation_name, activations, finish, letter, say
from repatlas.studies.convergence.drawing import FLOOR, left_out, number_of_networks
from repatlas.studies.convergence.rows.similarities import OVER_PAIRS

LINES = {"tanh": "-", "relu": (0, (4, 1.5))}
"""So that activations can be told apart without colours."""
MARKERS = {"tanh": "o", "relu": "s"}
NOTHING = "No pair of networks that learned"
SIGNED, ABSOLUTE = "signed minus floor", "absolute minus floor"


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 0.5 * style.width))
    part = figure.subfigures(1, 1)  # so that its legend stays below the word PREVIEW
    letter(part, "A")
    axes = part.subplots(1, 3)
    means = table[table["contrast"] == OVER_PAIRS]
    kinds = activations(table)
    for ax, variant in zip(axes, (SIGNED, ABSOLUTE), strict=False):
        _draw_matched(ax, means[means["variant"] == variant], kinds, style)
        ax.set(title=variant.split()[0].capitalize(), ylabel="Matched correlation less floor")
    together = means.loc[means["variant"].isin([SIGNED, ABSOLUTE]), ["value", "sd"]].fillna(0)
    if len(together):
        highest = float(together.sum(axis=1).max())
        for ax in axes[:2]:
            ax.set_ylim(min(0, float(together["value"].min())), 1.1 * highest)
    of_networks = table["contrast"].isna() & table["comparison"].notna()
    _draw_gap(axes[2], table[of_networks], kinds, style)
    _legend(part, kinds, style)
    finish(
        figure,
        table,
        style,
        f"{number_of_networks(table)}. Left, middle: mean and SD over all pairs, hidden layers; "
        "grey: before training. Right: absolute less signed, each less its own floor, median over"
        f" networks (pseudo-values) with 95 % interval.{left_out(table)}",
    )
    return figure


def _draw_matched(ax: Any, rows: pd.DataFrame, kinds: list[str], style: Style) -> None:
    if rows.empty:
        say(ax, NOTHING)
        return
    for kind in kinds:
        own = rows[rows["activation"] == kind]
        for step in sorted(own["step"].unique()):
            colour = style.colours[kind] if step else FLOOR
            line = own[own["step"] == step].sort_values("layer")
            at, value = (line[name].to_numpy(float) for name in ("layer", "value"))
            spread = np.nan_to_num(line["sd"].to_numpy(float))
            ax.plot(at, value, color=colour, linestyle=LINES.get(kind, ":"))
            ax.fill_between(at, value - spread, value + spread, color=colour, alpha=0.15,
                            linewidth=0)  # fmt: skip
    ax.set_xticks(sorted(rows["layer"].astype(float).unique()))
    ax.set_xlabel("Hidden layer")


def _draw_gap(ax: Any, rows: pd.DataFrame, kinds: list[str], style: Style) -> None:
    ax.set(title="Absolute less signed", xlabel="Hidden layer")
    trained = rows[rows["step"] > 0]
    if trained.empty:
        say(ax, NOTHING)
        return
    ax.axhline(0, color="0.8", linewidth=0.6, zorder=0)
    for number, kind in enumerate(kinds):
        of_kind = trained[trained["activation"] == kind]
        wide = of_kind.pivot_table(index=["layer", "seed"], columns="variant", values="value")
        gaps = (wide[ABSOLUTE] - wide[SIGNED]).groupby("layer")
        for layer, of_layer in gaps:
            found = median_interval(of_layer.to_numpy(float))
            at = float(layer) + 0.16 * (number - (len(kinds) - 1) / 2)
            colour = style.colours[kind]
            ax.plot(at, found.value, MARKERS.get(kind, "^"), color=colour, markersize=4)
            ax.vlines(at, found.low, found.high, color=colour, linewidth=1)
    ax.set_xticks(sorted(trained["layer"].astype(float).unique()))


def _legend(part: Any, kinds: list[str], style: Style) -> None:
    handles = [
        Line2D([], [], color=style.colours[kind] if step else FLOOR, linestyle=LINES.get(kind, ":"),
               marker=MARKERS.get(kind, "^") if step else "", markersize=4,
               label=activation_name(kind) + ("" if step else ", before training"))
        for step in (1, 0)
        for kind in kinds
    ]  # fmt: skip
    part.legend(handles=handles, loc="outside lower center", ncols=4, handlelength=2.4)
