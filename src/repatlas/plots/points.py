"""The conditions as points."""

import textwrap
from itertools import cycle

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.geometry.design import BETWEEN
from repatlas.plots.representations import MORE_MARKERS, chosen, cut, grid, point_colours
from repatlas.plots.style import Style, note_under, say

LINE = 22
"""Characters of a title that fit above a panel."""


def draw_points(table: pd.DataFrame, style: Style) -> Figure:
    """Return a figure with a panel for each representation: conditions along the first two axes.

    The colour is the value of the first variable, and the marker the values of the others. An edge
    joins two conditions that differ in one variable, by neighbouring values. It is dashed unless
    this is the first variable.
    """
    shown, more = chosen(table)
    figure, axes = grid(len(shown), style, height=1.05 if len(shown) > 1 else 1.8)
    named = table["about"][table["measure"] == "geometry"].dropna().unique()
    colours = point_colours(_parts(named, 0))
    markers = dict(zip(_parts(named, 1), cycle(MORE_MARKERS), strict=False))
    for ax, ((name, order), title) in zip(axes, shown.items(), strict=True):
        own = table[(table["representation"] == name) & (table["order"] == order)]
        points = own[(own["measure"] == "geometry") & own["value"].notna()]
        if not len(points):
            say(ax, own["reason"].dropna().iloc[0])
            continue
        placed = points.pivot(index="cluster", columns="neuron", values="value")
        placed = placed.reindex(columns=range(2), fill_value=0.0)
        names = points.drop_duplicates("cluster").set_index("cluster")["about"]
        _draw_edges(ax, placed, names)
        for cluster, point in placed.iterrows():
            first, rest = _split(names[cluster])
            ax.plot(point[0], point[1], markers[rest], color=colours[first], markersize=4, zorder=3)
        shares = own[(own["measure"] == "explained") & (own["neuron"] < 2)]["value"].sum()
        ax.set_title(f"{textwrap.fill(cut(title), LINE)}\n{shares:.0%}")
        ax.set_aspect("equal", adjustable="datalim")
        ax.margins(0.2)
        ax.set(xticks=[], yticks=[])
    _legend(figure, colours, markers)
    note = (
        "Percent: share of the squared distances that the two axes keep. Edges: one variable"
        f" differs, solid the first.{_again(len(markers))}{more}"
    )
    note_under(figure, style, note)
    return figure


def _again(values: int) -> str:
    """Return a sentence if there are more values than markers, else an empty string."""
    most = len(MORE_MARKERS)
    return f" After {most} of {values} values markers begin again." if values > most else ""


def _split(name: str) -> tuple[str, str]:
    """Return the value of the first variable, and the values of the others."""
    first, _, rest = name.partition(BETWEEN)
    return first, rest


def _parts(names: list[str], which: int) -> list[str]:
    return list(dict.fromkeys(_split(name)[which] for name in names))


def _legend(figure: Figure, colours: dict[str, str], markers: dict[str, str]) -> None:
    handles = [
        Line2D([], [], marker="o", linestyle="none", color=colour, label=value)
        for value, colour in colours.items()
        if value
    ]
    handles += [
        Line2D([], [], marker=marker, linestyle="none", color="0.4", label=value)
        for value, marker in markers.items()
        if value
    ]
    if handles:
        figure.legend(handles=handles, loc="outside upper center", ncols=6)


def _draw_edges(ax, placed: pd.DataFrame, names: pd.Series) -> None:
    """Draw edges between conditions that differ in one variable, by neighbouring values of it."""
    values = {cluster: name.split(BETWEEN) for cluster, name in names.sort_index().items()}
    if max(map(len, values.values())) < 2:
        return
    ranks = [
        {value: rank for rank, value in enumerate(dict.fromkeys(of_variable))}
        for of_variable in zip(*values.values(), strict=True)
    ]
    for one, of_one in values.items():
        for other, of_other in values.items():
            pairs = list(enumerate(zip(of_one, of_other, strict=True)))
            differ = [n for n, (a, b) in pairs if a != b]
            near = all(abs(ranks[n][a] - ranks[n][b]) <= 1 for n, (a, b) in pairs)
            if one < other and len(differ) == 1 and near:
                ends = placed.loc[[one, other]]
                line = "--" if differ[0] else "-"
                ax.plot(ends[0], ends[1], line, color="0.6", linewidth=0.7)
