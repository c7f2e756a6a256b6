"""Figure 7: networks with two outputs, whose readout weights are eight groups or random."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Alike, Figure, Finding
from repatlas.figures.role import Role
from repatlas.inference.contrasts import TANH_RELU, contrast_rows, median_rows, tanh_minus_relu
from repatlas.inference.pooling import not_diverged
from repatlas.plots.curves import BAR_ENDS, draw_curves
from repatlas.plots.groups import group_names, signs
from repatlas.plots.marks import GUIDE, add_key, dot_of
from repatlas.plots.palette import DARK, GREY, PALE, WHITE
from repatlas.plots.panels import CHANCE, TARGETS_LOOK, TITLES, deviation_name, tested
from repatlas.plots.patterns import MARKERS
from repatlas.plots.schematic import draw_clusters, reach_of
from repatlas.plots.style import (
    Style,
    activation_name,
    activations,
    class_colour,
    finish,
    letter,
    page,
    small_type,
)
from repatlas.plots.words import mean_and_sd, why_nothing
from repatlas.studies.structure.roles import IN_PLANE, PANELS, SMOOTH, UNSTRUCTURED
from repatlas.studies.structure.rows.groups import task_rows
from repatlas.studies.structure.rows.panels import GROUP, panel_rows
from repatlas.studies.structure.rows.trajectories import DRAWN_SEED

FIGURE = Figure(
    "Two outputs, whose readout weights are eight groups.",
    {
        "groups": Role(
            "The sweep of networks with two targets and the groups as readout, without hidden"
            " biases.",
            PANELS | {"selectivity", "tuning"},
            UNSTRUCTURED | SMOOTH | IN_PLANE | {"network.readout": ("groups",)},
        ),
        "control": Role(
            "The same with a random readout, `normal`.",
            PANELS,
            UNSTRUCTURED | {"network.readout": ("normal",)},
        ),
    },
    alike=(Alike("control", "groups", ("task", "network", "training"), but=("network.readout",)),),
    step="The training step that the figure shows in addition to step 0.",
    first_step=1,
    shows_start=True,
    finding=Finding(
        "With two outputs, too, tanh networks take on more of the geometry of the targets.",
        {"39": SUPPORTED},
    ),
)
CAPTION = """**Figure 7: two outputs.** Do tanh and ReLU networks with two outputs differ as those
with one do, and does it matter that the readout weights are eight groups? A: clusters at random
places, to scale, each with its labels for two targets, and coloured by the first. Below: a hidden
layer of eight groups of neurons with frozen readout weights. The style of a line is the sign of a
weight; a weight of zero has no line. B: measures of Figure 1B for {{ kind(facts.groups) }}, before
training and after {{ facts.step }} steps, {{ spread(facts.groups.seeds) }} of each kind.
Parallelism score and CCGP are means over the two targets. Decoders: {{ noise(facts.groups) }} is
added to their inputs; CCGP is drawn with the least, decoding with the most. Eight groups: the
readout of A. Random: networks with other readout weights ({{ listed(facts.control.readout, "or")
}}). Dashed, black: the input alignment that the targets themselves have. The paper draws the groups
with a readout weight of +1. The table has all measures. {{ lost }}"""

BY = [*GROUP, "readout"]
"""What the rows of a mean keep."""


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    groups = rows["groups"]
    panels = {
        role: panel_rows(metrics[metrics["step"].isin([0, step])]) for role, metrics in rows.items()
    }
    centres = groups[(groups["measure"] == "centre") & (groups["seed"] == DRAWN_SEED)]
    effects = [tanh_minus_relu(panels[role], GROUP) for role in ("groups", "control")]
    parts = [
        *panels.values(),
        *(
            median_rows(tanh_minus_relu(values, BY), BY).assign(contrast=TANH_RELU)
            for values in panels.values()
        ),
        contrast_rows(*effects, f"{TANH_RELU}, groups - control", GROUP),
        centres.drop_duplicates(["run", "variant", "cluster"]),
        task_rows(groups),
    ]
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


READOUT_NAMES = {"groups": "Eight groups", "normal": "Random"}
SLOPE_DISTANCE = 1.9
"""Distance in panel B from one slope, which is 1 wide, to the next."""
ASIDE = 0.06
"""How far in panel B an activation stands to the side, so that bars of two do not cover each
other."""
ENDS = ("before", "after")
LARGE = "target_alignment"
SMALL = ("input_alignment", "parallelism", "ccgp", "decoding_untrained")
"""The measures of panel B; decoding of the trained targets is at its ceiling in all networks."""
RANGE = (-0.35, 1.05)
"""The small panels of B have one scale, which holds parallelism scores before training."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    figure = page(style, 0.75 * style.width)
    part_a, part_b = figure.subfigures(1, 2, width_ratios=[1, 3.6])
    names = activations(table)
    # The table also has means over networks and differences between them.
    own = table[table["seed"].notna()]
    groups = group_names(table)

    letter(part_a, "A")
    above, below = part_a.subplots(2, 1)
    centres = own[own["measure"] == "centre"]
    drawn = centres[centres["activation"] == names[0]]
    draw_clusters(above, drawn, reach_of(drawn))
    above.set_title("Clusters and labels")
    _list_labels(above, table)
    _draw_network(below, groups)

    letter(part_b, "B")
    _draw_measures(part_b, own, style)

    finish(
        figure,
        table,
        style,
        f"B: {mean_and_sd(own, LARGE)}, before training and after {style.step} steps.",
    )
    return figure


def _list_labels(ax: Any, table: pd.DataFrame) -> None:
    """List the labels of each cluster for both targets, in a legend below the clusters."""
    rows = table[table["measure"] == "label"]
    wide = rows.pivot_table(index="cluster", columns="variant", values="value")
    for cluster, labels in enumerate(wide.to_numpy()):
        name = f"$x_{cluster + 1}$: " + ", ".join(f"{label:.0f}" for label in labels)
        colour = class_colour(cluster, len(wide))
        marker = MARKERS[2 * cluster >= len(wide)]
        ax.plot([], [], marker, linestyle="", markersize=3, color=colour, label=name)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.02), ncols=2, handletextpad=0.1,
              columnspacing=0.8, borderpad=0)  # fmt: skip


def _draw_network(ax: Any, groups: list[str]) -> None:
    """Draw inputs, groups of hidden neurons and both outputs; the line style is a weight's sign."""
    heights = np.linspace(1, 0, len(groups))
    inputs, outputs = np.linspace(0.85, 0.15, 4), [0.72, 0.28]
    for group, height in zip(groups, heights, strict=True):
        for source in inputs:
            ax.plot([0, 1], [source, height], color=PALE, linewidth=0.4, zorder=0)
        for sign, output in zip(group, outputs, strict=True):
            if sign != "0":
                dashes = "-" if sign == "+" else (0, (3, 2))
                ax.plot([1, 2], [height, output], color=DARK, linewidth=0.7, linestyle=dashes)
        ax.text(1, height, signs(group), ha="center", va="center", size=small_type(),
                bbox={"boxstyle": "round,pad=0.15", "facecolor": WHITE, "edgecolor": GREY,
                      "linewidth": 0.5})  # fmt: skip
    ax.plot([0] * len(inputs), inputs, "o", color=GREY, markersize=3)
    ax.text(-0.15, 0.5, "$x$", ha="right", va="center")
    for number, output in enumerate(outputs, start=1):
        ax.plot(2, output, "o", color=WHITE, markeredgecolor=DARK, markersize=5)
        ax.text(2.15, output, rf"$\hat{{y}}_{number}$", va="center")
    ax.set(xlim=(-0.4, 2.5), ylim=(-0.1, 1.1), title="Readout groups")
    ax.set_axis_off()


def _draw_measures(part: Any, own: pd.DataFrame, style: Style) -> None:
    """Draw each measure as slopes, from before training to after it."""
    readouts = sorted(own["readout"].dropna().unique(), key=lambda name: name != "groups")
    starts = {name: SLOPE_DISTANCE * number for number, name in enumerate(readouts)}
    names = activations(own)
    sides = dict(zip(names, np.linspace(-ASIDE, ASIDE, len(names)), strict=True))
    rows = own[own["readout"].notna()]
    place = rows["readout"].map(starts) + (rows["step"] > 0) + rows["activation"].map(sides)
    rows = rows.assign(place=place)
    panels = _panels(not_diverged(rows))
    left, right = part.subfigures(1, 2, width_ratios=[1, 1.4])
    axes = [left.subplots(), *right.subplots(2, 2, sharex=True, sharey=True).flat]
    nothing = why_nothing(rows)
    for ax, (measure, (title, shown)) in zip(axes, panels.items(), strict=True):
        ax.set_xlim(starts[readouts[0]] - 0.45, starts[readouts[-1]] + 1.45)
        for readout in readouts if len(shown) else [None]:
            draw_curves(ax, shown[shown["readout"] == readout], "place", style, nothing,
                        spread="bars")  # fmt: skip
        ax.set(title=title, xlabel="", ylabel="")
        ends = [start + end for start in starts.values() for end in (0, 1)]
        ax.set_xticks(ends, ENDS * len(starts))
        if measure in CHANCE:
            ax.axhline(CHANCE[measure], **GUIDE)
    axes[1].set_ylim(RANGE)
    lines = {"chance": GUIDE}
    if _draw_targets_own(axes[1], rows):
        lines["the targets themselves"] = TARGETS_LOOK
    for ax in (axes[0], *axes[-2:]):
        _name_readouts(ax, [READOUT_NAMES.get(name, name) for name in readouts], starts)
    add_key(part, {activation_name(name): BAR_ENDS | dot_of(name, style) for name in names} | lines)


def _panels(rows: pd.DataFrame) -> dict[str, tuple[str, pd.DataFrame]]:
    """Return title and rows of each panel. CCGP has the least noise in the inputs of its decoders,
    as in the paper, and decoding the most, because it is at its ceiling with less."""
    noise = tested(rows) or [0.0]
    chosen = {"ccgp": noise[0], "decoding_untrained": noise[-1]}
    found = {}
    for measure in (LARGE, *SMALL):
        of_measure, title = rows[rows["measure"] == measure], TITLES[measure]
        if measure in chosen:
            of_measure = of_measure[of_measure["deviation"] == chosen[measure]]
            title = f"{title}, {deviation_name(chosen[measure])}".replace(", ", ",\n")
        found[measure] = title, of_measure
    return found


def _name_readouts(ax: Any, names: list[str], starts: dict[str, float]) -> None:
    """Write the names of the readouts below the ticks."""
    beneath = ax.secondary_xaxis(-0.13 if ax.get_title() != TITLES[LARGE] else -0.06)
    beneath.set_xticks([start + 0.5 for start in starts.values()], names)
    beneath.tick_params(length=0)
    beneath.spines["bottom"].set_visible(False)


def _draw_targets_own(ax: Any, rows: pd.DataFrame) -> bool:
    """Draw the input alignment of the targets themselves, the mean over tasks, and return True if
    it is known."""
    own = rows[(rows["measure"] == "input_output_alignment") & (rows["variant"] == "centres")]
    values = not_diverged(own)["value"].dropna()
    if len(values):
        ax.axhline(values.mean(), **TARGETS_LOOK, zorder=0)
    return len(values) > 0
