"""Figure S4: which property of an activation lets the targets' geometry through?"""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import on_the_same_tasks
from repatlas.figures.role import ACTIVATION, Role, legend
from repatlas.inference.pooling import not_diverged, refuse_mixed_kinds
from repatlas.networks.activation import activation
from repatlas.networks.activation import activation as activation_of
from repatlas.plots.marks import dot_of, draw_line, strip
from repatlas.plots.palette import DARK, LIGHT
from repatlas.plots.spread import with_sd
from repatlas.plots.style import Style, activation_name, finish, page, say
from repatlas.plots.words import listed, mean_and_sd, why_nothing
from repatlas.studies.structure.roles import ALIGNED
from repatlas.studies.structure.rows.aligned import aligned_rows
from repatlas.studies.structure.rows.panels import at_step

FIGURE = Figure(
    "Every activation, ranked by target alignment.",
    {
        "lines": Role(
            "Sweeps with the same number of clusters and targets, and every activation on each"
            " task.",
            {"alignment"},
            ALIGNED,
            several=True,
            shown=legend(ACTIVATION, "task.alignment"),
            fits=(on_the_same_tasks(),),
        )
    },
    step="The training step that the figure shows.",
    finding=Finding(
        "Each activation that saturates on both sides gives more target alignment than the others"
        " on average.",
        {"51": SUPPORTED},
    ),
)
CAPTION = """**Figure S4: activations, ranked (our choice).** Target alignment of every activation
after {{ facts.step }} steps, in groups by the number of sides on which the activation saturates,
and ranked within each group. The functions are drawn at the right. The task has {{
listed(facts.lines.clusters) }} clusters and {{ listed(facts.lines.targets) }} targets; the width is
{{ listed(facts.lines.width) }}. Each network counts once, as its mean over input-output alignments
of {{ listed(facts.lines.alignment) }}. Large dots: {{ spread(facts.lines.seeds) }}; small dots:
single networks. A side saturates where the slope, three standard deviations of the first
pre-activations from 0, is less than a quarter of the steepest slope. {{ lost }}"""

REACH = 3.0
"""Standard deviations of the pre-activation, at the start of training, to either side."""
STEEP = 0.25
"""A function saturates where its slope is less than this fraction of its steepest slope."""


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    shown = at_step(aligned_rows(rows["lines"]), step)
    sides = pd.DataFrame(
        {
            "activation": name,
            "clusters": shown["clusters"].iloc[0],
            "targets": shown["targets"].iloc[0],
            "measure": "saturating_sides",
            "variant": "function",
            "value": saturating_sides(name),
        }
        for name in shown["activation"].unique()
    )
    return pd.concat([shown, sides], ignore_index=True)


def saturating_sides(activation: str) -> float:
    """Return on how many sides, 0 to 2, the slope at REACH is less than STEEP of the steepest
    slope."""
    slope = activation_of(activation).slope
    steepest = np.abs(slope(np.linspace(-REACH, REACH, 2001))).max()
    return float((np.abs(slope(np.array([-REACH, REACH]))) < STEEP * steepest).sum())


GROUPS = {
    2: "Saturating on both sides",
    1: "Saturating on one side",
    0: "Not saturating",
}
"""The groups of activations, by the number of sides on which they saturate."""
COMPARED = ("tanh", "relu")
"""The activations that have a colour; all others are grey."""
HEADING = 1.2
"""Height of the name of a group, in heights of a row."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    networks = table[table["seed"].notna()]
    shown = not_diverged(networks)
    alignment = shown[(shown["measure"] == "target_alignment") & (shown["variant"] == "centres")]
    refuse_mixed_kinds(alignment, ["activation", "alignment"])
    # Each network counts once, as its mean over the tasks.
    per_seed = alignment.groupby(["activation", "seed"])["value"].mean()
    order = per_seed.groupby("activation").mean().sort_values().index
    sides = table[table["measure"] == "saturating_sides"].set_index("activation")["value"]
    groups = {number: [name for name in order if sides[name] == number] for number in GROUPS}
    groups = {number: names for number, names in groups.items() if names}

    heights = [len(names) + HEADING for names in groups.values()] or [1]
    figure = page(style, (0.14 + 0.036 * sum(heights)) * style.width)
    part = figure.subfigures()  # below the words above a preview
    axes = part.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for ax, (number, names) in zip(axes, groups.items(), strict=False):
        for row, name in enumerate(names):
            look = _look(name, style)
            _draw_row(ax, row, per_seed[name], look)
            _draw_function(ax, row, len(names), name, look["color"])
        ax.set_yticks(range(len(names)), [activation_name(name) for name in names])
        ax.set_ylim(-0.6, len(names) - 0.4)
        ax.set_title(f"{GROUPS[number]}{_number(per_seed[names])}", loc="left")
    axes[-1].set_xlabel("Target alignment")
    if not groups:
        say(axes[0], why_nothing(networks))

    present = {
        name: sorted(networks[column].dropna().unique())
        for name, column in (("P", "clusters"), ("k", "targets"), ("c", "alignment"))
    }
    settings = (
        f"{name} = {listed([f'{value:.3g}' for value in values])}"
        for name, values in present.items()
    )
    finish(
        figure,
        table,
        style,
        f"Large dots: {mean_and_sd(alignment, 'target_alignment')}; small dots: single networks. "
        f"Each network counts once, as its mean over the tasks ({', '.join(settings)}, "
        f"{style.step} steps). A side saturates where the slope, three standard deviations of the "
        "first pre-activations from the middle, is less than a quarter of the steepest slope.",
    )
    return figure


def _look(name: str, style: Style) -> dict[str, Any]:
    look = dot_of(name, style)
    grey = dict.fromkeys(("color", "markeredgecolor", "markerfacecolor"), DARK)
    return look if name in COMPARED else look | grey


def _draw_row(ax: Any, row: int, values: pd.Series, look: dict[str, Any]) -> None:
    """Draw the mean of an activation's networks with their deviation, above a dot for each
    network."""
    strip(ax, values, row - 0.22, color=look["color"])
    mean = with_sd(pd.DataFrame({"row": row + 0.12, "value": values}), ["row"])
    draw_line(
        ax, mean, "row", bars=1, across=True, **look | {"linestyle": "none", "markersize": 3.5}
    )


def _draw_function(ax: Any, row: int, rows: int, name: str, colour: str) -> None:
    """Draw the function to the right of its row."""
    inset = ax.inset_axes((1.02, (row + 0.6) / (rows + 0.2) - 0.38 / rows, 0.1, 0.76 / rows))
    x = np.linspace(-REACH, REACH, 61)
    inset.plot(x, activation(name).value(x), color=colour, linewidth=0.9)
    inset.axhline(0, color=LIGHT, linewidth=0.4, zorder=0)
    inset.set(xlim=(-REACH, REACH), ylim=(-1.3, 2.2))
    inset.set_axis_off()


def _number(per_seed: pd.Series) -> str:
    """Return how many networks of each activation are left, for a title."""
    numbers = sorted(per_seed.groupby("activation").size().unique())
    least, most = numbers[0], numbers[-1]
    if most == 1:
        return " (n = 1 network each)"
    return f" (n = {most if least == most else f'{least} to {most}'} networks each)"
