"""Figure C8: wide and narrow networks."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from repatlas.pairs.floor import FLOOR
from repatlas.plots.curves import name_curves
from repatlas.plots.style import GREY, Style, activations, finish, letter, say
from repatlas.studies.convergence.rows.distances import OVER_PAIRS, UNTRAINED
from repatlas.studies.convergence.tables.figC8 import BY_ACCURACY, RATIO

RATIOS = {
    ("pwcca", "both"): "PWCCA",
    ("subsets", "pwcca"): "PWCCA, 8 units",
    ("svcca", "k = 8"): "SVCCA, 8 directions",
    ("alignment", "debiased"): "Debiased alignment",
}

ASIDE = ((7, 3), (-7, -8))
"""Where widths stand beside the dots of the first activation and of the second, in points."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 0.8 * style.width))
    top, bottom = figure.subfigures(2, 1, height_ratios=[1.15, 1])
    means = table[table["contrast"] == OVER_PAIRS]
    left, right = top.subfigures(1, 2, width_ratios=[2, 1.1])
    letter(left, "A")
    pwcca = means[means["measure"] == "pwcca"]
    layers = sorted(pwcca["layer"].dropna().unique())
    axes = left.subplots(1, max(len(layers), 1), sharey=True, squeeze=False)[0]
    for ax, layer in zip(axes, layers, strict=False):
        _draw_widths(ax, pwcca[pwcca["layer"] == layer], style)
        ax.set(title=f"Layer {layer:.0f}", xlabel="Width", ylim=(0, 1))
    axes[0].set_ylabel("PWCCA distance")
    if not layers:
        say(axes[0], "Not measured")
    for line, name in (("-", "trained"), ((0, (3, 1.5)), "untrained"), (":", "floor")):
        axes[-1].plot([], [], color=GREY, linestyle=line, linewidth=0.9, label=name)
    left.legend(*axes[-1].get_legend_handles_labels(), loc="outside lower center", ncols=3,
                handlelength=1.8)  # fmt: skip

    letter(bottom, "B")
    last = max(layers, default=0)
    panels = bottom.subplots(1, len(RATIOS), sharey=True)
    for ax, ((measure, variant), title) in zip(panels, RATIOS.items(), strict=True):
        rows = means[(means["measure"] == measure) & (means["variant"] == variant + RATIO)]
        _draw_ratios(ax, rows[rows["layer"] == last], style)
        ax.set(title=title, xlabel="Width")
    panels[0].set_ylabel(f"Distance at layer {last:.0f},\ntrained over untrained")
    letter(right, "C")
    ax = right.subplots()
    _draw_accuracies(ax, table, style)
    name_curves(ax, activations(table), style, loc="upper right")
    number = table.loc[table["measure"] == "accuracy", "seed"].nunique()
    finish(
        figure,
        table,
        style,
        f"Mean and SD over the pairs of {number} networks of each width; all are shown, whatever "
        "their accuracy. Floor: the images of one of them in random order. C: a dot is a network, "
        "its distance the pseudo-value over its pairs at the last hidden layer; crosses are means "
        "of a width.",
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
            ":": floor & (own["step"] > UNTRAINED),
        }
        for line, chosen in kinds.items():
            of_kind = own[chosen]
            ax.errorbar(of_kind["width"], of_kind["value"], of_kind["sd"] if line == "-" else None,
                        color=colour, linestyle=line, marker="o", markersize=2, elinewidth=0.7,
                        linewidth=1.2 if line == "-" else 0.8)  # fmt: skip
    _scale(ax, rows)


def _draw_ratios(ax: Any, rows: pd.DataFrame, style: Style) -> None:
    if rows.empty:
        say(ax, "Not measured")
    for activation in activations(rows):
        own = rows[rows["activation"] == activation].sort_values("width")
        ax.errorbar(own["width"], own["value"], own["sd"], color=style.colours[activation],
                    marker="o", markersize=2, elinewidth=0.7)  # fmt: skip
    _scale(ax, rows)
    ax.axhline(1, color="0.7", linewidth=0.6, linestyle=":", zorder=0)
    ax.set_ylim(bottom=0)


def _draw_accuracies(ax: Any, table: pd.DataFrame, style: Style) -> None:
    rows = table[table["variant"].str.endswith(BY_ACCURACY)].dropna(subset=["value", "at"])
    if rows.empty:
        say(ax, "Not measured")
        return
    for place, activation in zip(ASIDE, activations(rows), strict=False):
        own = rows[rows["activation"] == activation]
        colour = style.colours[activation]
        ax.plot(own["at"], own["value"], ".", color=colour, markersize=2, alpha=0.5)
        of_width = own.groupby("width")[["at", "value"]].mean()
        ax.plot(of_width["at"], of_width["value"], "x-", color=colour, markersize=3.5,
                linewidth=0.6)  # fmt: skip
        for width in (of_width.index[0], of_width.index[-1]):
            at, value = of_width.loc[width]
            ax.annotate(f"{width:.0f}", (at, value), xytext=place, textcoords="offset points",
                        color=colour, size="small", ha="center")  # fmt: skip
    ax.set(xlabel="Test accuracy", ylabel="PWCCA distance", title="By accuracy")


def _scale(ax: Any, rows: pd.DataFrame) -> None:
    """Widths on a scale of powers of 2."""
    widths = sorted(rows["width"].dropna().unique())
    ax.set_xscale("log", base=2)
    ax.set_xticks([float(width) for width in widths], [f"{width:.0f}" for width in widths])
    ax.minorticks_off()
