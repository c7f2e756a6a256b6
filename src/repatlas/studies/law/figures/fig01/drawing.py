"""Figure 1: what the law predicts, and what networks learn."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.inference.pooling import not_diverged
from repatlas.plots.style import (
    ACTIVATION_MARKERS,
    GREY,
    Style,
    activation_name,
    activations,
    finish,
    letter,
    say,
    small_type,
)
from repatlas.plots.words import counted, listed, why_nothing

LIMIT = 0.9
"""The R^2 above which the law is supported."""
PANELS = {
    "target_alignment": "Target alignment",
    "input_alignment": "Input alignment",
    "parallelism": "Parallelism",
    "ccgp": "CCGP",
}
SHADES = {0.5: ("0.6", "v"), 1.0: ("#5B2C83", "o")}
"""Colour and marker of drawn functions, by separability."""
WITHOUT_FACE = "1234"
"""Markers that are lines, without a face."""
NETWORK = ["functions", "function", "activation", "delta"]
GUIDE = {"color": "0.3", "linewidth": 0.6, "zorder": 0}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    nothing = why_nothing(table[table["run"].notna()])
    rows = not_diverged(table[table["predicted"].notna() & table["run"].notna()])
    kept = rows.groupby(["measure", *NETWORK], dropna=False)[["value", "predicted"]]
    dots = kept.median().reset_index()

    figure = Figure(figsize=(style.width, 0.98 * style.width))
    above, below = figure.subfigures(2, 1, height_ratios=[1.5, 1])
    left, right = above.subfigures(1, 2, width_ratios=[1.5, 1])
    parts = dict(zip("BCD", below.subfigures(1, 3), strict=True))
    for part, (mark, measure) in zip(
        [left, *parts.values()], zip("ABCD", PANELS, strict=True), strict=True
    ):
        letter(part, mark)
        _draw_dots(part.subplots(), dots, measure, style, nothing, large=mark == "A")
    letter(right, "E")
    _draw_explained(right.subplots(), table, nothing)
    look = {"linestyle": "", "marker": "o", "color": "0.3", "markersize": 4}
    filled = Line2D([], [], label="the law", **look)
    empty = Line2D([], [], label="other seeds (ceiling)", markerfacecolor="white", **look)
    right.legend(handles=[filled, empty], loc="outside lower center", ncols=2, borderpad=0,
                 handlelength=1)  # fmt: skip
    names = activations(rows)
    handles = [
        Line2D([], [], linestyle="", marker=marker, color=colour, markersize=3,
               label=rf"drawn, $\delta={delta:g}$")
        for delta, (colour, marker) in SHADES.items()
    ]  # fmt: skip
    handles += [
        Line2D(
            [], [], linestyle="", markersize=4, label=activation_name(name), **_look(name, style)
        )
        for name in names
    ]
    below.legend(handles=handles, loc="outside upper center", ncols=5, borderpad=0, handlelength=1)
    numbers = [_number(rows, which) for which in ("drawn", "named")]
    finish(figure, table, style, f"A to D: {listed(list(filter(None, numbers)))}.")
    return figure


def _number(rows: pd.DataFrame, which: str) -> str:
    """Return how many functions and networks there are, in words; nothing if there are none."""
    of = rows[rows["functions"] == which]
    functions = len(of[["function", "activation"]].drop_duplicates())
    seeds = of["seed"].nunique()
    each = f"median of {counted(seeds)}" if seeds > 1 else counted(seeds)
    return f"{functions} {which} functions ({each} each)" if functions else ""


def _look(name: str, style: Style) -> dict[str, Any]:
    marker, colour = ACTIVATION_MARKERS.get(name, "o"), style.colours[name]
    edge = {"markeredgecolor": "black", "markeredgewidth": 0.5}
    if marker in WITHOUT_FACE:
        edge = {"markeredgecolor": colour, "markeredgewidth": 1.2}
    return {"marker": marker, "color": colour} | edge


def _draw_dots(
    ax: Any, dots: pd.DataFrame, measure: str, style: Style, nothing: str, large: bool
) -> None:
    """Draw the median over seeds of each function against its prediction."""
    shown = dots[dots["measure"] == measure]
    if not len(shown):
        say(ax, nothing)
        return
    least = -1.0 if measure == "parallelism" else 0.0
    low = max(least, min(shown["value"].min(), shown["predicted"].min()) - 0.05)
    ax.plot([low, 1], [low, 1], **GUIDE)
    drawn, named = shown[shown["functions"] == "drawn"], shown[shown["functions"] == "named"]
    for delta, (colour, marker) in SHADES.items():
        of = drawn[drawn["delta"] == delta]
        ax.plot(of["predicted"], of["value"], marker, color=colour, alpha=0.7,
                markersize=2.4 if large else 1.6, markeredgewidth=0)  # fmt: skip
    for each in named.itertuples():
        ax.plot(each.predicted, each.value, linestyle="", zorder=4,
                markersize=5 if large else 3.5, **_look(each.activation, style))  # fmt: skip
    ax.set(xlim=(low, 1.03), ylim=(low, 1.03), xlabel="Predicted", title=PANELS[measure])
    ax.set_ylabel("Found")


def _draw_explained(ax: Any, table: pd.DataFrame, nothing: str) -> None:
    """Draw R^2 over drawn functions for each measure and separability, and its ceiling."""
    of_drawn = table[table["functions"] == "drawn"]
    found = of_drawn[of_drawn["measure"] == "explained of medians"]
    ceilings = of_drawn[of_drawn["measure"] == "explained by seeds"]
    if not found["value"].notna().any():
        say(ax, nothing)
        return
    few = of_drawn["seed"].nunique() < 2
    least = LIMIT
    for row, measure in enumerate(PANELS):
        for delta, (colour, marker) in SHADES.items():
            y = row + (0.17 if delta == max(SHADES) else -0.17)
            cell = found[(found["variant"] == measure) & (found["delta"] == delta)]
            ceiling = ceilings[(ceilings["variant"] == measure) & (ceilings["delta"] == delta)]
            for each in cell.itertuples():
                ax.plot([each.low, each.high], [y, y], color=colour, linewidth=1)
                ax.plot(each.value, y, marker, color=colour, markersize=4)
                least = min(least, each.low)
            if len(ceiling) and not few:
                ax.plot(ceiling["value"].median(), y, marker, color=colour, markersize=4,
                        markerfacecolor="white")  # fmt: skip
    ax.axvline(LIMIT, linestyle=":", **GUIDE)
    ax.annotate("limit", (LIMIT, len(PANELS) - 0.55), xytext=(-2, 0), textcoords="offset points",
                ha="right", va="center", color=GREY, size=small_type())  # fmt: skip
    ax.set_yticks(np.arange(len(PANELS)), [name.replace(" ", "\n") for name in PANELS.values()])
    ax.set(xlim=(max(0.0, np.floor(10 * least) / 10 - 0.02), 1.02), ylim=(len(PANELS) - 0.4, -0.6))
    ax.set(xlabel="$R^2$ over functions", title="Drawn functions")
