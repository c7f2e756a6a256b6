"""Figure 10: what becomes of neurons under training noise."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Wedge

from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.curves import draw_curves
from repatlas.plots.ends import name_ends
from repatlas.plots.style import Style, finish, letter, say
from repatlas.plots.words import mean_and_networks, networks, why_nothing, with_intervals

FATES = {
    "x1 only": ("#6F3FA0", ">", r"$w\cdot x_1>0$ alone"),
    "both": ("0.1", "^", r"$w\cdot x_1, w\cdot x_2>0$"),
    "x2 only": ("#A98BCB", "<", r"$w\cdot x_2>0$ alone"),
    "dead": ("0.6", "x", "neither"),
}
"""Colour, marker and name of each region. Orange and blue are activations."""
PALE = 0.3
"""The opacity of neurons that stay in their region."""
DIAGONAL = {"color": "0.3", "linewidth": 0.6, "dashes": (4, 3)}
"""The look of the lines at 45 degrees."""
SILENT = ("relu", "clipped_relu")
"""Activations that are 0 and flat below 0."""
NEITHER = {True: "dead", False: "neither"}
"""A neuron whose inputs are negative at both centres, by whether the activation is silent there."""
COLUMNS = 3
CONVENTION = "signs"
"""The regions of the flows, as they are drawn; the table has those at 45 degrees as well."""
FLOWS = {"escape": ("black", "-", "o"), "return": ("0.55", (0, (4, 1.5)), "s")}
"""Colour, line and marker of each: from one centre to both, and the reverse."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    of_neurons = table["measure"].isin(["fate", "boundary", *FLOWS, "neurons"])
    refuse_pooling(table[of_neurons], ["noise_variance", "measure", "variant", "neuron"])
    variances = sorted(table["noise_variance"].unique())
    rows = -(-len(variances) // COLUMNS)
    heights = [0.06 + 0.33 * rows, 0.56]
    figure = Figure(figsize=(style.width, sum(heights) * style.width))
    top, bottom = figure.subfigures(2, 1, height_ratios=heights)

    letter(top, "A")
    axes = top.subplots(rows, COLUMNS, sharex=True, sharey=True, squeeze=False)
    fates = table[table["measure"] == "fate"]
    reach = 1.08 * fates[["intra", "inter"]].abs().max(axis=None) if len(fates) else 1.0
    is_silent = set(table["activation"].dropna()) <= set(SILENT)
    for number, (ax, variance) in enumerate(zip(axes.flat, variances, strict=False)):
        of_variance = table[table["noise_variance"] == variance]
        _draw_neurons(ax, of_variance, reach)
        ax.set_title(rf"$\sigma^2={variance:g}$" + f"\n{_numbers(of_variance, NEITHER[is_silent])}")
        if number + COLUMNS >= len(variances):
            ax.set_xlabel("Intra-class weight")
            ax.tick_params(labelbottom=True)
    for ax in axes.flat[len(variances) :]:
        ax.set_axis_off()
    for ax in axes[:, 0]:
        ax.set_ylabel("Inter-class weight")
    handles = [
        Line2D([], [], linestyle="none", marker=marker, color=colour, markersize=3.5,
               label=name + " (dead)" * (name == "neither" and is_silent))
        for colour, marker, name in FATES.values()
    ]  # fmt: skip
    stays = {"linestyle": "none", "marker": "o", "color": "0.3", "markersize": 3.5}
    handles.append(Line2D([], [], alpha=PALE, label="pale: stays there", **stays))
    handles.append(Line2D([], [], label="inter = |intra|", **DIAGONAL))
    top.legend(handles=handles, loc="outside upper center", ncols=len(handles), columnspacing=1,
               handletextpad=0.2)  # fmt: skip

    letter(bottom, "B")
    flows, alignment = bottom.subplots(1, 2, width_ratios=[2.2, 1])
    _draw_flows(flows, table)
    aligned = table[table["measure"].isin(["target_alignment", "alignment"])]
    shown = not_diverged(aligned)
    draw_curves(alignment, shown, "noise_variance", style, why_nothing(aligned),
                spread="networks")  # fmt: skip
    alignment.set(title="Target alignment", ylabel="")
    for ax in (flows, alignment):
        ax.set_xscale("symlog", linthresh=0.25, linscale=0.5)
        ax.set_xticks(variances, [f"{variance:g}" for variance in variances])
        ax.minorticks_off()
        if len(variances) > 1:
            ax.set_xlim(-0.05, 1.3 * max(variances))
        ax.set_xlabel(r"Variance $\sigma^2$ of the training noise")

    intervals = with_intervals(_flows(table), table, "target_alignment")
    finish(
        figure,
        table,
        style,
        "A: initial weights of the neurons with positive readout of one network, the same in each "
        f"panel; colour and marker: their region after {style.step} steps; {NEITHER[is_silent]}: "
        "neurons of all networks in the grey region, at the start and at the end. B, escape: from "
        "one of the purple regions to the black one; return: the reverse; medians over "
        f"{networks(table, 'target_alignment')}, {intervals}; target alignment, "
        f"{mean_and_networks(table, 'target_alignment')}.",
    )
    return figure


def _draw_neurons(ax: Any, rows: pd.DataFrame, reach: float) -> None:
    """Draw the neurons of one network where they start, on the regions."""
    angles = rows[rows["measure"] == "boundary"].set_index("variant")["value"]
    order = list(FATES)
    for before, region, after in zip(np.roll(order, 1), order, np.roll(order, -1), strict=True):
        first, last = angles[f"signs: {before} | {region}"], angles[f"signs: {region} | {after}"]
        colour, marker, name = FATES[region]
        ax.add_patch(Wedge((0, 0), 2 * reach, first, last, color=colour, alpha=0.13, linewidth=0))
        places = rows[(rows["measure"] == "fate") & (rows["variant"] == f"signs: {region}")]
        turned = np.degrees(np.arctan2(places["inter"], places["intra"])).to_numpy(float)
        stayed = (turned - first) % 360 <= (last - first) % 360
        ax.scatter(places["intra"], places["inter"], s=8, marker=marker, color=colour,
                   linewidths=0.6 if marker == "x" else 0, label=name,
                   alpha=np.where(stayed, PALE, 1.0) if len(places) else None)  # fmt: skip
    has_fates = (rows["measure"] == "fate").any()
    sides = ("45 degrees: x1 only | both", "45 degrees: both | x2 only")
    for side in sides if has_fates else ():
        end = 2 * reach * np.exp(1j * np.radians(angles[side]))
        ax.plot([0, end.real], [0, end.imag], **DIAGONAL)
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    ax.locator_params(nbins=4)
    if not has_fates:
        say(ax, "The network that is shown diverged")


def _numbers(rows: pd.DataFrame, neither: str) -> str:
    """Return how many neurons neither centre activates at the start and at the end."""
    counts = rows[rows["measure"] == "neurons"].set_index("variant")["value"]
    if counts.empty:
        return "all networks diverged"
    start = counts[[f"signs: dead to {region}" for region in FATES]].sum()
    end = counts[[f"signs: {region} to dead" for region in FATES]].sum()
    total = counts.filter(like="signs: ").sum()
    return f"{neither}: {start:.0f}, then {end:.0f}, of {total:.0f}"


def _flows(table: pd.DataFrame) -> pd.DataFrame:
    """Return the probabilities over networks."""
    rows = table[table["variant"] == f"{CONVENTION}, alive: networks"]
    rows = rows[rows["measure"].isin(FLOWS)]
    return rows.dropna(subset="value").sort_values("noise_variance")


def _draw_flows(ax: Any, table: pd.DataFrame) -> None:
    ax.set(title="Neurons that change region", ylabel="Probability")
    flows = _flows(table)
    if not len(flows):
        say(ax, "All networks diverged, or no neuron could escape")
        return
    ends = {}
    for flow, (colour, line, marker) in FLOWS.items():
        rows = flows[flows["measure"] == flow]
        below, above = rows["value"] - rows["low"], rows["high"] - rows["value"]
        drawn = ax.errorbar(rows["noise_variance"], rows["value"], yerr=[below, above],
                            linestyle=line, color=colour, marker=marker, markersize=3,
                            capsize=1.5, label=flow)  # fmt: skip
        ends[flow] = drawn.lines[0]
    highest = flows[["value", "high"]].max(axis=None)
    ax.set_ylim(0, 1.1 * highest if highest > 0 else 1)
    name_ends(ax, ends)
