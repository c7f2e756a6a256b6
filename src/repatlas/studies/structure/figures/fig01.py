"""Figure 1: what networks with one hidden layer learn from unstructured inputs."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from repatlas.inference.pooling import refuse_pooling
from repatlas.plots.baseline import SAID, draw_targets_own
from repatlas.plots.panels import TITLES, draw_over_training, over_training
from repatlas.plots.schematic import MOST_NAMED, draw_clusters, reach_of
from repatlas.plots.style import (
    Style,
    activation_name,
    activations,
    class_colour,
    finish,
    letter,
)
from repatlas.plots.trajectories import draw_trajectories
from repatlas.plots.words import mean_and_sd, mean_over

INPUTS = list(TITLES).index("input_alignment")
SHADES = LinearSegmentedColormap.from_list("slope", ["white", "#B9D3EE"])


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 1.1 * style.width))
    (part_a, part_b), (part_c, part_d) = figure.subfigures(
        2, 2, width_ratios=[1, 2.9], height_ratios=[1.1, 1]
    )
    centres = table[table["measure"] == "centre"]
    names = activations(centres)

    letter(part_a, "A")
    ax = part_a.subplots()
    draw_clusters(ax, centres[centres["activation"] == names[0]], reach_of(centres))
    ax.set_title("Unstructured inputs")

    letter(part_b, "B")
    draw_over_training(part_b, table, style)
    has_baseline = draw_targets_own(part_b.axes[INPUTS], table, "step")

    letter(part_c, "C")
    for ax, activation in zip(part_c.subplots(len(names), squeeze=False).flat, names, strict=True):
        _draw_construction(ax, table[table["activation"] == activation])
        ax.set_title(f"{activation_name(activation)}: gradient")

    letter(part_d, "D")
    axes = part_d.subplots(1, len(names), squeeze=False, sharey=True)
    for ax, activation in zip(axes.flat, names, strict=True):
        draw_trajectories(ax, table, activation, style, title=activation_name(activation))
        ax.set_xlabel("Intra-class weight")
    axes[0, 0].set_ylabel("Inter-class weight")

    finish(
        figure,
        table,
        style,
        "A: centres to scale, circles 1 SD of the noise. "
        f"B: {mean_and_sd(table, 'target_alignment')},{over_training(table)}.{has_baseline * SAID} "
        "C: shading f'(w.x) for w along $x_2$, thin arrows what each cluster adds, thick arrow "
        "their sum. "
        "D: neurons with positive readout of one network, from the circles on; arrows: expected "
        "gradient (square root of its length); inter-selective: inter > |intra| at the end, "
        f"{mean_over(table, 'inter_selective')}.",
    )
    return figure


def _draw_construction(ax: Any, rows: pd.DataFrame) -> None:
    """Shading: f'(w . x). Thin arrows: what each cluster adds. Thick arrow: their sum."""
    constructed = rows["measure"].isin(["slope", "gradient", "example weight"])
    refuse_pooling(rows[constructed], ["measure", "variant", "cluster", "intra", "inter"])
    slope = rows[rows["measure"] == "slope"]
    shading = slope[slope["variant"] == "plane"].pivot_table(
        index="inter", columns="intra", values="value"
    )
    reach = shading.columns.max()
    ax.imshow(
        shading,
        extent=(-reach, reach, -reach, reach),
        origin="lower",
        cmap=SHADES,
        vmin=0,
        vmax=1,
        interpolation="bilinear",
    )
    parts = rows[rows["measure"] == "gradient"].pivot_table(
        index=["cluster", "intra", "inter"], columns="variant", values="value"
    )[["intra", "inter"]]
    total = parts.sum()
    # The longest arrow ends just inside the panel.
    scale = 0.85 * reach / max(np.abs(parts).to_numpy().max(), np.abs(total).max())
    _arrow(ax, scale * total.to_numpy(), "#D55E00", 3)
    for (cluster, intra, inter), part in parts.iterrows():
        colour = class_colour(cluster, len(parts))
        ax.plot(intra, inter, marker="o", markersize=3, color=colour)
        if len(parts) <= MOST_NAMED:
            ax.annotate(
                f"$x_{cluster + 1:.0f}$", (intra, inter), xytext=(3, 3), textcoords="offset points"
            )
        _arrow(ax, scale * part.to_numpy(), colour, 0.9)
    weight = rows[rows["measure"] == "example weight"].iloc[0]
    direction = weight[["intra", "inter"]].to_numpy(float)
    _arrow(ax, direction / np.linalg.norm(direction) * 0.55 * reach, "black", 0.9, label="$w$")
    ax.set(xticks=[], yticks=[], xlabel="Intra-class axis", ylabel="Inter-class axis")


def _arrow(ax: Any, tip: np.ndarray, colour: str, width: float, label: str = "") -> None:
    if np.linalg.norm(tip) < 1e-9:
        return
    ax.annotate(
        "",
        tip,
        xytext=(0, 0),
        arrowprops={
            "arrowstyle": "-|>,head_width=0.15,head_length=0.3",
            "color": colour,
            "linewidth": width,
            "shrinkA": 0,
            "shrinkB": 0,
        },
    )
    if label:
        ax.annotate(label, tip, xytext=(-7, 1), textcoords="offset points")
