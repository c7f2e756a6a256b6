"""Figure 4C: networks on images, tanh and ReLU in pairs."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.inference.contrasts import TANH_RELU
from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.curves import dot_of
from repatlas.plots.dots import draw_dots, mark_zero, set_range
from repatlas.plots.images import (
    ARCHITECTURES,
    NO_IMAGES,
    cells,
    initialisations,
    last_epoch,
    name_of,
    sizes,
)
from repatlas.plots.style import Style, activation_name, activations, finish, say
from repatlas.plots.words import NO_PAIRS, why_nothing, with_intervals

MEASURES = {
    "target_alignment": "Target alignment",
    "input_alignment": "Input alignment",
    "parallelism": "Parallelism score",
    "ccgp": "CCGP",
    "accuracy": "Test accuracy",
}
LINE = ",\n"
LANE = 0.36
"""The distance between the dots of the two activations; cells are 1 apart."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    places = cells(table)
    height = 0.42 + 0.15 * max(len(places), 1)
    figure = Figure(figsize=(style.width, height * style.width))
    shown = last_epoch(table)
    single = not_diverged(shown[shown["contrast"].isna()])
    effects = shown[shown["contrast"] == TANH_RELU]
    names = {(images, kind): f"{ARCHITECTURES[kind]}:\n{name_of(images, table, LINE)}"
             for images, kind in places}  # fmt: skip
    part = figure.subfigures()  # below the words above a preview
    axes = part.subplots(2, len(MEASURES), sharey=True)
    for (above, below), (measure, title) in zip(axes.T, MEASURES.items(), strict=True):
        _draw_pairs(above, single[single["measure"] == measure], places, style, why_nothing(table))
        above.set(title=title, ylim=(len(places) - 0.5, -0.5))
        of_measure = effects[effects["measure"] == measure]
        draw_dots(below, of_measure, ["dataset", "architecture"], names, "contrast",
                  {TANH_RELU: {"color": "black"}}, NO_PAIRS)  # fmt: skip
        mark_zero(below)
        set_range(below)
        below.set_title("Tanh \N{MINUS SIGN} ReLU")
    for row in axes:
        row[0].set_yticks(range(len(places)), list(names.values()))
    drawn = activations(single)
    for name in drawn:
        axes[0, 0].plot([], [], **_look(name, style), label=activation_name(name))
    if drawn:
        part.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper right",
                    ncols=len(drawn), handletextpad=0.1, borderpad=0)  # fmt: skip
    finish(
        figure,
        table,
        style,
        f"Above: {initialisations(table)}; a grey line joins networks of one seed. Below: median "
        f"of the differences, {with_intervals(effects, single, 'target_alignment')}; dotted: no "
        f"difference. Last hidden layer, held-out images. {sizes(table)}."
        if places
        else f"{NO_IMAGES}.",
    )
    return figure


def _look(activation: str, style: Style) -> dict[str, Any]:
    dot = {"linestyle": "", "marker": "o", "markersize": 3, "markeredgewidth": 0.7}
    return dot | dot_of(activation, style)


def _draw_pairs(
    ax: Any, rows: pd.DataFrame, places: list[tuple[str, str]], style: Style, nothing: str
) -> None:
    """A dot for each network, in a lane for each activation; a seed's value is its mean over
    pairings of classes."""
    refuse_pooling(rows, ["dataset", "architecture", "activation", "seed", "pairing"])
    rows = rows.dropna(subset="value")
    if not len(rows):
        say(ax, nothing)
    names = activations(rows)
    lanes = dict(zip(names, LANE * (np.arange(len(names)) - (len(names) - 1) / 2), strict=True))
    for number, place in enumerate(places):
        own = rows[(rows["dataset"] == place[0]) & (rows["architecture"] == place[1])]
        wide = own.groupby(["seed", "activation"])["value"].mean().unstack("activation")
        wide = wide.reindex(columns=names)
        heights = [number + lanes[name] for name in names]
        for seed in wide.to_numpy():
            ax.plot(seed, heights, color="0.7", linewidth=0.4, zorder=1)
        for name, height in zip(names, heights, strict=True):
            ax.plot(wide[name], [height] * len(wide), **_look(name, style))
    ax.locator_params(axis="x", nbins=3)
