"""Figure 5: alignment at each layer of deep networks."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from repgeom.figures.curves import draw_curves, name_curves
from repgeom.figures.style import Style, activation_name, activations, converged, finish
from repgeom.tables.pooling import refuse_pooling

MEASURES = {"target_alignment": "Target alignment", "input_alignment": "Input alignment"}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    shown = table[(table["step"] == style.step) & (table["variant"] == "centres")]
    shown = converged(shown[shown["measure"].isin(MEASURES)])
    # A sweep may go on after the step that is shown.
    within = shown["converged_step"] <= style.step
    shown = shown.assign(converged_step=shown["converged_step"].where(within))
    # The easier task, of larger dimensionality, comes first.
    tasks = sorted(
        shown.groupby(["kernel", shown["participation_ratio"].round(1)]).groups,
        key=lambda task: -task[1],
    )
    depths = sorted(depth for depth in shown["depth"].unique() if depth > 1)
    figure = Figure(figsize=(style.width, 0.15 * style.width + 0.36 * style.width * len(tasks)))
    columns = len(depths) * len(MEASURES)
    axes = figure.subplots(max(len(tasks), 1), max(columns, 1), squeeze=False, sharey=True)
    for row, (kernel, ratio) in enumerate(tasks):
        task = shown[(shown["kernel"] == kernel) & (shown["participation_ratio"].round(1) == ratio)]
        for block, depth in enumerate(depths):
            for column, (measure, title) in enumerate(MEASURES.items()):
                ax = axes[row, block * len(MEASURES) + column]
                rows = task[task["measure"] == measure]
                _draw_layers(
                    ax, rows[rows["depth"] == depth], rows[rows["depth"] == 1], depth, style
                )
                ax.set(xlabel="", ylabel="", title=title if row == 0 else "")
                if row == len(tasks) - 1:
                    ax.set_xlabel(f"Layer of {depth}")
            _count(axes[row, block * len(MEASURES)], task[task["depth"] == depth])
        axes[row, 0].set_ylabel(f"Inputs in {ratio:g} dimensions")
    name_curves(axes[0, 0], activations(table), style)

    finish(
        figure,
        table,
        style,
        f"Mean and SD over the networks that converged within {style.step} steps; the panels say"
        " how many did. Crosses: networks with one hidden layer.",
    )
    return figure


def _draw_layers(
    ax: Any, deep: pd.DataFrame, shallow: pd.DataFrame, depth: int, style: Style
) -> None:
    refuse_pooling(shallow, ["activation"])
    deep = deep.dropna(subset="converged_step")
    draw_curves(ax, deep, "layer", style)
    means = shallow.dropna(subset="converged_step").groupby("activation")["value"].mean()
    for activation, value in means.items():
        ax.plot(1, value, "x", color=style.colours[activation], markersize=4)
    ax.set_xticks([1, depth] if depth > 5 else range(1, depth + 1))


def _count(ax: Any, rows: pd.DataFrame) -> None:
    """How many networks converged, of how many."""
    networks = rows.drop_duplicates(["run", "seed"])
    lines = []
    for activation in activations(networks):
        mine = networks[networks["activation"] == activation]
        done = mine["converged_step"].notna().sum()
        lines.append(f"{activation_name(activation)}: {done} of {len(mine)}")
    ax.text(0.97, 0.03, "\n".join(lines), transform=ax.transAxes, ha="right", va="bottom",
            size="x-small")  # fmt: skip
