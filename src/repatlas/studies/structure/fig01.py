"""Figure 1: what networks with one hidden layer learn from unstructured inputs."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Alike, Figure, Finding
from repatlas.figures.fits import measured_twice
from repatlas.figures.role import ACTIVATION, Role
from repatlas.inference.pooling import refuse_mixed_kinds
from repatlas.networks.activation import activation as activation_of
from repatlas.plots.marks import add_key
from repatlas.plots.palette import BAND, BLACK, CLASS_COLOURS, PALE, WHITE
from repatlas.plots.panels import differences_below, draw_over_training, over_training
from repatlas.plots.patterns import MARKERS, draw_before_and_after
from repatlas.plots.patterns import reach_of as reach_of_patterns
from repatlas.plots.schematic import MOST_NAMED, draw_clusters, reach_of
from repatlas.plots.style import (
    Style,
    activation_name,
    activations,
    class_colour,
    finish,
    letter,
    page,
)
from repatlas.plots.trajectories import draw_trajectories
from repatlas.plots.words import mean_and_networks, mean_over
from repatlas.studies.structure.roles import IN_PLANE, ONE_TARGET, PANELS, SMOOTH
from repatlas.studies.structure.rows.panels import accuracy_rows, effect_rows, panel_rows
from repatlas.studies.structure.rows.patterns import pattern_rows
from repatlas.studies.structure.rows.trajectories import (
    class_errors,
    grid,
    plane,
    rows_on_plane,
    trajectory_rows,
)
from repatlas.studies.structure.rows.weights import update_rows, weight_rows

FIGURE = Figure(
    "Unstructured inputs: measures over training, the weights' trajectories and hidden patterns.",
    {
        "sweep": Role(
            "The sweep of unstructured tasks whose measures panel B draws over its steps, two or"
            " more.",
            PANELS,
            ONE_TARGET,
            over_steps=True,
        ),
        "trajectories": Role(
            "The sweep whose weights panel D draws in the plane of the inter- and intra-class axes."
            " Panel E draws its hidden patterns. It has the task and activations of `sweep`, and no"
            " hidden biases.",
            {"selectivity", "kernel"},
            ONE_TARGET | SMOOTH | IN_PLANE,
            over_steps=True,
            fits=(measured_twice("update"),),
        ),
    },
    alike=(Alike("trajectories", "sweep", ("task", ACTIVATION)),),
    finding=Finding(
        "Tanh networks take on the targets' geometry; ReLU networks keep the inputs' geometry.",
        {"1": SUPPORTED, "2": SUPPORTED},
    ),
)
CAPTION = """**Figure 1: unstructured inputs.** Do hidden layers take on the geometry of the inputs
or the geometry of the targets? A: {{ listed(facts.trajectories.clusters) }} cluster centres, {{
centres(facts.trajectories) }}, to scale in an oblique view{{ " of three of the dimensions that they
span" if facts.trajectories.clusters != [4] }}. B: measures of the hidden layer of {{
kind(facts.sweep) }} over training, {{ each(facts.sweep.seeds) }}; {{ decoders(facts.sweep) }}. {{
strips }}. Black dashes: C(K_X, K_Y), the input alignment that the targets themselves have. C: the
expected gradient (dashed) is the sum of what each cluster adds (coloured arrows) to the weight w
(solid). It is computed from the centres of one seed, so there are no error bars. D: input weights
of the neurons with positive readout weight, in one network for each activation{{
unbiased(facts.trajectories) }}. The arrows are the expected gradient for errors of equal size. The
fraction of inter-class selective neurons is {{ mean(facts.trajectories.seeds) }}. E: {{
patterns(facts.trajectories) }}. {{ lost }}"""

EXAMPLE_PROJECTION = 1.5
"""w . x2 of the weight in panel C: where tanh' has fallen to 0.18, and only x2 activates a ReLU."""
SHADING_POINTS = 61


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    trajectories = trajectory_rows(rows["trajectories"])
    centres = trajectories[trajectories["measure"] == "centre"]
    construction = [_construction_rows(group) for _, group in centres.groupby("activation")]
    weights = [weight_rows(rows["trajectories"]), update_rows(rows["trajectories"])]
    panels = panel_rows(rows["sweep"])
    learned = accuracy_rows(rows["trajectories"])
    parts = [panels, effect_rows(panels), learned, trajectories, *construction, *weights]
    return pd.concat([*parts, pattern_rows(rows["trajectories"])], ignore_index=True)


def _construction_rows(centres: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of panel C, for a weight along x2.

    They are the slope f'(w . x) over the plane, and what each cluster adds to the gradient, e_i
    f'(w . x_i) x_i (equation 1, without noise).
    """
    like = centres.iloc[0]
    slope = activation_of(like["activation"]).slope
    coordinates = plane(centres)  # (P, 2)
    weight = EXAMPLE_PROJECTION * coordinates[1] / (coordinates[1] @ coordinates[1])
    places = grid(1.25 * np.abs(coordinates).max(), SHADING_POINTS)
    slopes = slope(coordinates @ weight)
    parts = (class_errors(len(coordinates)) * slopes)[:, None] * coordinates
    clusters = np.arange(len(coordinates))
    shading = rows_on_plane(
        like, places, measure="slope", variant="plane", value=slope(places @ weight)
    )
    at_centres = rows_on_plane(
        like, coordinates, measure="slope", variant="centre", value=slopes, cluster=clusters
    )
    example = [
        rows_on_plane(like, coordinates, measure="gradient", variant=axis, value=part,
                      cluster=clusters)
        for axis, part in zip(("intra", "inter"), parts.T, strict=True)
    ]  # fmt: skip
    example_weight = rows_on_plane(
        like, weight[None], measure="example weight", variant="place", value=EXAMPLE_PROJECTION
    )
    return pd.concat([shading, at_centres, *example, example_weight])


BANDS = 40
"""Bands of the shading, to each side of 0."""
DASHES_OF_SUM = (0, (2.5, 1.2))


def draw(table: pd.DataFrame, style: Style) -> Any:
    figure = page(style, 1.25 * style.width)
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
        "the weight $w$": {"color": BLACK, "linewidth": 0.9},
        "added by a cluster": {"color": CLASS_COLOURS[0], "linewidth": 1.8},
        "their sum": {"color": BLACK, "linewidth": 1.1, "linestyle": DASHES_OF_SUM},
    }
    add_key(part, looks, loc="outside lower center", ncols=1, handlelength=1.6)


def _draw_construction(ax: Any, rows: pd.DataFrame) -> None:
    """Draw f'(w . x) as shading, what each cluster adds as coloured arrows, and the sum, which is
    the gradient, dashed."""
    constructed = rows["measure"].isin(["slope", "gradient", "example weight"])
    refuse_mixed_kinds(rows[constructed], ["measure", "variant", "cluster", "intra", "inter"])
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
    _arrow(ax, scale * total.to_numpy(), BLACK, 1.1, linestyle=DASHES_OF_SUM)
    direction = 0.5 * reach * weight / np.linalg.norm(weight)
    # Along x2, other arrows would hide the arrow of w, so it starts next to the origin.
    aside = 0.16 * reach * np.array([direction[1], -direction[0]]) / np.linalg.norm(direction)
    aside *= -np.sign(aside[1]) or 1
    _arrow(ax, direction, BLACK, 0.9, start=aside)
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
    from matplotlib.colors import LinearSegmentedColormap

    known = slope.assign(along=slope[["intra", "inter"]].to_numpy() @ weight).sort_values("along")
    edges = known["along"].abs().max() * np.linspace(-1, 1, 2 * BANDS + 1)
    middles = (edges[1:] + edges[:-1]) / 2
    scale = LinearSegmentedColormap.from_list("slope", [WHITE, PALE])
    shades = scale(np.interp(middles, known["along"], known["value"]))
    ends = np.array([-reach, reach])
    corners = ends[None, :] * weight[0] + ends[:, None] * weight[1]
    ax.contourf(ends, ends, corners, levels=edges, colors=shades)
    ax.axhline(0, color=BAND, linewidth=0.5)
    ax.axvline(0, color=BAND, linewidth=0.5)
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
