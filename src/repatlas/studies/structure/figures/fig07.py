"""Figure 7: networks with two outputs, whose readout weights are eight groups."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.curves import name_curves
from repatlas.plots.panels import draw_panels
from repatlas.plots.schematic import draw_clusters, reach_of
from repatlas.plots.style import (
    CLASS_COLOURS,
    GREY,
    Style,
    activation_name,
    activations,
    finish,
    letter,
    say,
)
from repatlas.plots.trajectories import draw_trajectories
from repatlas.plots.words import mean_and_sd, mean_over

SHOWN_GROUPS = ("++", "+-", "+0", "0+")
"""The groups in panel C: the others are their mirror images."""
READOUT_NAMES = {"groups": "Groups", "normal": "Random"}
SLOPE_DISTANCE = 1.7
"""Distance in panel B from one slope, which is 1 wide, to the next."""
ITS_NETWORK = "The network that is shown diverged"
ROLES = {1: "matched", 0: "half-matched", -1: "mismatched"}
"""The role of a cluster for a group, by the sign of the errors that reach it."""
ROLE_COLOURS = {1: CLASS_COLOURS[0], 0: "0.55", -1: CLASS_COLOURS[1]}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 1.5 * style.width))
    top, part_c, part_d, part_e = figure.subfigures(4, 1, height_ratios=[2.3, 1.05, 1.25, 1.2])
    part_a, part_b = top.subfigures(1, 2, width_ratios=[1, 2.8])
    names = activations(table)
    # Beside the networks' own rows are means over networks and differences between them.
    own = table[table["seed"].notna()]
    errors = table[table["measure"] == "group_error"]
    # Those that speak to both outputs come first.
    groups = sorted(errors["variant"].unique(), key=lambda name: ("0" in name, name))
    tuning = table[(table["measure"] == "tuning") & table["variant"].isin(groups)]

    refuse_pooling(tuning, ["activation", "variant", "cluster", "neuron"])

    letter(part_a, "A")
    above, below = part_a.subplots(2, 1)
    centres = own[own["measure"] == "centre"]
    drawn = centres[centres["activation"] == names[0]]
    draw_clusters(above, drawn, reach_of(drawn), _labels(table))
    above.set_title("Clusters, labels")
    _draw_network(below, groups)

    letter(part_b, "B")
    _draw_measures(part_b, own, style)

    letter(part_c, "C")
    axes = part_c.subplots(1, len(SHOWN_GROUPS), sharey=True)
    for ax, group in zip(axes, SHOWN_GROUPS, strict=True):
        _draw_tuning(ax, tuning[tuning["variant"] == group], style)
        ax.set_title(f"Group {group}")
    axes[0].set_ylabel(r"Tuning $w\cdot x_i/|x_i|$")
    name_curves(axes[0], names, style)

    letter(part_d, "D")
    axes = part_d.subplots(1, len(names), squeeze=False, sharey=True)[0]
    for ax, activation in zip(axes, names, strict=True):
        _draw_neurons(ax, tuning[tuning["activation"] == activation], errors, groups)
        variation = _variation(own[own["activation"] == activation], groups)
        ax.set_title(f"{activation_name(activation)}{variation}")
    axes[0].set_ylabel("Tuning of each neuron")
    for role, name in ROLES.items():
        axes[0].plot([], [], "o", markersize=3, color=ROLE_COLOURS[role], label=name)
    axes[0].legend(loc="upper center", ncols=len(ROLES), handletextpad=0.1, columnspacing=1)

    letter(part_e, "E")
    traced = own.loc[own["measure"] == "field", "variant"].str.split().str[0].unique()
    axes = part_e.subplots(1, len(traced) * len(names), squeeze=False)[0]
    places = [(group, name) for group in sorted(traced, key=groups.index) for name in names]
    for ax, (group, activation) in zip(axes, places, strict=True):
        rows = own[own["variant"].str.startswith(f"{group} ")]
        rows = rows.assign(variant=rows["variant"].str.removeprefix(f"{group} "))
        draw_trajectories(ax, rows, activation, style, f"{activation_name(activation)}, {group}")
        ax.locator_params(axis="x", nbins=3)
        ax.set_xlabel("Intra-class weight")
    axes[0].set_ylabel("Inter-class weight")

    finish(
        figure,
        table,
        style,
        "A: centres to scale, circles 1 SD of the noise; readout weights of the groups: solid if "
        "positive, dashed if negative. "
        f"B: {mean_and_sd(own, 'target_alignment')}, before training (left ends) and "
        f"after {style.step} steps (right ends). "
        f"C: input weights along each centre, {_neurons(tuning)} in one network. "
        "D: each neuron of it and each cluster; SD / mean: of matched tuning within a group, "
        f"{mean_over(own, 'tuning_variation')}. "
        "E: as Figure 1D, for two groups; inter-selective: inter > |intra| at the end, "
        f"{mean_over(own, 'inter_selective')}.",
    )
    return figure


def _labels(table: pd.DataFrame) -> list[str]:
    """The labels of each cluster for both targets: "11" and so on."""
    rows = table[table["measure"] == "label"]
    wide = rows.pivot_table(index="cluster", columns="variant", values="value")
    return ["".join(f"{label:.0f}" for label in labels) for labels in wide.to_numpy()]


def _draw_network(ax: Any, groups: list[str]) -> None:
    """Inputs, the groups of hidden neurons and both outputs; lines tell the sign of a weight."""
    heights = np.linspace(1, 0, len(groups))
    inputs, outputs = np.linspace(0.85, 0.15, 4), [0.72, 0.28]
    for group, height in zip(groups, heights, strict=True):
        for source in inputs:
            ax.plot([0, 1], [source, height], color="0.88", linewidth=0.4, zorder=0)
        for sign, output in zip(group, outputs, strict=True):
            if sign != "0":
                dashes = "-" if sign == "+" else (0, (3, 2))
                ax.plot([1, 2], [height, output], color="0.25", linewidth=0.7, linestyle=dashes)
        ax.text(1, height, group, ha="center", va="center", size="small", family="monospace",
                bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "0.4",
                      "linewidth": 0.5})  # fmt: skip
    ax.plot([0] * len(inputs), inputs, "o", color=GREY, markersize=3)
    ax.text(-0.15, 0.5, "$x$", ha="right", va="center")
    for number, output in enumerate(outputs, start=1):
        ax.plot(2, output, "o", color="white", markeredgecolor="0.25", markersize=5)
        ax.text(2.15, output, rf"$\hat{{y}}_{number}$", va="center")
    ax.set(xlim=(-0.4, 2.5), ylim=(-0.1, 1.1), title="Readout groups")
    ax.set_axis_off()


def _draw_measures(part: Any, own: pd.DataFrame, style: Style) -> None:
    readouts = sorted(own["readout"].dropna().unique(), key=lambda name: name != "groups")
    starts = {name: SLOPE_DISTANCE * number for number, name in enumerate(readouts)}
    rows = own[own["readout"].notna()]
    place = rows["readout"].map(starts) + (rows["step"] > 0)
    axes = draw_panels(part, rows.assign(place=place), style, "place", "", slopes="readout")
    names = [READOUT_NAMES.get(name, name) for name in readouts]
    for ax in axes.flat:
        ax.set_xticks([start + 0.5 for start in starts.values()], names)
        ax.tick_params(axis="x", length=0)


def _draw_tuning(ax: Any, rows: pd.DataFrame, style: Style) -> None:
    """Mean and standard deviation over the neurons of a group, for each cluster."""
    if not len(rows):
        say(ax, ITS_NETWORK)
    names = activations(rows)
    ax.axhline(0, color="0.7", linewidth=0.6, zorder=0)
    for name, offset in zip(names, np.linspace(-0.12, 0.12, len(names)), strict=True):
        found = rows[rows["activation"] == name].groupby("cluster")["value"].agg(["mean", "std"])
        ax.errorbar(found.index + offset, found["mean"], found["std"], fmt="o", markersize=3,
                    color=style.colours[name], elinewidth=0.8, capsize=2)  # fmt: skip
    ax.set_xticks(range(4), [f"$x_{cluster + 1}$" for cluster in range(4)])
    ax.set_xlim(-0.5, 3.5)


def _neurons(tuning: pd.DataFrame) -> str:
    """Over how many neurons the mean is."""
    if not len(tuning):
        return "of no neurons"
    number = tuning.groupby("variant")["neuron"].nunique().max()
    if number == 1:
        return "of the one neuron of each group"
    return f"mean and SD over the {number} neurons of each group"


def _draw_neurons(ax: Any, tuning: pd.DataFrame, errors: pd.DataFrame, groups: list[str]) -> None:
    """A point for each neuron and cluster, side by side for each group what its neurons match, half
    match and mismatch."""
    if not len(tuning):
        say(ax, ITS_NETWORK)
    ax.axhline(0, color="0.7", linewidth=0.6, zorder=0)
    roles = np.sign(errors.set_index(["variant", "cluster"])["value"]).astype(int)
    for number, group in enumerate(groups):
        rows = tuning[tuning["variant"] == group].sort_values(["cluster", "neuron"])
        found = roles[group].loc[rows["cluster"]].to_numpy()
        for role, colour in ROLE_COLOURS.items():
            values = rows.loc[found == role, "value"]
            spread = np.linspace(-0.1, 0.1, len(values))
            ax.plot(number - 0.26 * role + spread, values, "o", markersize=1.1, color=colour)
    ax.set_xticks(range(len(groups)), groups, family="monospace")


def _variation(rows: pd.DataFrame, groups: list[str]) -> str:
    """The mean coefficient of variation of the groups with two outputs, and of those with one."""
    found = not_diverged(rows[rows["measure"] == "tuning_variation"]).dropna(subset="value")
    refuse_pooling(found, ["variant"])
    means = found.groupby("variant")["value"].mean()
    parts = []
    for kind, names in (("conjunctive", groups[:4]), ("single", groups[4:])):
        if kind in means:
            parts.append(f"{means[kind]:.2f} ({names[0]} to {names[-1]})")
    return f", SD / mean: {', '.join(parts)}" if parts else ""
