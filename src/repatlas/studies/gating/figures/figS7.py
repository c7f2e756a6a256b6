"""Figure S7: agreement of loss curves in numbers."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.style import Style, finish
from repatlas.studies.gating.look import TASKS, kinds, number_of_seeds, with_interval

MEASURES = {
    "D1": "Largest difference D1",
    "R2": "$1-R^2$",
    "D4": "Largest relative lag D4",
}
ROWS = {
    ("gated detached", "relu"): "ReLN with ReLU",
    ("gated joint", "relu"): "ReLN, joint, with ReLU",
    ("race authors", "relu"): "race, authors', with ReLU",
    ("race derived", "relu"): "race, derived, with ReLU",
    ("closed_form authors", "relu"): "closed form, authors', with ReLU",
    ("closed_form derived", "relu"): "closed form, derived, with ReLU",
    ("mean_field joint", "relu"): "K-flow, joint, with ReLU",
    ("recruited", "relu, not fitted"): "K-flow, fitted, with other ReLU",
    ("race derived", "detached"): "race, derived, with ReLN",
    ("closed_form authors", "detached"): "closed form, authors', with ReLN",
    ("closed_form derived", "detached"): "closed form, derived, with ReLN",
    ("mean_field detached", "detached"): "K-flow with ReLN",
    ("mean_field joint", "joint"): "K-flow, joint, with ReLN, joint",
    ("logistic", "linear"): "closed form with linear network",
    ("relu", "next seed"): "ReLU, seed to seed",
    ("gated detached", "next seed"): "ReLN, seed to seed",
}
"""Kind of curve and what it is compared with."""
LOOKS = {("heterogeneous", 3): ("heterogeneous", "black", "o")} | {
    ("homogeneous", number): (f"{number} contexts", *TASKS[number]) for number in (3, 4, 5)
}
"""Name, colour and marker of each task."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    rows = table[table["measure"] == "agreement"]
    rows = rows.assign(kind=kinds(rows))
    figure = Figure(figsize=(style.width, 1.0 * style.width))
    part = figure.subfigures()
    axes = part.subplots(1, len(MEASURES), sharey=True)
    for ax, (variant, title) in zip(axes, MEASURES.items(), strict=True):
        _draw(ax, rows[rows["variant"] == variant], variant)
        ax.set_title(title)
    axes[0].set_yticks(range(len(ROWS)), list(ROWS.values()))
    axes[0].set_ylim(len(ROWS) - 0.5, -0.5)
    part.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4,
                handlelength=1)  # fmt: skip
    finish(
        figure,
        table,
        style,
        f"Medians with 95 % intervals over {number_of_seeds(rows)} or their pairs. Left is "
        "better. The scale to hold them against is that from seed to seed, in the last rows. "
        "Difference: over the first loss; lag: of the epochs at which the loss is first below "
        "0.9, 0.85, ... 0.05 of it.",
    )
    return figure


def _draw(ax: Any, rows: pd.DataFrame, variant: str) -> None:
    if variant == "R2":
        rows = rows.assign(value=1 - rows["value"])
    for number, (task, (name, colour, marker)) in enumerate(LOOKS.items()):
        of_task = rows[(rows["blocks"] == task[0]) & (rows["contexts"] == task[1])]
        found = with_interval(of_task, ["kind", "reference"]).set_index(["kind", "reference"])
        places, values = [], []
        for place, key in enumerate(ROWS):
            if key in found.index:
                row = found.loc[key]
                at = place + 0.18 * (number - 1.5)
                places.append(at)
                values.append(row["value"])
                ax.hlines(at, row["low"], row["high"], color=colour, linewidth=0.8)
        if places:
            # Open, where it would be as dark as its interval.
            face = "white" if colour == "black" else colour
            ax.plot(values, places, marker, color=colour, markersize=2.8, label=name,
                    markerfacecolor=face)  # fmt: skip
    for place in range(1, len(ROWS)):
        ax.axhline(place - 0.5, color="0.93", linewidth=0.5, zorder=0)
    ax.set_xscale("log")
