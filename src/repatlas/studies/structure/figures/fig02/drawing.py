"""Figure 2: the effect of separability."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.panels import OF_PANELS, TITLES, differences_below, draw_panels
from repatlas.plots.patterns import draw_after
from repatlas.plots.patterns import reach_of as reach_of_patterns
from repatlas.plots.schematic import draw_clusters, reach_of
from repatlas.plots.style import (
    GREY,
    Style,
    activation_name,
    activations,
    finish,
    letter,
    small_type,
)
from repatlas.plots.trajectories import draw_trajectories, heights_of
from repatlas.plots.words import mean_and_networks, mean_over

LIMIT = 0.57735
"""Claim 16 says that target alignment is below this at a separability of 0: equidistant clusters
have 1 / sqrt(3)."""
MOST_IN_A_ROW = 3, 3
"""The most panels in a row of A and of C, so that titles do not overlap."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    # The table has linear networks, too; they are not drawn.
    shown = activations(table[table["measure"].isin(OF_PANELS)])
    table = table[table["activation"].isin(shown) | table["contrast"].notna()]
    centres = table[table["measure"] == "centre"]
    names, deltas = activations(centres), sorted(centres["delta"].unique())
    in_a, in_c = (_grid(len(deltas), most) for most in MOST_IN_A_ROW)
    heights = [0.165 * in_a[0], 0.78, 0.165 * in_c[0] * len(names)]
    figure = Figure(figsize=(style.width, (sum(heights) + 0.04) * style.width))
    top, middle, bottom = figure.subfigures(3, 1, height_ratios=heights)

    letter(top, "A")
    for part, delta in zip(top.subfigures(*in_a, squeeze=False).flat, deltas, strict=False):
        _draw_geometries(part, table, delta, names)

    letter(middle, "B")
    label = r"Separability $\delta$"
    axes = draw_panels(middle, table, style, "delta", label, spread="networks")
    _mark_limit(axes.flat[list(TITLES).index("target_alignment")])

    letter(bottom, "C")
    axes = bottom.subplots(in_c[0] * len(names), in_c[1], squeeze=False, sharex=True, sharey=True)
    heights = heights_of(table)
    for block, activation in zip(axes.reshape(len(names), -1), names, strict=True):
        for ax, delta in zip(block, deltas, strict=False):
            of_delta = table[table["delta"] == delta]
            title = rf"$\delta={delta:g}$"
            draw_trajectories(ax, of_delta, activation, style, title, ": ", heights)
        _remove_unused(block, len(deltas))
        for ax in block[:: in_c[1]]:
            ax.set_ylabel(f"{activation_name(activation)}:\ninter-class")
    for ax in axes[-1]:
        ax.set_xlabel("Intra-class weight")

    finish(
        figure,
        table,
        style,
        "A: inputs, and hidden patterns after training in one network of each kind; percentages: "
        "the share of their variance in the plane that is drawn. "
        f"B: {mean_and_networks(table, 'target_alignment')}, after {style.step} steps."
        f"{differences_below(table)} "
        "C: neurons with positive readout of one network, on the expected gradient; "
        "inter-selective: inter > |intra| at the end, "
        f"{mean_over(table, 'inter_selective')}.",
    )
    return figure


def _mark_limit(ax: Any) -> None:
    """Draw the largest target alignment that claim 16 allows at a separability of 0."""
    low, high = ax.get_xlim()
    end = 0.12 * (high - low)
    ax.plot([0, end], [LIMIT] * 2, color="black", linewidth=0.7, linestyle=":")
    box = {"boxstyle": "square,pad=0.05", "facecolor": "white", "linewidth": 0}
    ax.annotate("limit", (0, LIMIT), xytext=(0, -2), textcoords="offset points",
                color=GREY, size=small_type(), va="top", bbox=box, zorder=1)  # fmt: skip


def _draw_geometries(part: Any, table: pd.DataFrame, delta: float, names: list[str]) -> None:
    """Draw the centres of one delta and, to the right, the hidden patterns after training."""
    centres = table[table["measure"] == "centre"]
    patterns = table[table["measure"] == "pattern"]
    axes = part.subplots(1, 1 + len(names), width_ratios=[1.4, *[1] * len(names)])
    is_shown = (centres["delta"] == delta) & (centres["activation"] == names[0])
    draw_clusters(axes[0], centres[is_shown], reach_of(centres))
    axes[0].set_title(rf"$\delta={delta:g}$")
    for ax, activation in zip(axes[1:], names, strict=True):
        of = (patterns["delta"] == delta) & (patterns["activation"] == activation)
        draw_after(ax, patterns[of], reach_of_patterns(patterns))
        ax.set_title(activation_name(activation))


def _grid(panels: int, most: int) -> tuple[int, int]:
    """Return the number of rows and of columns of a grid."""
    rows = -(-panels // most)
    return rows, -(-panels // rows)


def _remove_unused(axes: Any, used: int) -> None:
    for ax in list(axes.flat)[used:]:
        ax.remove()
