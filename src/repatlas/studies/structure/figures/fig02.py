"""Figure 2: the effect of separability."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.baseline import SAID, draw_targets_own
from repatlas.plots.panels import OF_PANELS, TITLES, draw_panels
from repatlas.plots.schematic import draw_clusters, reach_of
from repatlas.plots.style import Style, activation_name, activations, finish, letter
from repatlas.plots.trajectories import draw_trajectories
from repatlas.plots.words import mean_and_sd, mean_over

MOST_IN_A_ROW = 6, 3
"""Panels of A and of C, so that titles have room."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    # Without the linear networks, of which the table tells, too.
    table = table[table["activation"].isin(activations(table[table["measure"].isin(OF_PANELS)]))]
    centres = table[table["measure"] == "centre"]
    names, deltas = activations(centres), sorted(centres["delta"].unique())
    in_a, in_c = (_grid(len(deltas), most) for most in MOST_IN_A_ROW)
    heights = [0.34 * in_a[0], 0.68, 0.375 * in_c[0] * len(names)]
    figure = Figure(figsize=(style.width, (sum(heights) - 0.35) * style.width))
    top, middle, bottom = figure.subfigures(3, 1, height_ratios=heights)

    letter(top, "A")
    axes = top.subplots(*in_a, squeeze=False)
    for ax, delta in zip(axes.flat, deltas, strict=False):
        one_network = (centres["delta"] == delta) & (centres["activation"] == names[0])
        draw_clusters(ax, centres[one_network], reach_of(centres))
        ax.set_title(rf"$\delta={delta:g}$")
    _remove_unused(axes, len(deltas))

    letter(middle, "B")
    axes = draw_panels(middle, table, style, x="delta", label=r"Separability $\delta$")
    inputs = axes.flat[list(TITLES).index("input_alignment")]
    has_baseline = draw_targets_own(inputs, table, "delta")

    letter(bottom, "C")
    axes = bottom.subplots(in_c[0] * len(names), in_c[1], squeeze=False)
    for block, activation in zip(axes.reshape(len(names), -1), names, strict=True):
        for ax, delta in zip(block, deltas, strict=False):
            title = rf"{activation_name(activation)}, $\delta={delta:g}$"
            draw_trajectories(ax, table[table["delta"] == delta], activation, style, title)
        _remove_unused(block, len(deltas))
    for row in axes:
        row[0].set_ylabel("Inter-class weight")
    for ax in axes[-1]:
        ax.set_xlabel("Intra-class weight")

    finish(
        figure,
        table,
        style,
        "A: centres to scale, circles 1 SD of the noise. "
        f"B: {mean_and_sd(table, 'target_alignment')} after {style.step} steps."
        f"{has_baseline * SAID} "
        "C: neurons with positive readout of one network, from the circles on; arrows: expected "
        "gradient (square root of its length); inter-selective: inter > |intra| at the end, "
        f"{mean_over(table, 'inter_selective')}.",
    )
    return figure


def _grid(panels: int, most: int) -> tuple[int, int]:
    """Rows and columns."""
    rows = -(-panels // most)
    return rows, -(-panels // rows)


def _remove_unused(axes: Any, used: int) -> None:
    for ax in list(axes.flat)[used:]:
        ax.remove()
