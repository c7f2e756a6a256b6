"""Figure S2: the paper's simplified dynamics, compared with standard training."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.inference.pooling import not_diverged
from repatlas.plots.comparison import draw_contrasts
from repatlas.plots.curves import DASHES, dot_of, draw_curves, handles_of
from repatlas.plots.panels import (
    CHANCE,
    TITLES,
    Conditions,
    over_training,
    panel_names,
    step_axis,
    tested,
)
from repatlas.plots.style import (
    ACTIVATION_NAMES,
    GREY,
    Style,
    activations,
    finish,
    letter,
    small_type,
)
from repatlas.plots.words import listed, mean_and_sd, why_nothing, with_intervals
from repatlas.studies.structure.figures.figS2.table import DISTANCE

TRAINING = Conditions("errors", {"output": "Standard", "equal": "Simplified"})
ACTIVATIONS = Conditions("activation", ACTIVATION_NAMES)
OVER_TRAINING = ("target_alignment", "input_alignment", "parallelism", "decoding_untrained")
"""The measures of panel A; the others are in the table."""
NOTHING = "No pair of a tanh and a ReLU network"
LIMIT = 0.5
"""Claim 48 says that each distance is below this."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    single = table[table["contrast"].isna()]
    most = max(tested(single), default=0.0)
    figure = Figure(figsize=(style.width, 0.95 * style.width))
    part_a, part_b = figure.subfigures(2, 1, height_ratios=[1, 1.15])
    letter(part_a, "A")
    _draw_measures(part_a, single, most, style)

    letter(part_b, "B")
    rows = _rows(single)
    distances = table[table["contrast"] == DISTANCE]
    keys = pd.MultiIndex.from_frame(distances.fillna({"deviation": 0.0})[["measure", "deviation"]])
    distances = distances[keys.isin(list(rows))]
    looks = {name: dot_of(name, style) for name in style.colours}
    names = ACTIVATIONS.present(table)
    ax = draw_contrasts(part_b, distances, rows, names, "activation", looks, NOTHING)
    ax.set_xlabel("Distance of the simplified dynamics from standard training,\n"
                  "divided by the distance between tanh and ReLU networks")  # fmt: skip
    if len(distances):
        _mark_limit(ax, len(rows))
    finish(
        figure,
        table,
        style,
        f"A: {mean_and_sd(table, 'target_alignment')},{over_training(table)}. Simplified: errors "
        f"that stay equal and never shrink, {_readouts(table, 'equal')} readout. Standard: errors "
        f"of the outputs, {_readouts(table, 'output')} readout. B: medians of the distances of "
        "paired networks, means over the steps, "
        f"{with_intervals(distances, table, 'target_alignment')}.",
    )
    return figure


def _rows(single: pd.DataFrame) -> dict[tuple[str, float], str]:
    """Return the rows of panel B, which claim 48 is about.

    CCGP has the least noise in the inputs of its decoders. Decoding has the most, because it is at
    its ceiling with less."""
    noise = tested(single) or [0.0]
    chosen = {"ccgp": noise[0], "decoding_untrained": noise[-1], "decoding_trained": None}
    return {
        (measure, deviation): name
        for (measure, deviation), name in panel_names(single).items()
        if chosen.get(measure, 0.0) == deviation
    }


def _draw_measures(part: Any, single: pd.DataFrame, most: float, style: Style) -> None:
    """Draw measures over training, with dashes for the simplified dynamics."""
    axes = part.subplots(1, len(OVER_TRAINING), sharex=True)
    names = TRAINING.present(single)
    for ax, measure in zip(axes, OVER_TRAINING, strict=True):
        rows = single[single["measure"] == measure]
        title = TITLES[measure].replace(", ", ",\n")
        if measure in CHANCE:
            rows = rows[rows["deviation"] == most]
            ax.axhline(CHANCE[measure], color="0.6", linewidth=0.6, linestyle=":", zorder=0)
            ax.annotate("chance", (0.02, CHANCE[measure]), xycoords=ax.get_yaxis_transform(),
                        xytext=(0, 1), textcoords="offset points", va="bottom", color=GREY,
                        size=small_type())  # fmt: skip
        draw_curves(ax, not_diverged(rows), "step", style, why_nothing(single), "errors",
                    list(names), shade=0.1)  # fmt: skip
        ax.set(title=title, xlabel="Training step", ylabel="")
        step_axis(ax, single)
    handles = handles_of(activations(single), style)
    handles += [
        Line2D([], [], color="0.3", label=name, linestyle=dashes)
        for name, dashes in zip(names.values(), DASHES, strict=False)
    ]
    part.legend(handles=handles, loc="outside upper center", ncols=len(handles), handlelength=1.8,
                columnspacing=1.4, borderpad=0)  # fmt: skip


def _mark_limit(ax: Any, rows: int) -> None:
    """Draw the largest distance that claim 48 allows, and name it below the last row."""
    ax.set_ylim(rows - 0.1, -0.5)
    ax.set_xlim(left=0)
    ax.axvline(LIMIT, color="black", linewidth=0.7, linestyle=":", zorder=0)
    ax.annotate("limit of close agreement", (LIMIT, rows - 0.15), xytext=(3, 1), color=GREY,
                textcoords="offset points", va="bottom", size=small_type())  # fmt: skip


def _readouts(table: pd.DataFrame, errors: str) -> str:
    return listed(sorted(table.loc[table["errors"] == errors, "readout"].dropna().unique()))
