"""Figure 7C to E: what the neurons of networks with two outputs are tuned to."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.curves import dot_of
from repatlas.plots.groups import group_names, signs
from repatlas.plots.style import (
    Style,
    activation_name,
    activations,
    finish,
    letter,
    say,
    small_type,
)
from repatlas.plots.trajectories import draw_trajectories
from repatlas.plots.words import mean_over

SHOWN_GROUPS = ("++", "+-", "+0", "0+")
"""The groups in panel C: the others are their mirror images."""
ITS_NETWORK = "The network that is shown diverged"
ROLES = {1: "matched", 0: "half-matched", -1: "mismatched"}
"""The role of a cluster for a group, by the sign of the errors that reach it."""
ROLE_MARKERS = {1: "^", 0: "o", -1: "v"}
KINDS = {"conjunctive": "two outputs", "single": "one output"}
"""The kinds of groups, in words."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 1.12 * style.width))
    part_c, part_d, part_e = figure.subfigures(3, 1, height_ratios=[1, 2.8, 1.1])
    names = activations(table)
    # The table also has means over networks and differences between them.
    own = table[table["seed"].notna()]
    errors = table[table["measure"] == "group_error"]
    groups = group_names(table)
    tuning = table[(table["measure"] == "tuning") & table["variant"].isin(groups)]

    refuse_pooling(tuning, ["activation", "variant", "cluster", "neuron"])

    letter(part_c, "C")
    axes = part_c.subplots(1, len(SHOWN_GROUPS), sharey=True)
    for ax, group in zip(axes, SHOWN_GROUPS, strict=True):
        _draw_tuning(ax, tuning[tuning["variant"] == group], style)
        ax.set_title(f"Group {signs(group)}")
    axes[0].set_ylabel(r"Tuning $w\cdot x_i/|x_i|$")
    for name in names:
        look = {"marker": "o", "markersize": 3} | dot_of(name, style)
        axes[0].plot([], [], linestyle="none", label=activation_name(name), **look)
    part_c.legend(loc="outside right upper", handletextpad=0.1, borderpad=0)

    letter(part_d, "D")
    axes = part_d.subplots(1, len(names), squeeze=False, sharey=True)[0]
    for ax, activation in zip(axes, names, strict=True):
        of_activation = tuning[tuning["activation"] == activation]
        _draw_neurons(ax, of_activation, errors, groups, style.colours[activation])
        ax.set_title(activation_name(activation), pad=small_type() + 5)
        ax.annotate(_variation(own[own["activation"] == activation]), (0.5, 1), xytext=(0, 2),
                    xycoords="axes fraction", textcoords="offset points", ha="center",
                    size=small_type())  # fmt: skip
        ax.set_xlabel("Group, by the signs of its readout weights")
    axes[0].set_ylabel("Tuning of each neuron")
    for role, name in ROLES.items():
        axes[0].plot([], [], ROLE_MARKERS[role], **_mark(role, "0.3"), label=name)
    part_d.legend(*axes[0].get_legend_handles_labels(), loc="outside upper right",
                  ncols=len(ROLES), handletextpad=0.1, columnspacing=1, borderpad=0)  # fmt: skip

    letter(part_e, "E")
    _draw_weights(part_e, own, names, groups, style)

    finish(
        figure,
        table,
        style,
        f"C: input weights along each centre after {style.step} steps, {_neurons(tuning)} in one "
        "network. D: each neuron of it and each cluster, by whether its labels match the group's "
        "readout weights; SD / mean: of matched tuning within a group, "
        f"{mean_over(own, 'tuning_variation')}. "
        "E: as Figure 1D, for two groups; inter-selective: inter > |intra| at the end, "
        f"{mean_over(own, 'inter_selective')}.",
    )
    return figure


def _draw_weights(
    part: Any, own: pd.DataFrame, names: list[str], groups: list[str], style: Style
) -> None:
    """Draw trajectories of the weights of each group and activation, in panels of one shape."""
    traced = own.loc[own["measure"] == "field", "variant"].str.split().str[0].unique()
    axes = part.subplots(1, len(traced) * len(names), squeeze=False)[0]
    places = [(group, name) for group in sorted(traced, key=groups.index) for name in names]
    for ax, (group, activation) in zip(axes, places, strict=True):
        rows = own[own["variant"].str.startswith(f"{group} ")]
        rows = rows.assign(variant=rows["variant"].str.removeprefix(f"{group} "))
        title = f"{activation_name(activation)}, {signs(group)}"
        draw_trajectories(ax, rows, activation, style, title)
        ax.locator_params(axis="x", nbins=3)
        ax.set_xlabel("Intra-class weight")
    drawn = [ax for ax in axes if ax.get_aspect() != "auto"]
    # One scale for all panels.
    for limits, change in ((Axes.get_xlim, Axes.set_xlim), (Axes.get_ylim, Axes.set_ylim)):
        ends = np.array([limits(ax) for ax in drawn]).reshape(-1, 2)
        for ax in drawn:
            change(ax, ends[:, 0].min(), ends[:, 1].max())
            ax.locator_params(axis="both", nbins=4)
    for ax in axes[1:]:
        ax.tick_params(labelleft=False)
    axes[0].set_ylabel("Inter-class weight")


def _mark(role: int, colour: str) -> dict[str, Any]:
    """Return the look of a neuron's mark, which is open for half-matched clusters."""
    face = "none" if role == 0 else colour
    look = {"color": colour, "markerfacecolor": face, "markeredgecolor": colour}
    return look | {"markersize": 2.4, "markeredgewidth": 0.4}


def _draw_tuning(ax: Any, rows: pd.DataFrame, style: Style) -> None:
    """Draw mean and standard deviation over the neurons of a group, for each cluster."""
    if not len(rows):
        say(ax, ITS_NETWORK)
    names = activations(rows)
    ax.axhline(0, color="0.7", linewidth=0.6, zorder=0)
    for name, offset in zip(names, np.linspace(-0.12, 0.12, len(names)), strict=True):
        found = rows[rows["activation"] == name].groupby("cluster")["value"].agg(["mean", "std"])
        look = {"marker": "o", "markersize": 3} | dot_of(name, style)
        ax.errorbar(found.index + offset, found["mean"], found["std"], linestyle="none",
                    elinewidth=0.8, **look)  # fmt: skip
    ax.set_xticks(range(4), [f"$x_{cluster + 1}$" for cluster in range(4)])
    ax.set_xlim(-0.5, 3.5)


def _neurons(tuning: pd.DataFrame) -> str:
    """Return how many neurons the mean is over."""
    if not len(tuning):
        return "of no neurons"
    number = tuning.groupby("variant")["neuron"].nunique().max()
    if number == 1:
        return "of the one neuron of each group"
    return f"mean and SD over the {number} neurons of each group"


def _draw_neurons(
    ax: Any, tuning: pd.DataFrame, errors: pd.DataFrame, groups: list[str], colour: str
) -> None:
    """Draw a mark for each neuron and cluster.

    For each group, matched, half-matched and mismatched clusters are side by side.
    """
    if not len(tuning):
        say(ax, ITS_NETWORK)
    ax.axhline(0, color="0.7", linewidth=0.6, zorder=0)
    roles = np.sign(errors.set_index(["variant", "cluster"])["value"]).astype(int)
    for number, group in enumerate(groups):
        rows = tuning[tuning["variant"] == group].sort_values(["cluster", "neuron"])
        found = roles[group].loc[rows["cluster"]].to_numpy()
        for role, marker in ROLE_MARKERS.items():
            values = rows.loc[found == role, "value"]
            spread = np.linspace(-0.1, 0.1, len(values))
            places = number - 0.29 * role + spread
            ax.plot(places, values, linestyle="", marker=marker, **_mark(role, colour))
    ax.set_xticks(range(len(groups)), [signs(group) for group in groups])


def _variation(rows: pd.DataFrame) -> str:
    """Return the mean coefficient of variation of groups with two outputs, and of groups with
    one."""
    found = not_diverged(rows[rows["measure"] == "tuning_variation"]).dropna(subset="value")
    refuse_pooling(found, ["variant"])
    means = found.groupby("variant")["value"].mean()
    parts = [f"{means[kind]:.2f} ({name})" for kind, name in KINDS.items() if kind in means]
    return f"SD / mean: {', '.join(parts)}" if parts else ""
