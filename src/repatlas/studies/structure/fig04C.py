"""Figure 4C: networks on images, tanh and ReLU in pairs."""

from typing import Any

import pandas as pd

from repatlas.claims.outcomes import SUPPORTED, UNDECIDED
from repatlas.figures.figure import Figure, Finding
from repatlas.inference.contrasts import TANH_RELU, tanh_minus_relu
from repatlas.inference.intervals import FEWEST
from repatlas.inference.pooling import not_diverged, refuse_mixed_kinds
from repatlas.plots.dots import MARKED, set_range
from repatlas.plots.images import (
    ARCHITECTURES,
    NO_IMAGES,
    cells,
    last_epoch,
    name_of,
    number_of_networks,
    sizes,
)
from repatlas.plots.marks import GUIDE, add_key, draw_line, strip
from repatlas.plots.palette import BLACK, LIGHT, WHITE
from repatlas.plots.style import Style, finish, page, say
from repatlas.plots.words import NO_PAIRS, not_drawn, with_intervals
from repatlas.studies.structure.roles import images_role
from repatlas.studies.structure.rows.images import bar_rows

FIGURE = Figure(
    "Networks on images: pairs of networks, tanh and ReLU.",
    {"images": images_role()},
    finding=Finding(
        "Tanh and ReLU networks on images reach a similar accuracy; whether tanh is always more"
        " aligned is undecided.",
        {"32": UNDECIDED, "33": SUPPORTED},
    ),
)
CAPTION = """**Figure 4C: networks on images ({{ listed(facts.images.data_set) }}).** Do tanh and
ReLU networks on images differ as those on clusters do? A row is an architecture and a data set, and
each measure has its rows, on one scale. Ten classes in five pairs, each pair one label. The
measures are from the last hidden layer on held-out images, with class means instead of cluster
centres. Black: the median of the differences between tanh and ReLU networks of one seed, with its
95 % interval; open where there are too few networks for an interval. Grey: the differences of
single pairs of networks, {{ n(facts.images.seeds) }} of each kind. The number of images is under
the figure. {{ "Digits are scikit-learn's, which are no photographs; the paper has CIFAR-10 and
STL-10 (``config/paper-images.yaml``), and bars of both activations." if "digits" in
facts.images.data_set }}"""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    return bar_rows(rows["images"])


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
PAIR = {"linestyle": "none", "marker": "o", "markersize": 2, "markeredgewidth": 0, "color": LIGHT}
SURE = {"color": BLACK} | MARKED
UNSURE = SURE | {"markerfacecolor": WHITE}


def draw(table: pd.DataFrame, style: Style) -> Any:
    places = cells(table)
    rows = len(MEASURES) * (len(places) + (len(places) > 1) + BETWEEN)
    figure = page(style, (0.22 + 0.035 * rows) * style.width)
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
    ax.axvline(0, **GUIDE)
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
    refuse_mixed_kinds(single, [*by, "activation", "layer", "pairing"])
    means = single.groupby([*by, "activation", "seed"])["value"].mean().reset_index()
    return tanh_minus_relu(means, by)


def _select_cell(rows: pd.DataFrame, place: tuple[str, str]) -> pd.DataFrame:
    return rows[(rows["dataset"] == place[0]) & (rows["architecture"] == place[1])]


def _draw_cell(ax: Any, number: float, effects: pd.DataFrame, pairs: pd.DataFrame) -> None:
    """Draw the median with its interval, open if it has none, above a dot for each pair."""
    strip(ax, pairs["value"], number + BELOW, **PAIR)
    look = UNSURE if effects["low"].isna().any() else SURE
    draw_line(ax, effects.assign(row=number), "row", bars=0.8, across=True, zorder=3, **look)


def _name(part: Any, low: pd.Series) -> None:
    """Add a legend of the dots that are drawn."""
    sure = {"median, 95 % interval": SURE} if low.notna().any() else {}
    few = {f"median of fewer than {FEWEST} pairs": UNSURE} if low.isna().any() else {}
    others = {"one pair of networks": PAIR, "no difference": GUIDE}
    add_key(part, sure | few | others, handletextpad=0.3)
