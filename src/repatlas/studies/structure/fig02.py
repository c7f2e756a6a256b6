"""Figure 2: the effect of separability."""

from typing import Any

import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Alike, Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, axis, legend, panels
from repatlas.inference.contrasts import tanh_minus_relu
from repatlas.inference.pooling import not_diverged
from repatlas.plots.palette import BLACK, GREY, WHITE
from repatlas.plots.panels import OF_PANELS, TITLES, differences_below, draw_panels
from repatlas.plots.patterns import draw_after
from repatlas.plots.patterns import reach_of as reach_of_patterns
from repatlas.plots.schematic import draw_clusters, reach_of
from repatlas.plots.style import (
    Style,
    activation_name,
    activations,
    finish,
    letter,
    page,
    small_type,
)
from repatlas.plots.trajectories import draw_trajectories, heights_of
from repatlas.plots.words import mean_and_networks, mean_over
from repatlas.studies.structure.roles import IN_PLANE, PANELS, SEPARABLE
from repatlas.studies.structure.rows.panels import (
    GROUP,
    accuracy_rows,
    at_step,
    effect_rows,
    panel_rows,
)
from repatlas.studies.structure.rows.patterns import pattern_rows
from repatlas.studies.structure.rows.sign_changes import sign_change_rows, threshold_rows
from repatlas.studies.structure.rows.trajectories import trajectory_rows
from repatlas.studies.structure.rows.weights import energy_rows, expected_rows, weight_rows

FIGURE = Figure(
    "Measures against separability, the weights' trajectories and hidden patterns.",
    {
        "sweep": Role(
            "The sweep of separable tasks whose measures panel B draws against delta. It needs two"
            " values of delta or more.",
            PANELS,
            SEPARABLE,
            shown=legend(ACTIVATION) | axis("task.delta"),
        ),
        "trajectories": Role(
            "The sweep whose weights panel C draws, in a pair of panels for each delta. Panel A"
            " draws its centres and hidden patterns. Except for delta it has the task and the"
            " activations of `sweep`, and no hidden biases.",
            {"selectivity", "kernel"},
            SEPARABLE | IN_PLANE,
            shown=legend(ACTIVATION) | panels("task.delta"),
            over_steps=True,
        ),
        "linear": Role(
            "A sweep of linear networks, activation `identity`, which is only in the table.",
            {"selectivity"},
            SEPARABLE | IN_PLANE | {ACTIVATION: ("identity",)},
            optional=True,
            shown=legend("task.delta"),
            over_steps=True,
        ),
        "biased": Role(
            "A sweep of networks with hidden biases, as in `sweep`, whose weights are only in the"
            " table.",
            {"selectivity"},
            SEPARABLE | {"network.hidden_bias": ("trained",)},
            optional=True,
            shown=legend(ACTIVATION, "task.delta"),
        ),
    },
    alike=(
        Alike("trajectories", "sweep", ("task", ACTIVATION), but=("task.delta",)),
        Alike("linear", "sweep", ("task",), but=("task.delta",)),
        Alike("biased", "sweep", ("task", "network", "training"), but=("task.delta",)),
    ),
    step="The training step that panel B shows.",
    finding=Finding(
        "From a separability of one half on tanh networks have the geometry of the targets; ReLU"
        " networks follow slowly.",
        {"17": SUPPORTED, "18": SUPPORTED},
    ),
)
CAPTION = """**Figure 2: separability.** How separable must the classes be before hidden layers take
on the geometry of the targets? A: the centres for delta = {{ listed(facts.trajectories.delta) }};
at 0 they are the centres of XOR, at 1 they are equidistant. To the right: the hidden patterns of
the clusters after training in one network of each kind{{ unbiased(facts.trajectories) }}, in the
plane of their largest variance, whose share is given. B: the measures of Figure 1B for {{
kind(facts.sweep) }} after {{ facts.step }} steps, {{ each(facts.sweep.seeds) }}; {{
decoders(facts.sweep) }}. {{ strips }}. Diamonds: where target alignment reaches 0.75, on the
curves, and where the difference first goes from below to above 0, on the strip. Black dashes:
C(K_X, K_Y), the input alignment that the targets themselves have. C: input weights of one network
each{{ unbiased(facts.trajectories) }}, as in Figure 1D. Each fraction of inter-class selective
neurons is {{ mean(facts.trajectories.seeds) }}.{{ " At delta = 0 the difference of the class means
vanishes; its limit for small delta replaces the inter-class axis. The expected gradient of tanh
networks is zero there, so that their neurons move only by what this expectation leaves out." if 0
in facts.trajectories.delta }} {{ lost }}"""

WITH_BIAS = "hidden bias"
"""The variant of rows about networks with hidden biases."""


def per_network(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    trajectories = rows["trajectories"]
    parts = [
        panel_rows(at_step(rows["sweep"], step)),
        trajectory_rows(trajectories),
        pattern_rows(trajectories),
        weight_rows(trajectories),
        accuracy_rows(trajectories),
    ]
    if "linear" in rows:
        parts += [weight_rows(rows["linear"]), expected_rows(rows["linear"])]
    if "biased" in rows:
        # The sweep has the same networks, and its rows include their accuracy.
        parts.append(energy_rows(rows["biased"]).assign(variant=WITH_BIAS))
    return pd.concat(parts, ignore_index=True)


def over_networks(rows: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([effect_rows(rows, "delta"), *_crossing_rows(rows)], ignore_index=True)


def _crossing_rows(rows: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the least delta at which tanh networks have the higher target alignment, and the least
    delta at which each activation has a high one."""
    alignment = not_diverged(rows[rows["measure"] == "target_alignment"])
    differences = tanh_minus_relu(alignment, [*GROUP, "delta"])
    return [
        sign_change_rows(differences, GROUP, "delta"),
        threshold_rows(alignment, ["activation", *GROUP], "delta"),
    ]


LIMIT = 0.57735
"""Claim 16 says that target alignment is below this at a separability of 0: equidistant clusters
have 1 / sqrt(3)."""
MOST_IN_A_ROW = 3
"""The most panels in a row of A and of C, so that titles do not overlap."""
MOST_DRAWINGS = 12
"""The most small drawings in a row of A."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    # The table has linear networks, too; they are not drawn.
    shown = activations(table[table["measure"].isin(OF_PANELS)])
    table = table[table["activation"].isin(shown) | table["contrast"].notna()]
    centres = table[table["measure"] == "centre"]
    names, deltas = activations(centres), sorted(centres["delta"].unique())
    in_a = _grid(len(deltas), min(MOST_IN_A_ROW, max(MOST_DRAWINGS // (1 + len(names)), 1)))
    in_c = _grid(len(deltas), MOST_IN_A_ROW)
    heights = [0.165 * in_a[0], 0.78, 0.165 * in_c[0] * len(names)]
    figure = page(style, (sum(heights) + 0.04) * style.width)
    top, middle, bottom = figure.subfigures(3, 1, height_ratios=heights)

    letter(top, "A")
    for part, delta in zip(top.subfigures(*in_a, squeeze=False).flat, deltas, strict=False):
        _draw_geometries(part, table, delta, names)

    letter(middle, "B")
    label = r"Separability $\delta$"
    axes = draw_panels(middle, table, style, "delta", label, spread="networks")
    _mark_limit(axes.flat[list(TITLES).index("target_alignment")])

    letter(bottom, "C")
    axes = bottom.subplots(in_c[0] * len(names), in_c[1], squeeze=False, sharex=True, sharey=True)
    heights = heights_of(table)
    for block, activation in zip(axes.reshape(len(names), -1), names, strict=True):
        for ax, delta in zip(block, deltas, strict=False):
            of_delta = table[table["delta"] == delta]
            title = rf"$\delta={delta:g}$"
            draw_trajectories(ax, of_delta, activation, style, title, ": ", heights)
        _remove_unused(block, len(deltas))
        for ax in block[:: in_c[1]]:
            ax.set_ylabel(f"{activation_name(activation)}:\ninter-class")
    for ax in axes[-1]:
        ax.set_xlabel("Intra-class weight")

    finish(
        figure,
        table,
        style,
        "A: inputs, and hidden patterns after training in one network of each kind; percentages: "
        "the share of their variance in the plane that is drawn. "
        f"B: {mean_and_networks(table, 'target_alignment')}, after {style.step} steps."
        f"{differences_below(table)} "
        "C: neurons with positive readout of one network, on the expected gradient; "
        "inter-selective: inter > |intra| at the end, "
        f"{mean_over(table, 'inter_selective')}.",
    )
    return figure


def _mark_limit(ax: Any) -> None:
    """Draw the largest target alignment that claim 16 allows at a separability of 0."""
    low, high = ax.get_xlim()
    end = 0.12 * (high - low)
    ax.plot([0, end], [LIMIT] * 2, color=BLACK, linewidth=0.7, linestyle=":")
    box = {"boxstyle": "square,pad=0.05", "facecolor": WHITE, "linewidth": 0}
    ax.annotate("limit", (0, LIMIT), xytext=(0, -2), textcoords="offset points",
                color=GREY, size=small_type(), va="top", bbox=box, zorder=1)  # fmt: skip


def _draw_geometries(part: Any, table: pd.DataFrame, delta: float, names: list[str]) -> None:
    """Draw the centres of one delta and, to the right, the hidden patterns after training."""
    centres = table[table["measure"] == "centre"]
    patterns = table[table["measure"] == "pattern"]
    axes = part.subplots(1, 1 + len(names), width_ratios=[1.4, *[1] * len(names)])
    is_shown = (centres["delta"] == delta) & (centres["activation"] == names[0])
    draw_clusters(axes[0], centres[is_shown], reach_of(centres))
    axes[0].set_title(rf"$\delta={delta:g}$")
    for ax, activation in zip(axes[1:], names, strict=True):
        of = (patterns["delta"] == delta) & (patterns["activation"] == activation)
        draw_after(ax, patterns[of], reach_of_patterns(patterns))
        ax.set_title(activation_name(activation))


def _grid(panels: int, most: int) -> tuple[int, int]:
    """Return the number of rows and of columns of a grid."""
    rows = -(-panels // most)
    return rows, -(-panels // rows)


def _remove_unused(axes: Any, used: int) -> None:
    for ax in list(axes.flat)[used:]:
        ax.remove()
