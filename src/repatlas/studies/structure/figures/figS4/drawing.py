"""Figure S4: which property of an activation lets the targets' geometry through?"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.networks.activation import activation
from repatlas.plots.curves import dot_of
from repatlas.plots.spread import deviation
from repatlas.plots.style import Style, activation_name, finish, say
from repatlas.plots.words import listed, mean_and_sd, why_nothing
from repatlas.studies.structure.figures.figS4.table import REACH

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


def draw(table: pd.DataFrame, style: Style) -> Figure:
    networks = table[table["seed"].notna()]
    shown = not_diverged(networks)
    alignment = shown[(shown["measure"] == "target_alignment") & (shown["variant"] == "centres")]
    refuse_pooling(alignment, ["activation", "alignment"])
    # Each network counts once, as its mean over the tasks.
    per_seed = alignment.groupby(["activation", "seed"])["value"].mean()
    order = per_seed.groupby("activation").mean().sort_values().index
    sides = table[table["measure"] == "saturating_sides"].set_index("activation")["value"]
    groups = {number: [name for name in order if sides[name] == number] for number in GROUPS}
    groups = {number: names for number, names in groups.items() if names}

    heights = [len(names) + HEADING for names in groups.values()] or [1]
    figure = Figure(figsize=(style.width, (0.14 + 0.036 * sum(heights)) * style.width))
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
    look = {"marker": "o"} | dot_of(name, style)
    grey = dict.fromkeys(("color", "markeredgecolor", "markerfacecolor"), "0.3")
    return look if name in COMPARED else look | grey


def _draw_row(ax: Any, row: int, values: pd.Series, look: dict[str, Any]) -> None:
    """Draw the mean of an activation's networks with their deviation, above a dot for each
    network."""
    below = np.full(len(values), row - 0.22)
    ax.plot(values, below, "o", color=look["color"], alpha=0.5, markersize=1.8, markeredgewidth=0)
    ax.errorbar(values.mean(), row + 0.12, xerr=deviation(values), linestyle="", elinewidth=1,
                markersize=3.5, capsize=2, **look)  # fmt: skip


def _draw_function(ax: Any, row: int, rows: int, name: str, colour: str) -> None:
    """Draw the function to the right of its row."""
    inset = ax.inset_axes((1.02, (row + 0.6) / (rows + 0.2) - 0.38 / rows, 0.1, 0.76 / rows))
    x = np.linspace(-REACH, REACH, 61)
    inset.plot(x, activation(name).value(x), color=colour, linewidth=0.9)
    inset.axhline(0, color="0.8", linewidth=0.4, zorder=0)
    inset.set(xlim=(-REACH, REACH), ylim=(-1.3, 2.2))
    inset.set_axis_off()


def _number(per_seed: pd.Series) -> str:
    """Return how many networks of each activation are left, for a title."""
    numbers = sorted(per_seed.groupby("activation").size().unique())
    least, most = numbers[0], numbers[-1]
    if most == 1:
        return " (n = 1 network each)"
    return f" (n = {most if least == most else f'{least} to {most}'} networks each)"
