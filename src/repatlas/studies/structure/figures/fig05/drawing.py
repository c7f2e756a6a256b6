"""Figure 5: alignment at each layer of deep networks."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from repatlas.inference.intervals import FEWEST
from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.curves import are_seen, dot_of, draw_curves, name_curves
from repatlas.plots.style import GREY, Style, activation_name, activations, finish, say
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
                _draw_inputs(ax, alignment if measure == "target_alignment" else 1.0)
                ax.set(xlabel="", ylabel="", title=title if row == 0 else "")
            # In the middle between both panels.
            said = f"Layer of {depth} ({_converged(task[task['depth'] == depth])})"
            axes[row, block * len(MEASURES)].set_xlabel(said, x=1.1)
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
        f"{_shown_of(shown)} within {style.step} steps{_spread(shown)}; the axes say how many "
        f"did. Grey: the inputs.{_crosses(shown)}",
    )
    return figure


def _shown_of(shown: pd.DataFrame) -> str:
    if shown["seed"].nunique() > 1:
        return "Mean over the networks of a kind that converged"
    return "The network of each kind, where it converged"


def _spread(shown: pd.DataFrame) -> str:
    if shown["seed"].nunique() < 2:
        return ""
    return (
        ", thin: each of them" if are_seen(shown) else f", and SD where it is over {FEWEST} or more"
    )


def _crosses(shown: pd.DataFrame) -> str:
    shallow = shown[shown["depth"] == 1]
    names = activations(shallow.dropna(subset="converged_step"))
    if len(shallow) and not names:
        return " No network with one hidden layer converged."
    which = " (open: ReLU)" if "relu" in names and len(names) > 1 else ""
    return f" Crosses{which}: mean of networks with one hidden layer." if names else ""


def _draw_layers(
    ax: Any, deep: pd.DataFrame, shallow: pd.DataFrame, depth: int, style: Style, nothing: str
) -> None:
    refuse_pooling(shallow, ["activation"])
    deep = deep.dropna(subset="converged_step")
    draw_curves(ax, deep, "layer", style, nothing, spread="networks")
    means = shallow.dropna(subset="converged_step").groupby("activation")["value"].mean()
    for activation, value in means.items():
        look = dot_of(activation, style) | {"marker": "X", "markersize": 4.5}
        ax.plot(1, value, **look, markeredgewidth=0.7)
    ax.set_xticks([0, 5, depth] if depth > 5 else range(depth + 1))


def _draw_inputs(ax: Any, alignment: float) -> None:
    """Draw the alignment of the inputs themselves, before the first layer."""
    ax.plot(0, alignment, "o", color=GREY, markersize=3, clip_on=False)


def _converged(rows: pd.DataFrame) -> str:
    """Return how many of the networks converged, for the note."""
    networks = rows.drop_duplicates(["run", "seed"])
    found = []
    for activation in activations(networks):
        mine = networks[networks["activation"] == activation]
        done = mine["converged_step"].notna().sum()
        found.append(f"{done} of {len(mine)} {activation_name(activation)}")
    return f"converged: {', '.join(found)}"
