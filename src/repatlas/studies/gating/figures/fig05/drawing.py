"""Figure 5: more contexts, and the race between pathways."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.dynamics.head_start import head_start
from repatlas.plots.ends import name_ends
from repatlas.plots.spread import with_interval
from repatlas.plots.style import GREY, SMALLEST_RANGE, Style, finish, letter, say, small_type
from repatlas.studies.gating.look import (
    GATED,
    MARKED,
    SIZE_COLOURS,
    SIZES,
    TASKS,
    draw_losses,
    draw_matrix,
    kinds,
    losses,
    mark_contexts,
    matrix,
    medians,
    name_of_pathway,
    number_of_seeds,
)

OF_SIZE = ["contexts", "neuron"]
"""The columns that distinguish the medians of D and F."""
OF_LOSS = ("relu", "gated detached", "closed_form derived")
"""The curves of panel A; Figure S7 has all theories."""
RATIO = 10.0
"""Claim 10b says that the winning pathways are this many times larger than all others."""
OF_LIMIT = {
    "color": GREY,
    "size": 6,
    "va": "bottom",
    "bbox": {"boxstyle": "square,pad=0.05", "facecolor": "white", "linewidth": 0},
}
"""The look of the name of a limit; data may be behind the name."""
SINGLE = 0.05
"""The largest mass of units of a single context that claims 12 to 12c allow."""
MOST = 0.5
"""The least mass of units of all contexts except one that claim 12d asks for."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    contexts = sorted(losses(table)["contexts"].dropna().astype(int).unique())
    shown = contexts or [3]
    most = max(shown)
    heights = [0.48, 0.23, 0.35]
    figure = Figure(figsize=(style.width, (sum(heights) + 0.06) * style.width))
    top, outputs, bottom = figure.subfigures(3, 1, height_ratios=heights)
    left, right = top.subfigures(1, 2, width_ratios=[0.35, 0.65])
    of_most = table[table["contexts"] == most]

    letter(left, "A")
    _draw_losses(left.subplots(), of_most, most)
    letter(right, "B")
    _draw_race(right.subplots(), of_most, most)
    letter(outputs, "C")
    _draw_outputs(outputs, table, shown)

    parts = bottom.subfigures(1, 3)
    for part, mark in zip(parts, "DEF", strict=True):
        letter(part, mark)
    _draw_norms(parts[0].subplots(), table, most)
    _draw_head_start(parts[1].subplots(), table)
    _draw_used(parts[2].subplots(), table, shown)
    if len(shown) > 1:
        _name_tasks(bottom, shown)
    finish(
        figure,
        table,
        style,
        f"A: each line is one network, {number_of_seeds(losses(table[table['network'] == 'relu']))}"
        " of each kind. B: one ReLN with a pathway for every subset of contexts. "
        f"C: {_outputs(table)}; colours from \N{MINUS SIGN}1 to 1, those of a module up to its"
        f" largest output. D, F: last epoch. D: {medians(_of(table, 'norm_of_size'), OF_SIZE)}. "
        f"F: {medians(_used(table), OF_SIZE)}. E: theory alone.",
    )
    return figure


def _name_tasks(part: Any, shown: list[int]) -> None:
    """Add the legend of D and F, which show several tasks."""
    handles = [
        Line2D([], [], color=TASKS[number][0], marker=TASKS[number][1], markersize=4,
               label=f"task with {number} contexts")
        for number in shown
    ]  # fmt: skip
    part.legend(handles=handles, loc="outside lower center", ncols=len(shown))


def _draw_losses(ax: Any, table: pd.DataFrame, contexts: int) -> None:
    draw_losses(ax, _without_race(table), OF_LOSS)
    ax.set(title=f"Loss, {contexts} contexts")
    if not ax.lines:
        return
    ax.set(yscale="log", ylabel="Loss")
    # The first network of a kind has markers.
    names = {line.get_label(): line for line in [*ax.lines][::-1] if line.get_label()[0] != "_"}
    ax.legend([*names.values()][::-1], [*names][::-1], loc="lower left", handlelength=1.8,
              borderpad=0)  # fmt: skip
    for line in ax.get_legend().get_lines():
        line.set(linewidth=1.2, markersize=3)


def _of(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    return table[table["measure"] == measure]


def _used(table: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of units by the contexts that they are used in, at the last epoch."""
    rows = _of(table, "used_share")
    return rows[rows["step"] == rows["step"].max()]


def _outputs(table: pd.DataFrame) -> str:
    """Return which outputs panel C draws, for the note."""
    rows = _of(table, "output")
    if rows.empty:
        return "no outputs"
    of = " of the fewest and of the most contexts" * (rows["contexts"].nunique() > 2)
    return f"one ReLN{of} at epoch {rows['step'].max():.0f}"


def _without_race(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["pathways"].isna() | (table["pathways"] == "all_but_one")]


def _draw_race(ax: Any, table: pd.DataFrame, contexts: int) -> None:
    """Draw the strength of each module, and name its end by the number of contexts of its
    pathway."""
    rows = table[(table["measure"] == "singular_value") & (table["neuron"] == 0)]
    rows = rows[rows["pathways"] == "subsets"]
    if rows.empty:
        say(ax, "Not in this run")
        return
    rows = rows.assign(kind=kinds(rows))
    ends: dict[str, Any] = {}
    for pathway, curve in rows[rows["kind"] == "gated detached"].groupby("variant"):
        size = 0 if pathway == "common" else len(pathway)
        # Modules that stay at 0 have one look and one name, because their lines overlap.
        losing = 0 < size < contexts - 2
        look = 1 if losing else size
        [line] = ax.plot(curve["step"], curve["value"], color=SIZE_COLOURS[look], linewidth=1.2,
                         marker=SIZES[look], **MARKED)  # fmt: skip
        ends[_name_of_size(size, contexts)] = line
    name_ends(ax, ends)
    ax.locator_params(axis="x", nbins=5)
    ax.set(xlabel="Epoch", ylabel="First singular value of each module",
           title=f"The race of pathways, {contexts} contexts")  # fmt: skip


def _name_of_size(size: int, contexts: int) -> str:
    if size == 0:
        return "common\npathway"
    fewer = contexts - 3
    if size < contexts - 2 and fewer > 1:
        return f"1 to {fewer} contexts"
    return f"{size} context{'s' * (size > 1)}"


def _draw_outputs(part: Any, table: pd.DataFrame, shown: list[int]) -> None:
    """Draw all outputs, and the outputs of the first module of all contexts except one."""
    rows = table[table["measure"] == "output"]
    ends = [number for number in dict.fromkeys((shown[0], shown[-1]))]
    axes = part.subplots(1, 2 * len(ends), squeeze=False)[0]
    for place, number in enumerate(ends):
        of_task = rows[rows["contexts"] == number]
        first = "".join(str(context) for context in range(1, number))
        for ax, variant in zip(axes[2 * place : 2 * place + 2], ("all", first), strict=True):
            values = of_task[of_task["variant"] == variant]
            if values.empty:
                say(ax, "Not in this run")
                continue
            name = "all" if variant == "all" else f"module {name_of_pathway(variant)}"
            shown = matrix(values)
            # One module makes a small fraction of the outputs, so its scale is separate.
            reach = 1.0 if variant == "all" else max(float(np.abs(shown).max()), SMALLEST_RANGE)
            draw_matrix(ax, shown, f"{number} contexts, {name}", reach)
            mark_contexts(ax, number)
    axes[0].set_ylabel("Outputs")


def _draw_norms(ax: Any, table: pd.DataFrame, most: int) -> None:
    """Draw the size of maps by the contexts of their pathway. The dotted line is a tenth of the
    largest; claim 10b says that no losing map is above it."""
    rows = with_interval(_of(table, "norm_of_size"), OF_SIZE)
    for number, of_task in rows.groupby("contexts"):
        colour, marker = TASKS[int(number)]
        ax.plot(of_task["neuron"], of_task["value"], color=colour, markersize=3, linewidth=0.7,
                marker=marker, label=f"{number:.0f} contexts")  # fmt: skip
        ax.vlines(of_task["neuron"], of_task["low"], of_task["high"], color=colour, linewidth=1)
    ax.set(
        xlabel="Contexts of a pathway", ylabel=r"Map size, $\|M_p\|$", yscale="log",
        title=f"Limit, dotted: winner / {RATIO:g}",
    )  # fmt: skip
    ax.set_xticks(range(1, most))
    if rows.empty:
        say(ax, "Not in this run")
        return
    limit = rows.loc[rows["contexts"] == most, "value"].max() / RATIO
    ax.axhline(limit, color="0.5", linewidth=0.6, linestyle=":", zorder=0)


def _draw_head_start(ax: Any, table: pd.DataFrame) -> None:
    rows = table[table["measure"] == "head_start"].sort_values("x")
    ax.set(xlabel=r"Initial strength $\ln\,\pi_0$", title="Head start, in theory")
    ax.set_ylabel("ln(strength of 2\nover 1 context)")
    if rows.empty:
        say(ax, "Not in this run")
        return
    ax.plot(rows["x"], rows["value"], "o", color=GATED, markersize=3)
    slope = float(head_start(1, 3) - head_start(2, 3))
    x = rows["x"].to_numpy(float)
    middle = rows["value"].mean() + slope * (x - x.mean())
    ax.plot(x, middle, color="black", linewidth=0.8)
    ax.text(0.95, 0.92, f"line: predicted\nslope {slope:.2f}", transform=ax.transAxes, ha="right",
            va="top", size=small_type())  # fmt: skip


def _draw_used(ax: Any, table: pd.DataFrame, shown: list[int]) -> None:
    """Draw the mass of units by the contexts that they are used in, with the limits of claims
    12."""
    found = with_interval(_used(table), OF_SIZE)
    if found.empty:
        say(ax, "Not in this run")
        return
    width = 0.8 / len(shown)
    for place, number in enumerate(shown):
        of_task = found[found["contexts"] == number]
        at = of_task["neuron"] + (place - (len(shown) - 1) / 2) * width
        ax.bar(at, of_task["value"], width=width, color=TASKS[number][0],
               label=f"{number} contexts")  # fmt: skip
        ax.vlines(at, of_task["low"], of_task["high"], color="black", linewidth=0.6)
    guide = {"color": "0.5", "linewidth": 0.6, "linestyle": ":", "zorder": 0}
    ax.axhline(MOST, **guide)
    ax.plot([0.5, 1.5], [SINGLE] * 2, **guide | {"color": "black", "zorder": 3})
    ax.text(0.99, MOST + 0.02, f"limit: {MOST:g}", transform=ax.get_yaxis_transform(), ha="right",
            **OF_LIMIT)  # fmt: skip
    ax.text(1, SINGLE + 0.02, f"limit:\n{SINGLE:g}", ha="center", **OF_LIMIT)
    ax.set(xlabel="Contexts a unit is used in", ylabel="Fraction of mass",
           title="Mixed selectivity")  # fmt: skip
    ax.set_xticks(range(1, max(shown) + 1))
    ax.set(ylim=(0, 1), xlim=(0.4, max(shown) + 0.6))
