"""Figure S4: which property of an activation lets the targets' geometry through?"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import spearmanr

from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.style import Style, activation_name, finish, letter, say, small_type
from repatlas.plots.words import listed, mean_and_sd, why_nothing
from repatlas.studies.structure.tables.figS4 import REACH


def draw(table: pd.DataFrame, style: Style) -> Figure:
    networks = table[table["seed"].notna()]
    shown = not_diverged(networks)
    alignment = shown[(shown["measure"] == "target_alignment") & (shown["variant"] == "centres")]
    refuse_pooling(alignment, ["activation", "alignment"])
    # Each network counts once, as its mean over the tasks.
    per_seed = alignment.groupby(["activation", "seed"])["value"].mean()
    means, deviations = (getattr(per_seed.groupby("activation"), f)() for f in ("mean", "std"))
    order = means.sort_values().index
    asymmetry = table[table["measure"] == "saturation_asymmetry"].set_index("activation")["value"]

    figure = Figure(figsize=(style.width, 0.64 * style.width))
    part_a, part_b = figure.subfigures(1, 2)
    letter(part_a, "A")
    ax = part_a.subplots()
    colours = [style.colours[name] for name in order]
    ax.barh(range(len(order)), means[order], xerr=deviations[order].fillna(0), color=colours)
    ax.set_yticks(range(len(order)), [activation_name(name) for name in order])
    ax.set(xlabel="Target alignment", title=f"Activations, ranked{_number(per_seed)}")
    if not len(order):
        say(ax, why_nothing(networks))

    letter(part_b, "B")
    ax = part_b.subplots()
    ax.scatter(asymmetry[order], means[order], color=colours, s=14)
    _name_points(ax, asymmetry[order], means[order])
    ax.set(xlabel="Asymmetry of saturation", ylabel="Target alignment", xlim=(-0.05, 1.35))
    ax.set_xticks(np.linspace(0, 1, 5))
    if not len(order):
        say(ax, why_nothing(networks))
    if len(order) > 2:
        rho = spearmanr(asymmetry[order], means[order]).statistic
        if np.isfinite(rho):
            ax.set_title(rf"Spearman $\rho = {rho:.2f}$" f"\nover {len(order)} activations")

    settings = (
        f"{name} = {listed([f'{value:g}' for value in sorted(networks[column].dropna().unique())])}"
        for name, column in (("P", "clusters"), ("k", "targets"), ("c", "alignment"))
    )
    finish(
        figure,
        table,
        style,
        f"{', '.join(settings)}, {style.step} steps. Each network counts once, as its mean over "
        f"the tasks: {mean_and_sd(alignment, 'target_alignment')}. "
        f"Asymmetry of saturation: |f'({REACH:g}) - f'({-REACH:g})| / max |f'|.",
    )
    return figure


def _number(per_seed: pd.Series) -> str:
    """How many networks of each activation are left, for a title."""
    numbers = sorted(per_seed.groupby("activation").size().unique())
    if not numbers:
        return ""
    least, most = numbers[0], numbers[-1]
    if most == 1:
        return "\n(n = 1 network each)"
    return f"\n(n = {most if least == most else f'{least} to {most}'} networks each)"


def _name_points(ax: Any, x: pd.Series, y: pd.Series) -> None:
    """Names beside the points, from below upwards, each above the last one on its side."""
    lowest = {True: -np.inf, False: -np.inf}
    gap = (y.max() - y.min()) / 20
    for name in y.sort_values().index:
        side = x[name] > x.mean()
        lowest[side] = place = max(y[name], lowest[side] + gap)
        ax.annotate(activation_name(name), (x[name], place), xytext=(5, -2),
                    textcoords="offset points", size=small_type())  # fmt: skip
    # A name whose place is beyond the scale would not be drawn.
    ax.set_ylim(top=max(ax.get_ylim()[1], *lowest.values()))
