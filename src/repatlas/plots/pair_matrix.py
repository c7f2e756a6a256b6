"""The similarities of all pairs."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.representations import COLOURS, cut
from repatlas.plots.style import Style, note_under, say

FEW = 30
"""The most labels that fit next to a matrix."""
SURE = 0.05


def draw_pairs(table: pd.DataFrame, style: Style, names: dict[str, str]) -> Figure:
    """Return a figure with the matrix of similarities for each measure, in the order of `names`.

    names: what axes call each measure.

    The matrix of a single set has the order of a clustering. If there are units, a panel to the
    right has the similarity of each label in one unit and in another.
    """
    measures = [name for name in names if (table["measure"] == name).any()]
    of_units = (table["of"] == "units").any()
    width = style.width / 2
    figure = Figure(figsize=(style.width, 0.4 + width * len(measures)))
    axes = figure.subplots(len(measures), 2, squeeze=False, width_ratios=(1.4, 1))
    for (left, right), measure in zip(axes, measures, strict=True):
        own = table[table["measure"] == measure]
        shown = own[(own["of"] == "units") == of_units]
        _draw_matrix(figure, left, shown, names[measure])
        if of_units:
            _draw_units(right, own, names[measure])
        else:
            _draw_values(right, shown, names[measure])
    note_under(figure, style, _note(table, of_units))
    return figure


def _draw_matrix(figure: Figure, ax, shown: pd.DataFrame, title: str) -> None:
    if not shown["value"].notna().any():
        reasons = shown["reason"].dropna()
        say(ax, reasons.iloc[0] if len(reasons) else "Not compared")
        return
    first = shown.drop_duplicates("order").set_index("order")["label"].sort_index()
    second = shown.drop_duplicates("other_order").set_index("other_order")["other_label"]
    alone = (shown["representation"] == shown["other_representation"]).all()
    if alone:
        labels = pd.concat([first, second]).groupby(level=0).first()
        matrix = pd.DataFrame(np.nan, index=labels.index, columns=labels.index)
        for row in shown.itertuples():
            matrix.loc[row.order, row.other_order] = row.value
            matrix.loc[row.other_order, row.order] = row.value
        order = _clustered(matrix)
        matrix, first = matrix.loc[order, order], labels[order]
        second = first
    else:
        matrix = shown.pivot_table(index="order", columns="other_order", values="value")
        first, second = first[matrix.index], second[matrix.columns]
    values = matrix.to_numpy(dtype=float)
    # Panels of a row are as high as one another, also where one of them has no matrix.
    image = ax.imshow(
        values, cmap="viridis", vmin=min(0.0, np.nanmin(values)), vmax=1, aspect="auto"
    )
    figure.colorbar(image, ax=ax, shrink=0.8, label=title)
    for axis, labels in ((ax.yaxis, first), (ax.xaxis, second)):
        step = -(-len(labels) // FEW)
        axis.set_ticks(range(0, len(labels), step), list(map(cut, labels[::step])))
    ax.tick_params(axis="x", rotation=90)
    unsure = shown[shown["p_family"] > SURE]
    place = {key: number for number, key in enumerate(matrix.index)}
    other = {key: number for number, key in enumerate(matrix.columns)}
    for row in unsure.itertuples():
        both = [(row.order, row.other_order), (row.other_order, row.order)]
        for a, b in both if alone else both[:1]:
            if a in place and b in other:
                ax.plot(other[b], place[a], "x", color="white", markersize=3, markeredgewidth=0.6)


def _clustered(matrix: pd.DataFrame) -> list:
    """Return the labels in the order of an average-linkage clustering of 1 - similarity.

    If some pair has no value, the order stays.
    """
    filled = matrix.to_numpy(dtype=float).copy()
    np.fill_diagonal(filled, 1.0)
    if len(filled) < 3 or np.isnan(filled).any():
        return list(matrix.index)
    # Here, since they take half a second to import.
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    distances = squareform(np.clip(1 - filled, 0, None), checks=False)
    leaves = leaves_list(linkage(distances, "average", optimal_ordering=True))
    return [matrix.index[leaf] for leaf in leaves]


def _draw_units(ax, own: pd.DataFrame, title: str) -> None:
    """Draw the similarity of each label to itself in other units: pairs as dots, medians,
    intervals."""
    same = own[(own["label"] == own["other_label"]) & own["value"].notna()]
    medians = same[same["of"] == "units"].sort_values("order")
    pairs = same[same["unit"].notna()]
    place = {label: number for number, label in enumerate(medians["label"])}
    x = pairs["label"].map(place)
    ax.plot(x, pairs["value"], ".", color="0.7", markersize=2)
    at = medians["label"].map(place)
    errors = np.abs(medians[["low", "high"]].to_numpy(dtype=float).T - medians["value"].to_numpy())
    ax.errorbar(at, medians["value"], errors, fmt="o", color=COLOURS[0], markersize=3)
    chance = medians["chance"].dropna()
    if len(chance):
        ax.axhline(chance.median(), color="0.5", linestyle=":", linewidth=0.6)
    step = max(-(-len(place) // FEW), 1)
    ax.set_xticks(range(0, len(place), step), list(map(cut, place))[::step], rotation=90)
    ax.set(ylabel=title, title="The same in another unit")


def _draw_values(ax, shown: pd.DataFrame, title: str) -> None:
    """Draw all pairs in ascending order, with intervals and chance."""
    ordered = shown[shown["value"].notna()].sort_values("value").reset_index(drop=True)
    if ordered.empty:
        say(ax, "No pair has a value")
        return
    errors = np.abs(ordered[["low", "high"]].to_numpy(dtype=float).T - ordered["value"].to_numpy())
    ax.errorbar(
        ordered.index, ordered["value"], errors, fmt=".", color=COLOURS[0], markersize=3,
        elinewidth=0.5,
    )  # fmt: skip
    ax.plot(ordered.index, ordered["chance"], ":", color="0.5", linewidth=0.8)
    ax.set(xlabel="Pairs, in order", ylabel=title, title="All pairs; chance dotted")


def _note(table: pd.DataFrame, of_units: bool) -> str:
    pairs = table[table["of"] != "units"]
    number = int(pairs["n"].max())
    crosses = "" if of_units else " Crosses: p > .05 for all pairs together (max-T)."
    what = "medians over units" if of_units else "single pairs"
    return f"Matrix: {what}, {number} items.{crosses}"
