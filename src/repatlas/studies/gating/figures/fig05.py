"""Figure 5: more contexts, and the race between pathways."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.dynamics.head_start import head_start
from repatlas.plots.spread import with_interval
from repatlas.plots.style import SMALLEST_RANGE, Style, finish, letter, say
from repatlas.studies.gating.look import (
    MARKED,
    MEAN_FIELD,
    SIZE_COLOURS,
    SIZES,
    TASKS,
    draw_losses,
    draw_matrix,
    kinds,
    legend_of,
    losses,
    mark_contexts,
    matrix,
    medians,
    name_of_pathway,
    number_of_seeds,
)

OF_SIZE = ["contexts", "neuron"]
"""What tells the medians of F and H."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    contexts = sorted(losses(table)["contexts"].dropna().astype(int).unique())
    shown = contexts or [3]
    heights = [0.38, 0.34, 0.24, 0.34]
    figure = Figure(figsize=(style.width, (sum(heights) + 0.08) * style.width))
    losses_part, races, outputs, bottom = figure.subfigures(4, 1, height_ratios=heights)

    letter(losses_part, "A, D")
    axes = losses_part.subplots(1, len(shown), squeeze=False)[0]
    for ax, number in zip(axes, shown, strict=True):
        draw_losses(ax, _without_race(table[table["contexts"] == number]))
        ax.set_title(f"{number} contexts")
        ax.axhline(8.5 * (number - 1), color="0.6", linewidth=0.6, linestyle=":")
    axes[0].set_ylabel("Loss")
    legend_of(losses_part, list(axes), loc="outside lower center", ncols=4)

    letter(races, "B, E")
    axes = races.subplots(1, len(shown), squeeze=False)[0]
    for ax, number in zip(axes, shown, strict=True):
        _draw_race(ax, table[table["contexts"] == number])
        ax.set_title(f"{number} contexts")
    axes[0].set_ylabel("First singular value\nof each module")
    _name_sizes(races, max(shown))

    letter(outputs, "C")
    _draw_outputs(outputs, table, shown)

    parts = bottom.subfigures(1, 3)
    for part, mark in zip(parts, ("F", "G", "H"), strict=True):
        letter(part, mark)
    _draw_norms(parts[0].subplots(), table, max(shown))
    _draw_head_start(parts[1].subplots(), table)
    _draw_used(parts[2].subplots(), table, shown)
    finish(
        figure,
        table,
        style,
        f"A, D: thin, {number_of_seeds(losses(table[table['network'] == 'relu']))} of each kind; "
        "dotted: linear floor. B, E: solid, one ReLN with a pathway for every subset of contexts; "
        f"dashed, its K-flow; the darker, the more contexts a pathway has. C: "
        f"{_outputs(table)}, in the colours of Figure 4B, those of a module up to its largest "
        "output. F, H: at the last epoch; F: "
        f"{medians(_of(table, 'norm_of_size'), OF_SIZE)}; H: {medians(_used(table), OF_SIZE)}. "
        "G: theory, from ever smaller weights; line: the slope of the head start alone.",
    )
    return figure


def _of(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    return table[table["measure"] == measure]


def _used(table: pd.DataFrame) -> pd.DataFrame:
    """The shares of units by the contexts that they are used in, at the last epoch."""
    rows = _of(table, "used_share")
    return rows[rows["step"] == rows["step"].max()]


def _outputs(table: pd.DataFrame) -> str:
    """Which outputs panel C draws."""
    rows = _of(table, "output")
    if rows.empty:
        return "no outputs"
    of = " of the fewest and of the most contexts" * (rows["contexts"].nunique() > 2)
    return f"one ReLN{of} at epoch {rows['step'].max():.0f}"


def _without_race(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["pathways"].isna() | (table["pathways"] == "all_but_one")]


def _draw_race(ax: Any, table: pd.DataFrame) -> None:
    rows = table[(table["measure"] == "singular_value") & (table["neuron"] == 0)]
    rows = rows[rows["pathways"] == "subsets"]
    if rows.empty:
        say(ax, "Not in this run")
        return
    rows = rows.assign(kind=kinds(rows))
    for kind, line, width in (("gated detached", "-", 1.4), ("mean_field detached", "--", 0.7)):
        for pathway, curve in rows[rows["kind"] == kind].groupby("variant"):
            size = 0 if pathway == "common" else len(pathway)
            ax.plot(curve["step"], curve["value"], color=SIZE_COLOURS[size], linestyle=line,
                    linewidth=width, alpha=0.6 if line == "-" else 1.0, marker=SIZES[size],
                    **MARKED)  # fmt: skip
    ax.locator_params(axis="x", nbins=5)
    ax.set(xlabel="Epoch")


def _name_sizes(part: Any, contexts: int) -> None:
    """A legend of pathways by their number of contexts."""
    lines = [
        Line2D([], [], color=SIZE_COLOURS[size], marker=SIZES[size], markersize=3,
               label=f"{size} context{'s' if size > 1 else ''}" if size else "common pathway")
        for size in range(contexts)
    ]  # fmt: skip
    part.legend(handles=lines, loc="outside lower center", ncols=5, handlelength=1.8)


def _draw_outputs(part: Any, table: pd.DataFrame, shown: list[int]) -> None:
    """All outputs, and those of the first module of all contexts but one."""
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
            # A module alone makes a small part of the outputs.
            reach = 1.0 if variant == "all" else max(float(np.abs(shown).max()), SMALLEST_RANGE)
            draw_matrix(ax, shown, f"{number} contexts, {name}", reach)
            mark_contexts(ax, number)
    axes[0].set_ylabel("Outputs")


def _draw_norms(ax: Any, table: pd.DataFrame, most: int) -> None:
    rows = with_interval(_of(table, "norm_of_size"), OF_SIZE)
    for number, of_task in rows.groupby("contexts"):
        colour, marker = TASKS[int(number)]
        ax.plot(of_task["neuron"], of_task["value"], color=colour, markersize=3, linewidth=0.7,
                marker=marker, label=f"{number:.0f} contexts")  # fmt: skip
        ax.vlines(of_task["neuron"], of_task["low"], of_task["high"], color=colour, linewidth=1)
    ax.set(
        xlabel="Contexts of a pathway", ylabel=r"$\|M_p\|$", title="Who wins the race", yscale="log"
    )
    ax.set_xticks(range(1, most))
    if rows.empty:
        say(ax, "Not in this run")
    else:
        ax.legend(handlelength=1, borderpad=0)


def _draw_head_start(ax: Any, table: pd.DataFrame) -> None:
    rows = table[table["measure"] == "head_start"].sort_values("x")
    ax.set(xlabel=r"Initial strength $\ln\,\pi_0$", title="Head start")
    ax.set_ylabel("ln(strength of 2\nover 1 context)")
    if rows.empty:
        say(ax, "Not in this run")
        return
    ax.plot(rows["x"], rows["value"], "o", color=MEAN_FIELD, markersize=3)
    slope = float(head_start(1, 3) - head_start(2, 3))
    x = rows["x"].to_numpy(float)
    middle = rows["value"].mean() + slope * (x - x.mean())
    ax.plot(x, middle, color="black", linewidth=0.8)
    ax.text(0.95, 0.9, f"slope {slope:.4f}", transform=ax.transAxes, ha="right")


def _draw_used(ax: Any, table: pd.DataFrame, shown: list[int]) -> None:
    found = with_interval(_used(table), OF_SIZE)
    if found.empty:
        say(ax, "Not in this run")
    width = 0.8 / len(shown)
    for place, number in enumerate(shown):
        of_task = found[found["contexts"] == number]
        at = of_task["neuron"] + (place - (len(shown) - 1) / 2) * width
        ax.bar(at, of_task["value"], width=width, color=TASKS[number][0],
               label=f"{number} contexts")  # fmt: skip
        ax.vlines(at, of_task["low"], of_task["high"], color="black", linewidth=0.6)
    ax.set(xlabel="Contexts a unit is used in", ylabel="Share of mass", title="Mixed selectivity")
    ax.set_xticks(range(max(shown) + 1))
    ax.set_ylim(0, 1)
