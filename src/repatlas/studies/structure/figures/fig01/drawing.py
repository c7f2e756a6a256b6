"""Figure 1: what networks with one hidden layer learn from unstructured inputs."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.inference.pooling import refuse_pooling
from repatlas.plots.panels import differences_below, draw_over_training, over_training
from repatlas.plots.patterns import MARKERS, draw_before_and_after
from repatlas.plots.patterns import reach_of as reach_of_patterns
from repatlas.plots.schematic import MOST_NAMED, draw_clusters, reach_of
from repatlas.plots.style import (
    CLASS_COLOURS,
    Style,
    activation_name,
    activations,
    class_colour,
    finish,
    letter,
)
from repatlas.plots.trajectories import draw_trajectories
from repatlas.plots.words import mean_and_networks, mean_over

BANDS = 40
"""Bands of the shading, to each side of 0."""
DASHES_OF_SUM = (0, (2.5, 1.2))
SHADES = LinearSegmentedColormap.from_list("slope", ["white", "0.85"])


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 1.25 * style.width))
    top, below = figure.subfigures(2, 1, height_ratios=[0.92, 0.33])
    left, part_b = top.subfigures(1, 2, width_ratios=[1, 4.3])
    part_a, part_c = left.subfigures(2, 1, height_ratios=[0.8, 1.7])
    part_d, part_e = below.subfigures(1, 2, width_ratios=[1.9, 1])
    centres = table[table["measure"] == "centre"]
    names = activations(centres)

    letter(part_a, "A")
    ax = part_a.subplots()
    draw_clusters(ax, centres[centres["activation"] == names[0]], reach_of(centres))
    ax.set_title("Inputs")
    _name_labels(ax, centres["cluster"].nunique())

    letter(part_b, "B")
    draw_over_training(part_b, table, style, spread="networks")

    letter(part_c, "C")
    for ax, activation in zip(part_c.subplots(len(names), squeeze=False).flat, names, strict=True):
        _draw_construction(ax, table[table["activation"] == activation])
        ax.set_title(f"{activation_name(activation)}: gradient")
    _name_arrows(part_c)

    letter(part_d, "D")
    axes = part_d.subplots(1, len(names), squeeze=False, sharey=True)
    for ax, activation in zip(axes.flat, names, strict=True):
        draw_trajectories(ax, table, activation, style, title=activation_name(activation))
        ax.set_xlabel("Intra-class weight")
    axes[0, 0].set_ylabel("Inter-class weight")

    letter(part_e, "E")
    patterns = table[table["measure"] == "pattern"]
    axes = part_e.subplots(len(names), 2, squeeze=False)
    for row, activation in zip(axes, names, strict=True):
        of = patterns[patterns["activation"] == activation]
        draw_before_and_after(row, of, reach_of_patterns(patterns))
        row[0].set_ylabel(activation_name(activation))
    for ax in axes[1:].flat:
        ax.set_title("")

    finish(
        figure,
        table,
        style,
        f"B: {mean_and_networks(table, 'target_alignment')},{over_training(table)}."
        f"{differences_below(table)} "
        "D: neurons with positive readout of one network, on the expected gradient; "
        "inter-selective: inter > |intra| at the end, "
        f"{mean_over(table, 'inter_selective')}. E: hidden patterns of one network; "
        "percentages: the share of the variance in the plane that is drawn.",
    )
    return figure


def _name_labels(ax: Any, clusters: int) -> None:
    """Name the labels of the classes below the clusters, where no other legend is."""
    if clusters > MOST_NAMED:
        return
    for marker, colour, label in zip(MARKERS, CLASS_COLOURS, (1, 0), strict=True):
        look = {"linestyle": "", "marker": marker, "markersize": 3, "color": colour}
        ax.plot([], [], **look, label=f"$y={label}$")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.05), ncols=2, handletextpad=0.1,
              columnspacing=0.8, borderpad=0)  # fmt: skip


def _name_arrows(part: Any) -> None:
    """Name the arrows of panel C below it."""
    looks = {
        "the weight $w$": {"color": "black", "linewidth": 0.9},
        "added by a cluster": {"color": CLASS_COLOURS[0], "linewidth": 1.8},
        "their sum": {"color": "black", "linewidth": 1.1, "linestyle": DASHES_OF_SUM},
    }
    handles = [Line2D([], [], label=name, **look) for name, look in looks.items()]
    part.legend(handles=handles, loc="outside lower center", handlelength=1.6, borderpad=0)


def _draw_construction(ax: Any, rows: pd.DataFrame) -> None:
    """Draw f'(w . x) as shading, what each cluster adds as coloured arrows, and the sum, which is
    the gradient, dashed."""
    constructed = rows["measure"].isin(["slope", "gradient", "example weight"])
    refuse_pooling(rows[constructed], ["measure", "variant", "cluster", "intra", "inter"])
    slope = rows[(rows["measure"] == "slope") & (rows["variant"] == "plane")]
    weight = rows[rows["measure"] == "example weight"].iloc[0][["intra", "inter"]].to_numpy(float)
    reach = slope["intra"].max()
    _shade(ax, slope, weight, reach)
    parts = rows[rows["measure"] == "gradient"].pivot_table(
        index=["cluster", "intra", "inter"], columns="variant", values="value"
    )[["intra", "inter"]]
    total = parts.sum()
    # The longest arrow ends just inside the panel.
    scale = 0.85 * reach / max(np.abs(parts).to_numpy().max(), np.abs(total).max())
    for (cluster, intra, inter), part in parts.iterrows():
        is_other = int(2 * cluster >= len(parts))
        colour = class_colour(cluster, len(parts))
        ax.plot(intra, inter, marker=MARKERS[is_other], markersize=3, color=colour)
        _arrow(ax, scale * part.to_numpy(), colour, 1.8)
    # The sum is drawn last, as in the paper, because a part may have the same direction.
    _arrow(ax, scale * total.to_numpy(), "black", 1.1, linestyle=DASHES_OF_SUM)
    direction = 0.5 * reach * weight / np.linalg.norm(weight)
    # Along x2, other arrows would hide the arrow of w, so it starts next to the origin.
    aside = 0.16 * reach * np.array([direction[1], -direction[0]]) / np.linalg.norm(direction)
    aside *= -np.sign(aside[1]) or 1
    _arrow(ax, direction, "black", 0.9, start=aside)
    # The name of w is next to its arrow, beyond its tip or behind it, where most space is free.
    centres = parts.index.to_frame()[["intra", "inter"]].to_numpy()
    names = centres + 0.35 * reach * np.array([_name_side(place, reach) for place in centres])
    taken = np.concatenate([scale * np.array([total, *parts.to_numpy()]), centres, names])
    across, along = (0.3 * reach * v / np.linalg.norm(v) for v in (aside, direction))
    free = (aside + 0.6 * direction + across, aside + direction + along, aside - along)
    place = max(free, key=lambda at: np.linalg.norm(taken - at, axis=1).min())
    ax.text(*place, "$w$", ha="center", va="center")
    if len(parts) <= MOST_NAMED:
        _name_centres(ax, parts.index.to_frame(index=False), reach)
    ax.set(xticks=[], yticks=[], xlabel="Intra-class axis", ylabel="Inter-class axis")


def _shade(ax: Any, slope: pd.DataFrame, weight: np.ndarray, reach: float) -> None:
    """Draw the slope over the plane as straight bands across w, because it depends on w . x alone.
    A picture of the grid would have steps at the edges. One edge is where w . x is 0."""
    known = slope.assign(along=slope[["intra", "inter"]].to_numpy() @ weight).sort_values("along")
    edges = known["along"].abs().max() * np.linspace(-1, 1, 2 * BANDS + 1)
    middles = (edges[1:] + edges[:-1]) / 2
    shades = SHADES(np.interp(middles, known["along"], known["value"]))
    ends = np.array([-reach, reach])
    corners = ends[None, :] * weight[0] + ends[:, None] * weight[1]
    ax.contourf(ends, ends, corners, levels=edges, colors=shades)
    ax.axhline(0, color="0.7", linewidth=0.5)
    ax.axvline(0, color="0.7", linewidth=0.5)
    ax.set_aspect("equal")


def _name_centres(ax: Any, places: pd.DataFrame, reach: float) -> None:
    """Write names above the upper centres and to the side of the lower ones, where no arrow ends.
    Centres at the same position have one name."""
    rounded = (places[["intra", "inter"]] / (0.2 * reach)).round()
    for _, same in places.groupby([rounded["intra"], rounded["inter"]]):
        name = ", ".join(f"$x_{cluster + 1:.0f}$" for cluster in same["cluster"])
        place = same[["intra", "inter"]].mean().to_numpy()
        side = _name_side(place, reach)
        where = {"xytext": 4 * side, "ha": "right" if side[0] < 0 else "left"}
        if side[1]:
            where = {"xytext": 7.5 * side, "ha": "center"}
        ax.annotate(name, place, textcoords="offset points", va="center", **where)


def _name_side(place: np.ndarray, reach: float) -> np.ndarray:
    """Return the direction from a centre to its name."""
    if place[1] > 0:
        return np.array([0.0, 1.0])
    return np.array([-1.0 if place[0] < -0.02 * reach else 1.0, 0.0])


def _arrow(
    ax: Any,
    vector: np.ndarray,
    colour: str,
    width: float,
    start: Any = (0.0, 0.0),
    linestyle: Any = "-",
) -> None:
    if np.linalg.norm(vector) < 1e-9:
        return
    ax.annotate(
        "",
        np.asarray(start) + vector,
        xytext=start,
        arrowprops={
            "arrowstyle": "-|>,head_width=0.15,head_length=0.3",
            "color": colour,
            "linewidth": width,
            "linestyle": linestyle,
            "shrinkA": 0,
            "shrinkB": 0,
        },
    )
