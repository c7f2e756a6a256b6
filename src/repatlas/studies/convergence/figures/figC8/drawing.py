"""Figure C8: wide and narrow networks."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.pairs.floor import FLOOR
from repatlas.plots.scales import set_plain_log
from repatlas.plots.style import (
    GREY,
    Style,
    activation_name,
    activations,
    finish,
    letter,
    say,
    small_type,
)
from repatlas.studies.convergence.figures.figC8.table import BY_ACCURACY, RATIO
from repatlas.studies.convergence.parts import deviations, ends_of, with_deviations
from repatlas.studies.convergence.rows.distances import TYPICAL, UNTRAINED

RATIOS = {
    ("pwcca", "both"): "PWCCA",
    ("subsets", "pwcca"): "PWCCA, 8 units",
}
"""The panels of B, which claims are about; the table has SVCCA and debiased alignment, too."""

MARKERS = {"tanh": "o", "relu": "s"}
"""Others have triangles."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    ends = ends_of(table)
    table = with_deviations(table, ends)
    figure = Figure(figsize=(style.width, 0.86 * style.width))
    top, bottom = figure.subfigures(2, 1, height_ratios=[1.3, 1])
    means = table[table["contrast"] == TYPICAL]
    letter(top, "A")
    pwcca = means[(means["measure"] == "pwcca") & means["reduction"].isin(["", "spatial"])]
    layers = sorted(pwcca["layer"].dropna().unique())
    axes = top.subplots(1, max(len(layers), 1), sharey=True, squeeze=False)[0]
    for ax, layer in zip(axes, layers, strict=False):
        _draw_widths(ax, pwcca[pwcca["layer"] == layer], style)
        ax.set(title=f"Layer {layer:.0f}", xlabel="Width", ylim=(0, 1))
    axes[0].set_ylabel("PWCCA distance")
    if not layers:
        say(axes[0], "Not measured")
    for line, name in (("-", "trained"), ((0, (3, 1.5)), "untrained"), (":", "floor")):
        axes[-1].plot([], [], color=GREY, linestyle=line, linewidth=0.9, label=name)

    left, right = bottom.subfigures(1, 2, width_ratios=[1.7, 1])
    letter(left, "B")
    last = max(layers, default=0)
    panels = left.subplots(1, len(RATIOS), sharey=True)
    for ax, ((measure, variant), title) in zip(panels, RATIOS.items(), strict=True):
        rows = means[(means["measure"] == measure) & (means["variant"] == variant + RATIO)]
        _draw_ratios(ax, rows[rows["layer"] == last], style)
        ax.set(title=title, xlabel="Width")
    panels[0].annotate("as untrained", (0.02, 1), xycoords=panels[0].get_yaxis_transform(),
                       xytext=(0, 2), textcoords="offset points", color=GREY,
                       size=small_type())  # fmt: skip
    panels[0].set_ylabel(f"Distance at layer {last:.0f},\ntrained over untrained")
    letter(right, "C")
    ax = right.subplots()
    _draw_accuracies(ax, table, style)
    handles = [
        Line2D([], [], color=style.colours[activation], label=activation_name(activation),
               **_marker(activation))
        for activation in activations(table)
    ]  # fmt: skip
    handles += axes[-1].get_legend_handles_labels()[0]
    top.legend(handles=handles, loc="outside lower center", ncols=5, handlelength=1.8)
    number = table.loc[table["measure"] == "accuracy", "seed"].nunique()
    finish(
        figure,
        table,
        style,
        f"Two typical networks of the {number} of each width,"
        f" {deviations(ends, ' over pairs, not an error')}; "
        "all are shown, whatever their accuracy. Floor: the images of one of them in random order. "
        "C: a dot is a network, its distance the pseudo-value over its pairs at the last hidden "
        "layer; large ones are medians of a width, the larger the wider.",
    )
    return figure


def _draw_widths(ax: Any, rows: pd.DataFrame, style: Style) -> None:
    for activation in activations(rows):
        colour = style.colours[activation]
        own = rows[rows["activation"] == activation].sort_values("width")
        floor = own["variant"].str.endswith(FLOOR)
        kinds = {
            "-": ~floor & own["variant"].eq("both") & (own["step"] > UNTRAINED),
            (0, (3, 1.5)): ~floor & own["variant"].eq("both") & (own["step"] == UNTRAINED),
        }
        for line, chosen in kinds.items():
            of_kind = own[chosen]
            ax.errorbar(of_kind["width"], of_kind["value"], of_kind["sd"] if line == "-" else None,
                        color=colour, linestyle=line, elinewidth=0.7, **_marker(activation),
                        linewidth=1.2 if line == "-" else 0.8)  # fmt: skip
        of_floor = own[floor & (own["step"] > UNTRAINED)]
        ax.plot(of_floor["width"], of_floor["value"], color=GREY, linestyle=":", linewidth=0.8)
    _scale(ax, rows)


def _draw_ratios(ax: Any, rows: pd.DataFrame, style: Style) -> None:
    if rows.empty:
        say(ax, "Not measured")
    for activation in activations(rows):
        own = rows[rows["activation"] == activation].sort_values("width")
        ax.errorbar(own["width"], own["value"], own["sd"], color=style.colours[activation],
                    elinewidth=0.7, **_marker(activation))  # fmt: skip
    _scale(ax, rows)
    ax.axhline(1, color="0.7", linewidth=0.6, linestyle=":", zorder=0)
    # Where untrained layers are nearly the same, a ratio is far above the others.
    set_plain_log(ax, (1, 2, 5))


def _draw_accuracies(ax: Any, table: pd.DataFrame, style: Style) -> None:
    rows = table[table["variant"].str.endswith(BY_ACCURACY)].dropna(subset=["value", "at"])
    if rows.empty:
        say(ax, "Not measured")
        return
    for activation in activations(rows):
        own = rows[rows["activation"] == activation]
        colour = style.colours[activation]
        ax.plot(own["at"], own["value"], color=colour, alpha=0.5, linestyle="",
                **_marker(activation) | {"markersize": 1.4})  # fmt: skip
        of_width = own.groupby("width")[["at", "value"]].median()
        ax.plot(of_width["at"], of_width["value"], color=colour, linewidth=0.5)
        for rank, (at, value) in enumerate(of_width.to_numpy(float)):
            look = _marker(activation) | {"markersize": 3 + 0.7 * rank}
            ax.plot(at, value, color=colour, **look)
    ax.set(xlabel="Test accuracy", ylabel="PWCCA distance", title="By accuracy")


def _marker(activation: str) -> dict[str, Any]:
    """Return the marker of an activation; ReLU's is open, so that both differ in grey, too."""
    look = {"marker": MARKERS.get(activation, "^"), "markersize": 3.0, "markeredgewidth": 0.8}
    return look | ({"markerfacecolor": "white"} if activation == "relu" else {})


def _scale(ax: Any, rows: pd.DataFrame) -> None:
    """Set an axis of widths with a scale of powers of 2."""
    widths = sorted(rows["width"].dropna().unique())
    ax.set_xscale("log", base=2)
    ax.set_xticks([float(width) for width in widths], [f"{width:.0f}" for width in widths])
    ax.minorticks_off()
