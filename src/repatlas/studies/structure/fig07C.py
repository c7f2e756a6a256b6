"""Figure 7C to E: what the neurons of networks with two outputs are tuned to."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import Role
from repatlas.inference.contrasts import TANH_RELU, median_rows, tanh_minus_relu
from repatlas.inference.pooling import not_diverged, refuse_mixed_kinds
from repatlas.plots.groups import group_names, signs
from repatlas.plots.marks import dot_of, draw_line
from repatlas.plots.palette import DARK, LIGHT
from repatlas.plots.spread import with_ends
from repatlas.plots.style import (
    Style,
    activation_name,
    activations,
    finish,
    letter,
    page,
    say,
    small_type,
)
from repatlas.plots.trajectories import draw_trajectories
from repatlas.plots.words import mean_over
from repatlas.studies.structure.roles import IN_PLANE, SMOOTH, UNSTRUCTURED
from repatlas.studies.structure.rows.groups import (
    NETWORK,
    group_errors,
    statistic_rows,
    task_rows,
    tuning_rows,
    with_groups,
)
from repatlas.studies.structure.rows.panels import GROUP
from repatlas.studies.structure.rows.trajectories import DRAWN_SEED, trajectory_rows

FIGURE = Figure(
    "Two outputs: tuning and weights of the eight groups of neurons.",
    {
        "groups": Role(
            "The sweep of networks with two targets and the groups as readout, without hidden"
            " biases.",
            {"selectivity", "tuning"},
            UNSTRUCTURED | SMOOTH | IN_PLANE | {"network.readout": ("groups",)},
        ),
    },
    step="The training step that the figure shows.",
    first_step=1,
    finding=Finding(
        "Tanh neurons are tuned to the clusters that match their readout; most ReLU neurons"
        " select one cluster.",
        {"40": SUPPORTED, "41b": SUPPORTED},
    ),
)
CAPTION = """**Figure 7C to E: what neurons with two outputs are tuned to.** Is tuning uniform
across the neurons of a group? C: input weights of the neurons along the direction of each centre,
after {{ facts.step }} steps, for four groups of {{ listed([facts.groups.width[0] // 8]) }} neurons
in one network{{ "; mean and standard deviation over the neurons of a group" if facts.groups.width
!= [8] }}. D: the same for each neuron and cluster, by whether the cluster's labels match the
group's readout weights: both (triangles up), one of two (circles) or none (triangles down). The
number above each panel is the standard deviation divided by the mean, of tuning to a matched
cluster within a group (our choice). It is given for groups with two outputs and with one, and is {{
mean(facts.groups.seeds) }}. E: input weights as in Figure 1D, for a group with two outputs and one
with the first alone, on the expected gradient for the errors that reach the group. All panels of E
have one scale. The inter-class axis is from the first target; the plane does not hold the axis x3 -
x4. Inter-selective: the fraction of the group's neurons with inter > ``|intra|`` at the end, {{
mean(facts.groups.seeds) }}. Which four groups the paper shows in C, it does not say. {{ lost }}"""

TRACED_GROUPS = ("+0", "++")
"""The groups whose trajectories are drawn. Their weight to the first output, whose inter-class axis
the plane has, is positive; one speaks to it alone and one to both."""
KEPT = [*GROUP, "readout", "cluster"]
"""What the rows of a mean keep."""


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    groups = rows["groups"]
    tuning = tuning_rows(groups)
    tuning = tuning[tuning["step"] == step]
    statistics = statistic_rows(tuning).assign(deviation=float("nan"))
    effects = tanh_minus_relu(statistics, KEPT)
    lost = groups[(groups["variant"] == "diverged") & (groups["step"] == step)]
    parts = [
        lost,
        tuning[tuning["seed"] == DRAWN_SEED],
        statistics,
        median_rows(statistics, ["activation", *KEPT]),
        median_rows(effects, KEPT).assign(contrast=TANH_RELU),
        *_trajectory_rows(groups[groups["step"] <= step]),
        task_rows(groups),
    ]
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def _trajectory_rows(metrics: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the rows of Figure 1D for each traced group, and the centres.

    The name of the group is before the variant.
    """
    weights = with_groups(metrics[metrics["measure"] == "weight"], metrics)
    centres = metrics[metrics["measure"] == "centre"]
    parts = []
    for name in TRACED_GROUPS:
        own = weights[weights["group"] == name].drop(columns="group")
        own = pd.concat([own, _inter_selective(own), centres], ignore_index=True)
        found = trajectory_rows(own, group_errors(name))
        found = found[found["measure"] != "centre"]
        parts.append(found.assign(variant=f"{name} " + found["variant"]))
    return [
        *parts,
        centres[centres["seed"] == DRAWN_SEED].drop_duplicates(["run", "variant", "cluster"]),
    ]


def _inter_selective(weights: pd.DataFrame) -> pd.DataFrame:
    """Return the fraction of each network's neurons in these rows whose weight is inter-selective.

    `selectivity` measures the same for all neurons with a positive readout weight.
    """
    wide = weights.pivot_table(index=[*NETWORK, "neuron"], columns="variant", values="value")
    is_inter = wide["intra"].abs() < wide["inter"]
    fractions = is_inter.groupby(NETWORK).mean().rename("value").reset_index()
    return fractions.assign(measure="inter_selective", variant="fraction")


SHOWN_GROUPS = ("++", "+-", "+0", "0+")
"""The groups in panel C: the others are their mirror images."""
ITS_NETWORK = "The network that is shown diverged"
ROLES = {1: "matched", 0: "half-matched", -1: "mismatched"}
"""The role of a cluster for a group, by the sign of the errors that reach it."""
ROLE_MARKERS = {1: "^", 0: "o", -1: "v"}
KINDS = {"conjunctive": "two outputs", "single": "one output"}
"""The kinds of groups, in words."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    figure = page(style, 1.12 * style.width)
    part_c, part_d, part_e = figure.subfigures(3, 1, height_ratios=[1, 2.8, 1.1])
    names = activations(table)
    # The table also has means over networks and differences between them.
    own = table[table["seed"].notna()]
    errors = table[table["measure"] == "group_error"]
    groups = group_names(table)
    tuning = table[(table["measure"] == "tuning") & table["variant"].isin(groups)]

    refuse_mixed_kinds(tuning, ["activation", "variant", "cluster", "neuron"])

    letter(part_c, "C")
    axes = part_c.subplots(1, len(SHOWN_GROUPS), sharey=True)
    for ax, group in zip(axes, SHOWN_GROUPS, strict=True):
        _draw_tuning(ax, tuning[tuning["variant"] == group], style)
        ax.set_title(f"Group {signs(group)}")
    axes[0].set_ylabel(r"Tuning $w\cdot x_i/|x_i|$")
    for name in names:
        look = {"markersize": 3} | dot_of(name, style)
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
        axes[0].plot([], [], ROLE_MARKERS[role], **_mark(role, DARK), label=name)
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
    from matplotlib.axes import Axes

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
    ax.axhline(0, color=LIGHT, linewidth=0.6, zorder=0)
    for name, offset in zip(names, np.linspace(-0.12, 0.12, len(names)), strict=True):
        groups = rows[rows["activation"] == name].groupby("cluster")["value"]
        found = with_ends(groups.agg(value="mean", sd="std").reset_index())
        found["cluster"] += offset
        look = dot_of(name, style) | {"markersize": 3, "linestyle": "none"}
        draw_line(ax, found, "cluster", bars=0.8, **look)
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
    ax.axhline(0, color=LIGHT, linewidth=0.6, zorder=0)
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
    refuse_mixed_kinds(found, ["variant"])
    means = found.groupby("variant")["value"].mean()
    parts = [f"{means[kind]:.2f} ({name})" for kind, name in KINDS.items() if kind in means]
    return f"SD / mean: {', '.join(parts)}" if parts else ""
