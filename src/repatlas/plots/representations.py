"""What figures of representations by name share: colours, titles, a grid of panels."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.plots.palette import CATEGORIES
from repatlas.plots.style import Style, page

MARKERS = "osD^vP*"
"""Each colour has a marker, because seven colours are hard to distinguish."""
MORE_MARKERS = MARKERS + "X<>phd8"
"""Markers of points, which may have more than seven values."""
TITLES = {
    "alignment": "Alignment",
    "ccgp": "CCGP",
    "decoding": "Decoding",
    "dimensionality": "Dimensionality",
    "parallelism": "Parallelism score",
}
MOST = 12
"""The most representations that fit side by side."""
CUT = 16
"""Characters that are shown of a longer name: the last of them."""


def panels_of(table: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the measures and variables of the table, in one order for all figures."""
    found = table[["measure", "about"]].fillna("").drop_duplicates().itertuples(index=False)
    return sorted(map(tuple, found), key=lambda panel: ([*TITLES].index(panel[0]), panel[1]))


def title_of(measure: str, about: str) -> str:
    """Return the title of a panel."""
    title = TITLES.get(measure, measure.replace("_", " ").capitalize())
    return f"{title}\n{about}" if about else title


def line_look(number: int) -> tuple[str, str]:
    """Return the colour and the marker of a line. After the first seven lines, colours have other
    markers."""
    turn, place = divmod(number, len(CATEGORIES))
    return CATEGORIES[place], MARKERS[(place + turn) % len(MARKERS)]


def point_colours(values: list[str]) -> dict[str, str]:
    """Return a colour for each value: colours of lines for up to seven, otherwise shades of a
    scale."""
    if len(values) <= len(CATEGORIES):
        return dict(zip(values, CATEGORIES, strict=False))
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    shades = colormaps["turbo"](np.linspace(0.02, 0.95, len(values)))
    return dict(zip(values, map(to_hex, shades), strict=True))


def cut(label: str) -> str:
    """Return a label with its longer names cut.

    >>> cut("epoch 0, encoder.layers.3.self_attention")
    'epoch 0, ….self_attention'
    """
    parts = [part if len(part) <= CUT else f"…{part[1 - CUT :]}" for part in label.split(", ")]
    return ", ".join(parts)


def grid(number: int, style: Style, height: float = 1.05, most: int = 4) -> tuple[Any, list]:
    """Return a figure and its axes, `number` panels with at most `most` in a row.

    height: the height of a panel, in quarters of the figure's width.
    """
    columns = min(number, most)
    rows = -(-number // columns)
    figure = page(style, 0.5 + height * style.width / 4 * rows)
    axes = figure.subplots(rows, columns, squeeze=False)
    for ax in axes.flat[number:]:
        ax.set_axis_off()
    return figure, list(axes.flat[:number])


def chosen(table: pd.DataFrame) -> tuple[dict[tuple[str, int], str], str]:
    """Return the first representations of the first unit and a sentence on what is left out.

    Representations are names by set and order.
    """
    every = table[["representation", "order", "label", "unit"]].drop_duplicates()
    units = every["unit"].dropna().unique()
    first = every[every["unit"].isna() | (every["unit"] == units[0])] if len(units) else every
    several = every["representation"].nunique() > 1
    names = {}
    for row in first.sort_values(["representation", "order"]).head(MOST).itertuples():
        parts = [row.representation] if several or not row.label else []
        names[row.representation, row.order] = ", ".join(parts + [row.label] * bool(row.label))
    unit = f" Unit {units[0]} of {len(units)}." if len(units) > 1 else ""
    left = len(first) - len(names)
    more = f" {left} more representations are in the table alone." if left else ""
    return names, unit + more
