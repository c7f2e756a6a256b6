"""Figure 5: alignment at each layer of deep networks."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.curves import are_seen, draw_curves, name_curves
from repatlas.plots.style import Style, activation_name, activations, finish, say, small_type
from repatlas.plots.words import why_nothing

MEASURES = {"target_alignment": "Target alignment", "input_alignment": "Input alignment"}
DIFFICULTIES = ("Easy", "Hard")
"""The paper's words for two tasks, by the dimensions of their inputs."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    of_step = table[table["step"] == style.step]
    nothing = why_nothing(of_step)
    shown = of_step[(of_step["variant"] == "centres") & of_step["measure"].isin(MEASURES)]
    shown = not_diverged(shown)
    # A sweep may go on after the step that is shown.
    within = shown["converged_step"] <= style.step
    shown = shown.assign(converged_step=shown["converged_step"].where(within))
    # The easier task, of larger dimensionality, comes first.
    of = ["kernel", shown["participation_ratio"].round(1), "alignment"]
    tasks = sorted(shown.groupby(of, dropna=False), key=lambda task: (-task[0][1], task[0][2]))
    depths = sorted(depth for depth in shown["depth"].unique() if depth > 1)
    ratios = {ratio for (_, ratio, _), _ in tasks}
    rows, columns = max(len(tasks), 1), max(len(depths) * len(MEASURES), 1)
    figure = Figure(figsize=(style.width, (0.15 + 0.36 * rows) * style.width))
    axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for row, ((_, ratio, alignment), task) in enumerate(tasks):
        for block, depth in enumerate(depths):
            for column, (measure, title) in enumerate(MEASURES.items()):
                ax = axes[row, block * len(MEASURES) + column]
                values = task[task["measure"] == measure]
                deep, shallow = values[values["depth"] == depth], values[values["depth"] == 1]
                unconverged = f"No network converged within {style.step} steps"
                _draw_layers(ax, deep, shallow, depth, style, unconverged if len(deep) else nothing)
                ax.set(xlabel="", ylabel="", title=title if row == 0 else "")
                if row == len(tasks) - 1:
                    ax.set_xlabel(f"Layer of {depth}")
            _count(axes[row, block * len(MEASURES)], task[task["depth"] == depth])
        aligned = f",\n$c={alignment:g}$" if shown["alignment"].nunique() > 1 else ""
        difficulty = f"{DIFFICULTIES[row]}:\ninputs" if len(ratios) == len(tasks) == 2 else "Inputs"
        axes[row, 0].set_ylabel(f"{difficulty} in {ratio:g} dimensions{aligned}")
    if not depths:
        for ax in axes.flat:
            say(ax, "No network with several hidden layers" if len(shown) else nothing)
    name_curves(axes[0, 0], activations(table), style)

    finish(
        figure,
        table,
        style,
        f"{_shown_of(shown)} within {style.step} steps{_spread(shown)}; the panels say how many "
        f"did.{_crosses(shown)}",
    )
    return figure


def _shown_of(shown: pd.DataFrame) -> str:
    if shown["seed"].nunique() > 1:
        return "Mean over the networks of a kind that converged"
    return "The network of each kind, where it converged"


def _spread(shown: pd.DataFrame) -> str:
    if shown["seed"].nunique() < 2:
        return ""
    return ", thin: each of them" if are_seen(shown) else ", and SD where it is over several"


def _crosses(shown: pd.DataFrame) -> str:
    shallow = shown[(shown["depth"] == 1) & shown["converged_step"].notna()]
    return " Crosses: mean of networks with one hidden layer." if len(shallow) else ""


def _draw_layers(
    ax: Any, deep: pd.DataFrame, shallow: pd.DataFrame, depth: int, style: Style, nothing: str
) -> None:
    refuse_pooling(shallow, ["activation"])
    deep = deep.dropna(subset="converged_step")
    draw_curves(ax, deep, "layer", style, nothing, spread="networks")
    means = shallow.dropna(subset="converged_step").groupby("activation")["value"].mean()
    for activation, value in means.items():
        ax.plot(1, value, "x", color=style.colours[activation], markersize=4)
    ax.set_xticks([1, depth] if depth > 5 else range(1, depth + 1))


def _count(ax: Any, rows: pd.DataFrame) -> None:
    """How many networks converged, of how many."""
    networks = rows.drop_duplicates(["run", "seed"])
    lines = ["Converged"]
    for activation in activations(networks):
        mine = networks[networks["activation"] == activation]
        done = mine["converged_step"].notna().sum()
        lines.append(f"{activation_name(activation)}: {done} of {len(mine)}")
    ax.text(0.97, 0.03, "\n".join(lines), transform=ax.transAxes, ha="right", va="bottom",
            size=small_type())  # fmt: skip
