"""What the figures of users' representations share: names, colours and curves."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.inference.intervals import FEWEST
from repatlas.plots.style import GREY, Style, note_under, say

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""The colours of lines (Okabe and Ito), with one marker each, since seven are hard to tell apart by
colour alone."""
MARKERS = "osD^vP*"
TITLES = {
    "alignment": "Alignment",
    "ccgp": "CCGP",
    "decoding": "Decoding",
    "dimensionality": "Dimensionality",
    "parallelism": "Parallelism score",
}
LONGEST_LABEL = 6
"""Characters of a tick label that fit side by side."""
FEW_PLACES = 8
MOST = 12
"""So many representations fit side by side."""


def panels_of(table: pd.DataFrame) -> list[tuple[str, str]]:
    """Each measure and variable that the table has, in one order for all figures."""
    found = table[["measure", "about"]].fillna("").drop_duplicates().itertuples(index=False)
    return sorted(map(tuple, found), key=lambda panel: ([*TITLES].index(panel[0]), panel[1]))


def title_of(measure: str, about: str) -> str:
    """The title of a panel."""
    return f"{TITLES[measure]}\n{about}" if about else TITLES[measure]


def grid(number: int, style: Style, height: float = 1.05) -> tuple[Figure, list]:
    """A figure with so many panels, in rows of four at most."""
    columns = min(max(number, 2), 4)
    rows = -(-number // columns)
    figure = Figure(figsize=(style.width, 0.5 + height * style.width / 4 * rows))
    axes = figure.subplots(rows, columns, squeeze=False)
    for ax in axes.flat[number:]:
        ax.set_axis_off()
    return figure, list(axes.flat[:number])


def line_names(table: pd.DataFrame) -> list[str]:
    """What tells curves apart: the set and what its other braces stand for."""
    names = _names(table)
    return list(dict.fromkeys(names[names != ""])) or [""]


def _names(table: pd.DataFrame) -> pd.Series:
    sets = table["representation"].nunique() > 1
    line = table["line"].fillna("")
    if not sets:
        return line
    return (table["representation"] + ", " + line).str.removesuffix(", ")


def chosen(table: pd.DataFrame) -> tuple[dict[tuple[str, int], str], str]:
    """The first representations of the first unit, by set and order, with their names; and a
    sentence on what is left out."""
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


def draw_along(table: pd.DataFrame, style: Style, label: str) -> Figure:
    """A panel for each measure and variable: units as hairlines, and above them the median over
    units with its interval, or the value of the only unit with its own; chance, dotted."""
    panels = panels_of(table)
    figure, axes = grid(len(panels), style)
    lines = line_names(table)
    places = _places(table)
    for ax, (measure, about) in zip(axes, panels, strict=True):
        own = table[(table["measure"] == measure) & (table["about"].fillna("") == about)]
        for number, name in enumerate(lines):
            curve = own[_names(own) == name]
            _draw_curve(ax, curve, places, number - (len(lines) - 1) / 2, number)
        if not own["value"].notna().any():
            reasons = own["reason"].dropna()
            say(ax, reasons.iloc[0] if len(reasons) else "Not measured")
        _draw_chance(ax, own)
        _name_places(ax, places)
        ax.set_title(title_of(measure, about))
    for ax in axes[-min(len(axes), 4) :]:
        ax.set_xlabel(label)
    if lines != [""]:
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    note_under(figure, style, _note(table))
    return figure


def _places(table: pd.DataFrame) -> dict[str, float]:
    """Where on the axis each place is: a number where all are, else its rank."""
    ordered = table.sort_values("order")["place"].drop_duplicates().tolist()
    try:
        numbers = {place: float(place) for place in ordered}
    except ValueError:
        return {place: float(rank) for rank, place in enumerate(ordered)}
    return numbers


def _draw_curve(
    ax: Any, curve: pd.DataFrame, places: dict[str, float], beside: float, number: int
) -> None:
    """beside: how many steps to the right of its place, so that intervals do not hide others."""
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    values = sorted(places.values())
    step = 0.012 * (values[-1] - values[0]) if len(values) > 1 else 0.02
    curve = curve.assign(x=curve["place"].map(places) + beside * step).sort_values("x")
    of_units = curve["of"] == "units"
    single = curve[~of_units]
    names = _names(curve)
    name = names.iloc[0] if len(names) else ""
    if of_units.any():
        for _, unit in single.groupby("unit"):
            ax.plot(unit["x"], unit["value"], color=colour, linewidth=0.4, alpha=0.5)
    shown = curve[of_units] if of_units.any() else single
    errors = np.abs(shown[["low", "high"]].to_numpy(dtype=float).T - shown["value"].to_numpy())
    ax.plot(
        shown["x"], shown["value"], color=colour, marker=marker, markersize=2.5, label=name or None
    )
    has = ~np.isnan(errors).any(axis=0)
    if has.any():
        ax.errorbar(
            shown["x"][has],
            shown["value"][has],
            errors[:, has],
            color=colour,
            linestyle="none",
            elinewidth=0.8,
        )


def _draw_chance(ax: Any, own: pd.DataFrame) -> None:
    chance = own["chance"].dropna()
    if len(chance):
        ax.axhline(chance.median(), color=GREY, linewidth=0.6, linestyle=":", zorder=0)


def _name_places(ax: Any, places: dict[str, float]) -> None:
    values = list(places.values())
    if len(values) > FEW_PLACES:
        if values != [float(rank) for rank in range(len(values))]:
            return  # numbers, which an axis of numbers names
        step = -(-len(values) // FEW_PLACES)
        places = dict([*places.items()][::step])
    slanted = max(map(len, places)) > LONGEST_LABEL
    ax.set_xticks(list(places.values()), list(places))
    ax.tick_params(axis="x", rotation=35 if slanted else 0)
    if slanted:
        for text in ax.get_xticklabels():
            text.set_ha("right")


def _note(table: pd.DataFrame) -> str:
    """What the bars are, in words."""
    units = table[table["of"] == "units"]
    chance = "Dotted: chance." if table["chance"].notna().any() else ""
    if not len(units):
        return f"Bars: 95 % intervals over items or trials, where there are any. {chance}".strip()
    number = int(units["n"].max())
    if units["low"].notna().any():
        bars = f"median over {number} units with its 95 % interval"
    else:
        bars = f"median over {number} units, too few for an interval ({FEWEST} needed)"
    return f"Hairlines: units. Markers: {bars}. {chance}".strip()
