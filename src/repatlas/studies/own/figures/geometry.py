"""The conditions as points."""

import pandas as pd
from matplotlib.figure import Figure

from repatlas.own.measures.geometry import BETWEEN
from repatlas.plots.style import Style, note_under, say
from repatlas.studies.own.drawing import COLOURS, grid
from repatlas.studies.own.figures.nulls import _chosen as chosen

FEW = 12
"""Conditions whose names have room."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    """A panel for each representation: its conditions along the first two axes, with an edge
    between two that differ in one variable, whose colour tells which."""
    shown = chosen(table)
    figure, axes = grid(len(shown), style, height=1.2)
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
        ax.plot(placed[0], placed[1], "o", color="0.2", markersize=3, zorder=3)
        if len(placed) <= FEW:
            for cluster, point in placed.iterrows():
                ax.annotate(
                    names[cluster].replace(BETWEEN, "\n"),
                    (point[0], point[1]),
                    xytext=(3, 3),
                    textcoords="offset points",
                    size="x-small",
                )
        explained = own["value"][own["measure"] == "explained"].iloc[0]
        ax.set_title(f"{title}\n{explained:.0%} of squared distances in three axes")
        ax.set_aspect("equal", adjustable="datalim")
        ax.margins(0.25)
        ax.set(xticks=[], yticks=[])
    note = (
        "Axes: the first two of classical scaling. Edges: conditions that differ in one variable."
    )
    note_under(figure, style, note)
    return figure


def _draw_edges(ax, placed: pd.DataFrame, names: pd.Series) -> None:
    values = {cluster: str(name).split(BETWEEN) for cluster, name in names.items()}
    if max(map(len, values.values())) < 2:
        return
    for one, of_one in values.items():
        for other, of_other in values.items():
            differ = [n for n, (a, b) in enumerate(zip(of_one, of_other, strict=True)) if a != b]
            if one < other and len(differ) == 1:
                ends = placed.loc[[one, other]]
                ax.plot(ends[0], ends[1], color=COLOURS[differ[0] % len(COLOURS)], linewidth=0.7)
