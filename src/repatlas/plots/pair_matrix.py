"""The similarities of all pairs."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.inference.intervals import FEWEST
from repatlas.plots.marks import GUIDE, draw_line, draw_matrix
from repatlas.plots.palette import BLUE, GREY, LIGHT, WHITE
from repatlas.plots.representations import cut
from repatlas.plots.style import Style, note_under, page, say

FEW = 30
"""The most labels that fit next to a matrix."""
FEW_PAIRS = 4
"""So few pairs have a panel each, and no matrix."""
SURE = 0.05


def draw_pairs(table: pd.DataFrame, style: Style, names: dict[str, str]) -> Any:
    """Return a figure with the matrix of similarities for each measure, in the order of `names`.

    names: what axes call each measure.

    If there are units, a panel to the right has the similarity of each label in one unit and in
    another. A few pairs have a panel each, with all measures.
    """
    measures = [name for name in names if (table["measure"] == name).any()]
    of_units = (table["of"] == "units").any()
    table = _with_names(table)
    pairs = table[(table["of"] == "units") == of_units]
    both = pairs.drop_duplicates(["order", "other_order"])
    if len(both) <= FEW_PAIRS:
        return _few_pairs(pairs, both, style, {name: names[name] for name in measures}, table)
    height = min(style.width / 2, 1.2 + 0.14 * pairs["order"].nunique())
    figure = page(style, 0.4 + height * len(measures))
    axes = figure.subplots(len(measures), 2, squeeze=False, width_ratios=(1.4, 1))
    for (left, right), measure in zip(axes, measures, strict=True):
        own = table[table["measure"] == measure]
        shown = own[(own["of"] == "units") == of_units]
        _draw_matrix(left, shown, names[measure])
        if of_units:
            _draw_units(right, own, names[measure])
        else:
            _draw_values(right, shown, names[measure])
    note_under(figure, style, _note(table, of_units))
    return figure


def _with_names(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the name of the set as label, where a set is a single array."""
    own = {
        side: table[side].where(table[side].fillna("") != "", table[of])
        for side, of in (("label", "representation"), ("other_label", "other_representation"))
    }
    return table.assign(**own)


def _few_pairs(
    pairs: pd.DataFrame,
    both: pd.DataFrame,
    style: Style,
    names: dict[str, str],
    table: pd.DataFrame,
) -> Any:
    """Return a figure with a panel for each pair: a row for each measure."""
    figure = page(style, 0.8 + 0.22 * len(names))
    axes = figure.subplots(1, len(both), squeeze=False, sharex=True, sharey=True)[0]
    rows = {measure: place for place, measure in enumerate(names)}
    for ax, pair in zip(axes, both.itertuples(), strict=True):
        is_pair = (pairs["order"] == pair.order) & (pairs["other_order"] == pair.other_order)
        for row in pairs[is_pair].itertuples():
            place = rows[row.measure]
            if np.isnan(row.value):
                ax.text(0.5, place, "no value", ha="center", va="center", color=GREY)
                continue
            look = {"markerfacecolor": WHITE} if row.p_family > SURE else {}
            ax.plot([row.low, row.high], [place, place], color=BLUE, linewidth=0.8)
            ax.plot(row.chance, place, "|", color=GREY, markersize=7)
            ax.plot(row.value, place, "o", color=BLUE, markersize=4, **look)
        ax.set_title(f"{cut(pair.label)}\nand {cut(pair.other_label)}")
        ax.set_xlabel("Similarity")
    axes[0].set(xlim=(min(0.0, pairs["value"].min()) - 0.05, 1.05), ylim=(len(names) - 0.5, -0.5))
    axes[0].set_yticks(range(len(names)), list(names.values()))
    of_units = (table["of"] == "units").any()
    bars = " Bars: 95 % intervals." if pairs["low"].notna().any() else ""
    chance = " Short grey lines: chance." if pairs["chance"].notna().any() else ""
    open_ = (
        " Open: p > .05 for all pairs together (max-T)." if (pairs["p_family"] > SURE).any() else ""
    )
    note_under(figure, style, f"Dots: {_what(table, of_units)}.{bars}{chance}{open_}")
    return figure


def _draw_matrix(ax: Any, shown: pd.DataFrame, title: str) -> None:
    if not shown["value"].notna().any():
        reasons = shown["reason"].dropna()
        say(ax, reasons.iloc[0] if len(reasons) else "Not compared")
        return
    first = shown.drop_duplicates("order").set_index("order")["label"]
    second = shown.drop_duplicates("other_order").set_index("other_order")["other_label"]
    alone = (shown["representation"] == shown["other_representation"]).all()
    if alone:
        first = second = pd.concat([first, second]).groupby(level=0).first()
    draw_similarities(ax, shown, alone, title)
    for axis, labels in ((ax.yaxis, first), (ax.xaxis, second)):
        step = -(-len(labels) // FEW)
        places = np.arange(0, len(labels), step) + 0.5
        axis.set_ticks(places, list(map(cut, labels.sort_index()[::step])))
    ax.tick_params(axis="x", rotation=90)


def draw_similarities(ax: Any, shown: pd.DataFrame, alone: bool, title: str = "") -> None:
    """Draw each pair in the row `order` and the column `other_order`, with a cross where it is
    unsure. alone: the pairs are of one set, and each is drawn on both sides of the diagonal."""
    both = ["order", "other_order"]
    if alone:
        other_side = shown.rename(columns=dict(zip(both, both[::-1], strict=True)))
        shown = pd.concat([shown, other_side])
    matrix = shown.pivot_table("value", *both, dropna=False)
    least = min(0.0, shown["value"].min())
    image = draw_matrix(ax, matrix.to_numpy(dtype=float), cmap="viridis", vmin=least, vmax=1)
    ax.figure.colorbar(image, ax=ax, shrink=0.8, label=title)
    unsure = shown[shown["p_family"] > SURE]
    rows = matrix.index.get_indexer(unsure["order"])
    columns = matrix.columns.get_indexer(unsure["other_order"])
    crosses = {"color": WHITE, "markersize": 3, "markeredgewidth": 0.6}
    if len(rows):
        ax.plot(columns + 0.5, rows + 0.5, "x", **crosses)


def _draw_units(ax, own: pd.DataFrame, title: str) -> None:
    """Draw the similarity of each label to itself in other units: pairs as dots, medians,
    intervals."""
    same = own[(own["label"] == own["other_label"]) & own["value"].notna()]
    medians = same[same["of"] == "units"].sort_values("order")
    pairs = same[same["unit"].notna()]
    place = {label: number for number, label in enumerate(medians["label"])}
    ax.plot(pairs["label"].map(place), pairs["value"], ".", color=LIGHT, markersize=2)
    medians = medians.assign(at=medians["label"].map(place))
    draw_line(ax, medians, "at", bars=1.2, color=BLUE, linestyle="none", marker="o", markersize=3)
    chance = medians["chance"].dropna()
    if len(chance):
        ax.axhline(chance.median(), **GUIDE)
    step = max(-(-len(place) // FEW), 1)
    ax.set_xticks(range(0, len(place), step), list(map(cut, place))[::step], rotation=90)
    ax.set(ylabel=title, title="The same in another unit")


def _draw_values(ax, shown: pd.DataFrame, title: str) -> None:
    """Draw all pairs in ascending order, with intervals and chance."""
    ordered = shown[shown["value"].notna()].sort_values("value").reset_index(drop=True)
    if ordered.empty:
        say(ax, "No pair has a value")
        return
    ordered = ordered.assign(at=ordered.index)
    draw_line(ax, ordered, "at", bars=0.5, color=BLUE, linestyle="none", marker=".", markersize=3)
    ax.plot(ordered.index, ordered["chance"], ":", color=GREY, linewidth=0.8)
    has_chance = ordered["chance"].notna().any()
    title_of_all = "All pairs; chance dotted" if has_chance else "All pairs"
    ax.set(xlabel="Pairs, in order", ylabel=title, title=title_of_all)


def _note(table: pd.DataFrame, of_units: bool) -> str:
    crosses = "" if of_units else " Crosses: p > .05 for all pairs together (max-T)."
    return f"Matrix: {_what(table, of_units)}.{crosses}"


def _what(table: pd.DataFrame, of_units: bool) -> str:
    """Return words for what is drawn of each pair, from the numbers in the table."""
    items = f"{int(table.loc[table['of'] != 'units', 'n'].max())} items"
    if not of_units:
        return f"single pairs, {items}"
    units = sorted({int(n) for n in table.loc[table["of"] == "units", "n"]})
    number = f"{units[0]} to {units[-1]}" if len(units) > 1 else f"{units[0]}"
    few = f", too few for an interval ({FEWEST} needed)" if units[-1] < FEWEST else ""
    return f"medians over {number} units{few}, {items}"
