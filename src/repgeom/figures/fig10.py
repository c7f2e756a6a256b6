"""Figure 10: what becomes of neurons under training noise."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Wedge

from repgeom.figures.curves import draw_curves
from repgeom.figures.style import Style, converged, finish, letter, networks
from repgeom.tables.pooling import refuse_pooling

FATES = {
    "x1 only": ("#762A83", ">", "only $x_1$ activates it"),
    "both": ("#E08214", "^", "$x_1$ and $x_2$ do"),
    "x2 only": ("#1B7837", "<", "only $x_2$ does"),
    "dead": ("0.45", "x", "neither (dead)"),
}
"""Colour (ColorBrewer's, safe for colour-blind readers), marker and name of each region."""
COLUMNS = 3
CONVENTIONS = {"signs": ("-", "regions as drawn"), "45 degrees": ("--", "both: inter > |intra|")}
"""Line and name of each."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    of_neurons = table["measure"].isin(["fate", "boundary", "escape", "neurons"])
    refuse_pooling(table[of_neurons], ["noise_variance", "measure", "variant", "neuron"])
    variances = sorted(table["noise_variance"].unique())
    rows = -(-len(variances) // COLUMNS)
    figure = Figure(figsize=(style.width, (0.47 + 0.49 * rows) * style.width))
    top, bottom = figure.subfigures(2, 1, height_ratios=[0.06 + 0.49 * rows, 0.38])

    letter(top, "A")
    axes = top.subplots(rows, COLUMNS, sharex=True, sharey=True, squeeze=False)
    reach = 1.08 * table.loc[table["measure"] == "fate", ["intra", "inter"]].abs().max(axis=None)
    for ax, variance in zip(axes.flat, variances, strict=False):
        _draw_neurons(ax, table[table["noise_variance"] == variance], reach)
        ax.set_title(rf"$\sigma^2={variance:g}$")
    for ax in axes.flat[len(variances) :]:
        ax.set_axis_off()
    for ax in axes[:, 0]:
        ax.set_ylabel("Inter-class weight")
    handles, names = axes[0, 0].get_legend_handles_labels()
    top.legend(handles, names, loc="outside upper center", ncols=len(FATES), columnspacing=1,
               handletextpad=0.2)  # fmt: skip

    letter(bottom, "B")
    escape, alignment = bottom.subplots(1, 2)
    _draw_escape(escape, table)
    shown = converged(table[table["measure"] == "target_alignment"])
    draw_curves(alignment, shown, "noise_variance", style)
    alignment.set(title="Target alignment", ylabel="")
    for ax in (escape, alignment):
        ax.set_xscale("symlog", linthresh=0.25, linscale=0.5)
        ax.set_xticks(variances, [f"{variance:g}" for variance in variances])
        ax.minorticks_off()
        ax.set_xlim(-0.05, 1.3 * max(variances))
        ax.set_xlabel(r"Variance $\sigma^2$ of the training noise")

    finish(
        figure,
        table,
        style,
        "A: initial weights of the neurons with positive readout of one network, the same in each "
        f"panel; marker: region of their weights after {style.step} steps; shading: the regions; "
        "dashed: inter = |intra|. Escape: neurons of the purple and green regions that end in the "
        "orange one, of those that are not dead then, with the 95 % interval of the mean over "
        f"{networks(table, 'target_alignment')}; dead: neurons of all networks, at the start "
        "and at the end. B: the same and, for comparison, target alignment (mean and SD).",
    )
    return figure


def _draw_neurons(ax: Any, rows: pd.DataFrame, reach: float) -> None:
    """The neurons of one network where they start, on the regions; counts of all networks below."""
    angles = rows[rows["measure"] == "boundary"].set_index("variant")["value"]
    order = list(FATES)
    for before, region, after in zip(np.roll(order, 1), order, np.roll(order, -1), strict=True):
        first, last = angles[f"signs: {before} | {region}"], angles[f"signs: {region} | {after}"]
        colour, marker, name = FATES[region]
        ax.add_patch(Wedge((0, 0), 2 * reach, first, last, color=colour, alpha=0.13, linewidth=0))
        places = rows[(rows["measure"] == "fate") & (rows["variant"] == f"signs: {region}")]
        ax.scatter(places["intra"], places["inter"], s=7, marker=marker, color=colour,
                   linewidths=0.6 if marker == "x" else 0, label=name)  # fmt: skip
    for side in ("45 degrees: x1 only | both", "45 degrees: both | x2 only"):
        end = 2 * reach * np.exp(1j * np.radians(angles[side]))
        ax.plot([0, end.real], [0, end.imag], color="0.3", linewidth=0.6, dashes=(4, 3))
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    ax.locator_params(nbins=4)
    ax.set_xlabel(f"Intra-class weight\n{_numbers(rows)}", linespacing=1.3)
    ax.tick_params(labelbottom=True)


def _numbers(rows: pd.DataFrame) -> str:
    """The escape probabilities, and how many neurons are dead at the start and at the end."""
    found = rows[rows["measure"] == "escape"].set_index("variant")
    counts = rows[rows["measure"] == "neurons"].set_index("variant")["value"]
    if counts.empty:
        return "diverged"
    lines = [
        f"{name}: {_with_interval(found.loc[f'{convention}, alive: networks'])}"
        for convention, name in (("signs", "escape"), ("45 degrees", "by 45°"))
    ]
    start = counts[[f"signs: dead to {region}" for region in FATES]].sum()
    end = counts[[f"signs: {region} to dead" for region in FATES]].sum()
    total = counts.filter(like="signs: ").sum()
    return "\n".join([*lines, f"dead: {start:.0f}, then {end:.0f}, of {total:.0f}"])


def _with_interval(row: pd.Series) -> str:
    if np.isnan(row["low"]):
        return f"{row['value']:.3f}"
    return f"{row['value']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"


def _draw_escape(ax: Any, table: pd.DataFrame) -> None:
    for convention, (line, name) in CONVENTIONS.items():
        rows = table[table["variant"] == f"{convention}, alive: networks"]
        rows = rows.sort_values("noise_variance")
        below, above = rows["value"] - rows["low"], rows["high"] - rows["value"]
        ax.errorbar(rows["noise_variance"], rows["value"], yerr=[below, above], linestyle=line,
                    color="0.15", marker="o", markersize=2.5, capsize=1.5, label=name)  # fmt: skip
    ax.set(title="Escape probability", ylim=(0, None))
    ax.legend(handlelength=2.2, borderpad=0)
