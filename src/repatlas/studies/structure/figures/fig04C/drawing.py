"""Figure 4C: networks on images, tanh and ReLU in pairs."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.inference.contrasts import TANH_RELU, tanh_minus_relu
from repatlas.inference.intervals import FEWEST
from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.dots import MARKED, mark_zero, set_range
from repatlas.plots.images import (
    ARCHITECTURES,
    NO_IMAGES,
    cells,
    last_epoch,
    name_of,
    number_of_networks,
    sizes,
)
from repatlas.plots.style import GREY, Style, finish, say
from repatlas.plots.words import NO_PAIRS, not_drawn, with_intervals

MEASURES = {
    "target_alignment": "Target alignment",
    "input_alignment": "Input alignment",
    "parallelism": "Parallelism score",
    "ccgp": "CCGP",
    "accuracy": "Test accuracy",
}
COMPARED = ("tanh", "relu")
DIFFERENCE = "Tanh \N{MINUS SIGN} ReLU"
BELOW = 0.25
"""The distance from a median to its pairs of networks; rows are 1 apart."""
BETWEEN = 0.3
"""The space between two measures, in rows."""
PAIR = {"linestyle": "none", "marker": "o", "markersize": 2, "markeredgewidth": 0, "color": "0.6"}
SURE = {"color": "black"} | MARKED
UNSURE = SURE | {"markerfacecolor": "white"}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    places = cells(table)
    rows = len(MEASURES) * (len(places) + (len(places) > 1) + BETWEEN)
    figure = Figure(figsize=(style.width, (0.22 + 0.035 * rows) * style.width))
    shown = last_epoch(table)
    single = not_diverged(shown[shown["contrast"].isna()])
    effects = shown[shown["contrast"] == TANH_RELU]
    pairs = _pairs(single)
    part = figure.subfigures()  # below the words above a preview
    ax = part.subplots()
    if len(effects):
        _draw_measures(ax, table, places, effects, pairs)
        _name(part, effects["low"])
    else:
        say(ax, NO_PAIRS)
    finish(
        figure,
        table,
        style,
        f"Last hidden layer, held-out images; {number_of_networks(table)}. Medians of the paired "
        f"differences, {with_intervals(effects, single, 'target_alignment')}. {sizes(table)}."
        f"{not_drawn(table, COMPARED)}"
        if places
        else f"{NO_IMAGES}.",
    )
    return figure


def _draw_measures(
    ax: Any,
    table: pd.DataFrame,
    places: list[tuple[str, str]],
    effects: pd.DataFrame,
    pairs: pd.DataFrame,
) -> None:
    """Draw a block of rows for each measure on one scale, so that all differences can be
    compared. A row is an architecture and a data set; if there is one, the title names it."""
    names = [f"{ARCHITECTURES[kind]}: {name_of(images, table)}" for images, kind in places]
    ticks = {}
    row = 0.0
    for measure, title in MEASURES.items():
        own, of_measure = (rows[rows["measure"] == measure] for rows in (effects, pairs))
        ticks[row] = title
        row += len(places) > 1
        for place, name in zip(places, names, strict=True):
            ticks.setdefault(row, name)
            _draw_cell(ax, row, _select_cell(own, place), _select_cell(of_measure, place))
            row += 1
        row += BETWEEN
    mark_zero(ax)
    set_range(ax)
    ax.set_yticks(list(ticks), list(ticks.values()))
    for label in ax.get_yticklabels():
        label.set_weight("bold" if label.get_text() in MEASURES.values() else "normal")
    ax.tick_params(axis="y", length=0)
    ax.set(ylim=(row - BETWEEN - 0.3, -0.5), xlabel=DIFFERENCE)
    if len(places) == 1:
        ax.set_title(names[0])


def _pairs(single: pd.DataFrame) -> pd.DataFrame:
    """Return the difference of each pair of networks of one seed. A seed's value is its mean over
    pairings of classes."""
    by = ["dataset", "architecture", "measure"]
    refuse_pooling(single, [*by, "activation", "layer", "pairing"])
    means = single.groupby([*by, "activation", "seed"])["value"].mean().reset_index()
    return tanh_minus_relu(means, by)


def _select_cell(rows: pd.DataFrame, place: tuple[str, str]) -> pd.DataFrame:
    return rows[(rows["dataset"] == place[0]) & (rows["architecture"] == place[1])]


def _draw_cell(ax: Any, number: float, effects: pd.DataFrame, pairs: pd.DataFrame) -> None:
    """Draw the median with its interval, open if it has none, above a dot for each pair."""
    ax.plot(pairs["value"], [number + BELOW] * len(pairs), **PAIR)
    for row in effects.itertuples():
        look = UNSURE if pd.isna(row.low) else SURE
        ax.plot(row.value, number, **look, zorder=3)
        ax.hlines(number, row.low, row.high, color="black", linewidth=0.8)


def _name(part: Any, low: pd.Series) -> None:
    """Add a legend of the dots that are drawn."""
    handles = []
    if low.notna().any():
        handles.append(Line2D([], [], label="median, 95 % interval", **SURE))
    if low.isna().any():
        said = f"median of fewer than {FEWEST} pairs"
        handles.append(Line2D([], [], label=said, **UNSURE))
    handles.append(Line2D([], [], label="one pair of networks", **PAIR))
    handles.append(Line2D([], [], color=GREY, linewidth=0.6, linestyle=":", label="no difference"))
    part.legend(handles=handles, loc="outside upper center", ncols=len(handles), borderpad=0,
                handletextpad=0.3)  # fmt: skip
