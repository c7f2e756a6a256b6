"""Figure S4: which property of an activation lets the targets' geometry through?"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.networks.activation import activation
from repatlas.plots.spread import deviation
from repatlas.plots.style import GREY, Style, activation_name, finish, letter, say, small_type
from repatlas.plots.words import listed, mean_and_sd, why_nothing
from repatlas.studies.structure.figures.figS4.table import REACH

LEADER = {"arrowstyle": "-", "linewidth": 0.4, "color": GREY, "shrinkA": 0, "shrinkB": 1.5}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    networks = table[table["seed"].notna()]
    shown = not_diverged(networks)
    alignment = shown[(shown["measure"] == "target_alignment") & (shown["variant"] == "centres")]
    refuse_pooling(alignment, ["activation", "alignment"])
    # Each network counts once, as its mean over the tasks.
    per_seed = alignment.groupby(["activation", "seed"])["value"].mean()
    grouped = per_seed.groupby("activation")
    means, deviations = grouped.mean(), grouped.agg(deviation)
    order = means.sort_values().index
    asymmetry = table[table["measure"] == "saturation_asymmetry"].set_index("activation")["value"]

    figure = Figure(figsize=(style.width, 0.7 * style.width))
    part_a, part_b = figure.subfigures(1, 2)
    letter(part_a, "A")
    ax = part_a.subplots()
    colours = [style.colours[name] for name in order]
    for row, (name, colour) in enumerate(zip(order, colours, strict=True)):
        _draw_row(ax, row, per_seed[name], colour)
        _draw_function(ax, row, len(order), name, colour)
    ax.set_yticks(range(len(order)), [activation_name(name) for name in order])
    ax.set(xlabel="Target alignment", title=f"Activations, ranked{_number(per_seed)}")
    ax.set_ylim(-0.6, max(len(order), 1) - 0.4)
    if not len(order):
        say(ax, why_nothing(networks))

    letter(part_b, "B")
    ax = part_b.subplots()
    ax.errorbar(asymmetry[order], means[order], deviations[order], fmt="none", ecolor="0.3",
                elinewidth=0.8)  # fmt: skip
    ax.scatter(asymmetry[order], means[order], color=colours, s=10, zorder=3)
    _name_points(ax, asymmetry[order], means[order])
    ax.set(xlabel="Asymmetry of saturation", ylabel="Target alignment", xlim=(-0.05, 1.35))
    ax.set_xticks(np.linspace(0, 1, 5))
    if not len(order):
        say(ax, why_nothing(networks))
    if len(order) > 2:
        # Spearman's, as a correlation of ranks: scipy.stats takes a second to import.
        rho = asymmetry[order].rank().corr(means[order].rank())
        if np.isfinite(rho):
            ax.set_title(rf"Spearman $\rho = {rho:.2f}$" f"\nover {len(order)} activations")

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
        f"{', '.join(settings)}, {style.step} steps. Each network counts once, as its mean over "
        f"the tasks: {mean_and_sd(alignment, 'target_alignment')}, small dots: each of them. "
        f"Asymmetry of saturation: |$f'$({REACH:g}) \N{MINUS SIGN} "
        f"$f'$(\N{MINUS SIGN}{REACH:g})| / max |$f'$|.",
    )
    return figure


def _draw_row(ax: Any, row: int, values: pd.Series, colour: str) -> None:
    """Draw the mean of an activation's networks with their deviation, above a dot for each
    network."""
    below = np.full(len(values), row - 0.22)
    ax.plot(values, below, "o", color=colour, alpha=0.5, markersize=1.8, markeredgewidth=0)
    ax.errorbar(values.mean(), row + 0.12, xerr=deviation(values), fmt="o", color=colour,
                markersize=3.5, elinewidth=1, capsize=2)  # fmt: skip


def _draw_function(ax: Any, row: int, rows: int, name: str, colour: str) -> None:
    """Draw the function to the right of its row."""
    inset = ax.inset_axes((1.03, (row + 0.6) / (rows + 0.2) - 0.38 / rows, 0.16, 0.76 / rows))
    x = np.linspace(-REACH, REACH, 61)
    inset.plot(x, activation(name).value(x), color=colour, linewidth=0.9)
    inset.axhline(0, color="0.8", linewidth=0.4, zorder=0)
    inset.set(xlim=(-REACH, REACH), ylim=(-1.3, 2.2))
    inset.set_axis_off()


def _number(per_seed: pd.Series) -> str:
    """Return how many networks of each activation are left, for a title."""
    numbers = sorted(per_seed.groupby("activation").size().unique())
    if not numbers:
        return ""
    least, most = numbers[0], numbers[-1]
    if most == 1:
        return "\n(n = 1 network each)"
    return f"\n(n = {most if least == most else f'{least} to {most}'} networks each)"


def _name_points(ax: Any, x: pd.Series, y: pd.Series) -> None:
    """Write names next to the points, from below upwards.

    Each name is above the last one on its side and has a line to its point.
    """
    lowest = {True: -np.inf, False: -np.inf}
    gap = (y.max() - y.min()) / 20
    for name in y.sort_values().index:
        side = x[name] > x.mean()
        lowest[side] = place = max(y[name], lowest[side] + gap)
        right = x[x.gt(x.mean()) == side].max()  # of all that are named there
        beside = {"xytext": (right + 0.09, place), "textcoords": "data", "va": "center"}
        ax.annotate(activation_name(name), (x[name], y[name]), **beside, size=small_type(),
                    arrowprops=LEADER)  # fmt: skip
    # A name whose place is beyond the scale would not be drawn.
    ax.set_ylim(top=max(ax.get_ylim()[1], *lowest.values()))
