"""The conditions as points."""

import textwrap
from itertools import cycle
from typing import Any

import pandas as pd

from repatlas.geometry.design import BETWEEN
from repatlas.plots.marks import add_key
from repatlas.plots.palette import GREY, LIGHT
from repatlas.plots.representations import MORE_MARKERS, chosen, cut, grid, point_colours
from repatlas.plots.style import Style, note_under, say

LINE = 22
"""Characters of a title that fit above a panel."""


def draw_points(table: pd.DataFrame, style: Style) -> Any:
    """Return a figure with a panel for each representation: conditions along the first two axes.

    The colour is the value of the first variable, and the marker the values of the others, in the
    order of the variables and of their values. An edge joins two conditions that differ in one
    variable, by neighbouring values. It is dashed unless this is the first variable.
    """
    shown, more = chosen(table)
    figure, axes = grid(len(shown), style, height=1.05 if len(shown) > 1 else 1.8)
    conditions = table[table["measure"] == "geometry"].sort_values("cluster", kind="stable")
    named = conditions["about"].dropna().unique()
    variables = _variables(table)
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
    _legend(figure, colours, markers, variables)
    solid = f", solid: {variables[0]}" if len(variables) > 1 else ""
    note = (
        "Percent: share of the squared distances that the two axes keep. Edges: one variable"
        f" differs{solid}.{_again(len(markers))}{more}"
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


def _variables(table: pd.DataFrame) -> list[str]:
    """Return the names of the variables; an empty list where sets have different ones."""
    found = table["about"][table["measure"] == "explained"].dropna().unique()
    return found[0].split(BETWEEN) if len(found) == 1 else []


def _with_names(values: str, variables: list[str]) -> str:
    """Return values with the name of the variable of each, if names are known."""
    pairs = zip(variables, values.split(BETWEEN), strict=False)
    return ", ".join(f"{name} {value}" for name, value in pairs) or values


def _legend(
    figure: Any, colours: dict[str, str], markers: dict[str, str], variables: list[str]
) -> None:
    dots = [(_with_names(v, variables[:1]), colour, "o") for v, colour in colours.items() if v]
    dots += [(_with_names(v, variables[1:]), GREY, marker) for v, marker in markers.items() if v]
    looks = {
        name: {"color": colour, "marker": marker, "linestyle": "none"}
        for name, colour, marker in dots
    }
    if looks:
        add_key(figure, looks, ncols=6)


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
                ax.plot(ends[0], ends[1], line, color=LIGHT, linewidth=0.7)
