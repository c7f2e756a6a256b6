"""Figure 2: the effect of separability."""

import pandas as pd
from matplotlib.figure import Figure

from repgeom.figures.panels import draw_panels
from repgeom.figures.schematic import draw_clusters
from repgeom.figures.style import Style, activation_name, activations, finish, letter, networks
from repgeom.figures.trajectories import draw_trajectories


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 1.42 * style.width))
    top, middle, bottom = figure.subfigures(3, 1, height_ratios=[0.75, 1.5, 1.65])
    names = activations(table[table["measure"] == "target_alignment"])
    table = table[table["activation"].isin(names)]  # without the linear networks
    centres = table[table["measure"] == "centre"]
    deltas = sorted(centres["delta"].unique())

    letter(top, "A")
    for ax, delta in zip(top.subplots(1, len(deltas), squeeze=False).flat, deltas, strict=True):
        one_network = (centres["delta"] == delta) & (centres["activation"] == names[0])
        draw_clusters(ax, centres[one_network], reach=1.2 * centres["value"].max())
        ax.set_title(rf"$\delta={delta:g}$")

    letter(middle, "B")
    draw_panels(middle, table, style, x="delta", label=r"Separability $\delta$")

    letter(bottom, "C")
    axes = bottom.subplots(len(names), len(deltas), squeeze=False)
    for row, activation in zip(axes, names, strict=True):
        for ax, delta in zip(row, deltas, strict=True):
            title = rf"{activation_name(activation)}, $\delta={delta:g}$"
            draw_trajectories(ax, table[table["delta"] == delta], activation, style, title)
        row[0].set_ylabel("Inter-class weight")
    for ax in axes[-1]:
        ax.set_xlabel("Intra-class weight")

    step = table.loc[table["measure"] == "target_alignment", "step"].max()
    finish(
        figure,
        table,
        style,
        "A: centres to scale, circles 1 SD of the noise. "
        f"B: mean and SD over {networks(table, 'target_alignment')} after {step:.0f} steps. "
        "C: neurons with positive readout of one network, from the circles on; arrows: expected "
        "gradient (square root of its length); inter-selective: inter > |intra| at the end, mean "
        f"over {networks(table, 'inter_selective')}.",
    )
    return figure
