"""Figure C6: which layers tell which classes."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.ends import name_ends
from repatlas.plots.images import DATA_SETS
from repatlas.plots.scales import set_plain_log
from repatlas.plots.style import Style, counted, finish, letter, say
from repatlas.studies.convergence.figures.figC6.table import DISTINCT, NAMED, OTHER, SIMILAR
from repatlas.studies.convergence.parts import ends_of
from repatlas.studies.convergence.rows.networks import have_learned, limits

HUES = ("#6F3FA0", "0.25", "#A98BCB")
"""Colours of groups of similar classes."""
LINES = ("-", (0, (4, 1.2)), (0, (1, 0.8)), (0, (4, 1, 1, 1)))
"""Lines of the classes of a group."""
ALONE = "black"
"""The colour of the class that is like no other, if its name says so."""
REST = "0.6"
RESTS = (0.5, 0.3, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.003, 0.002, 0.001, 5e-4, 1e-4)
"""What is left to 1 at the labels of an axis."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    data_sets = sorted(table.loc[table["measure"] == "class_correlation", "data_set"].unique())
    number = max(len(data_sets), 1)
    figure = Figure(figsize=(style.width, (0.12 + 0.45 * number) * style.width))
    rows = np.atleast_1d(figure.subfigures(number, 1))
    for part, data_set in zip(rows, data_sets or [None], strict=True):
        left, right = part.subfigures(1, 2, width_ratios=[1.5, 1])
        own = table[table["data_set"] == data_set]
        letter(left, "A")
        _draw_curves(left.subplots(), own)
        letter(right, "B")
        _draw_differences(right.subplots(), own)
        if number > 1:
            part.suptitle(DATA_SETS.get(str(data_set), str(data_set)))
    ends = ends_of(table)
    lost = int((~have_learned(ends)).sum())
    by_name = [DATA_SETS[data_set] for data_set in data_sets if data_set in NAMED]
    similar = "by the correlation of their logits"
    chosen = "; similar pairs are chosen on other networks"
    if by_name and len(by_name) == len(data_sets):
        similar, chosen = "by name", ""
    elif by_name:
        chosen += f", those of {' and '.join(by_name)} by name"
    few = f", of which {lost} below {limits(ends)} on training images are left out" if lost else ""
    finish(
        figure,
        table,
        style,
        f"A: means over networks; similar classes, {similar}, have one hue. B: mean difference of"
        f" the curves of two classes, a line for each network{chosen}. {counted(len(ends))}{few}.",
    )
    return figure


def _draw_curves(ax: Any, table: pd.DataFrame) -> None:
    rows = table[table["measure"] == "class_correlation"]
    if rows.empty:
        say(ax, "No network has learned its images")
        return
    means = rows.assign(rest=1 - rows["value"]).groupby(["cluster", "layer"])["rest"].mean()
    pairs = table[table["measure"] == "similar_pair"]
    groups = joined(list(zip(pairs["cluster"].astype(int), pairs["other_cluster"].astype(int),
                             strict=True)))  # fmt: skip
    alone, named = DISTINCT.get(rows["data_set"].iloc[0]), {}
    for label, curve in means.groupby("cluster"):
        curve = curve.droplevel("cluster")
        hue, line = ALONE if label == alone else REST, "-"
        for number, group in enumerate(groups):
            if label in group:
                hue = HUES[number % len(HUES)]
                line = LINES[group.index(int(label)) % len(LINES)]
        look = {"linewidth": 0.8, "zorder": 1} if hue == REST else {"linewidth": 1.3, "zorder": 2}
        [named[str(int(label))]] = ax.plot(curve.index, curve, color=hue, linestyle=line, **look)
    name_ends(ax, named)
    layers = sorted(rows["layer"].unique())
    # R rises to 1, as in the paper; equal steps are equal parts of what is left.
    ax.set(yscale="log", xlabel="Layer", ylabel="Sensitivity $R$ to each class")
    low, high = ax.get_ylim()
    ax.set_ylim(high, low)
    ticks = [tick for tick in RESTS if low <= tick <= high]
    ax.set_yticks(ticks, [f"{1 - tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.set_xticks(layers, [f"{layer:.0f}" for layer in layers])
    ax.set_xlim(layers[0] - 0.1, layers[-1] + 0.1)


def joined(pairs: list[tuple[int, int]]) -> list[list[int]]:
    """Return groups of classes that pairs connect, each in order.

    >>> joined([(3, 8), (4, 9), (8, 9), (1, 7)])
    [[3, 4, 8, 9], [1, 7]]
    """
    groups: list[set[int]] = []
    for pair in pairs:
        touching = [group for group in groups if group & set(pair)]
        merged = set(pair).union(*touching)
        at = groups.index(touching[0]) if touching else len(groups)
        groups = [group for group in groups if group not in touching]
        groups.insert(at, merged)
    return [sorted(group) for group in groups]


def _draw_differences(ax: Any, table: pd.DataFrame) -> None:
    rows = table[table["measure"] == "curve_difference"]
    wide = rows.pivot_table(index="seed", columns="variant", values="value")
    wide = wide.reindex(columns=[SIMILAR, OTHER]).dropna()
    if wide.empty:
        say(ax, "Too few networks")
        return
    wide = 100 * wide  # figures widen scales below 0.05
    for _, network in wide.iterrows():
        ax.plot([0, 1], [network[SIMILAR], network[OTHER]], ".-", color="0.7", linewidth=0.6,
                markersize=3)  # fmt: skip
    ax.plot([0, 1], [wide[SIMILAR].median(), wide[OTHER].median()], "D", color="black",
            markersize=4, label="median")  # fmt: skip
    ax.set_xticks([0, 1], ["similar", "other"])
    ax.set(
        xlim=(-0.4, 1.4), xlabel="Pairs of classes", ylabel="Mean |difference of $R$|, times 100"
    )
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), handlelength=0.8, borderpad=0)
    if (wide > 0).all(axis=None):
        # One network has three times the differences of all others.
        set_plain_log(ax, (1, 2, 5))
