"""Measures of representations along an axis: layers, training, or another setting."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.inference.intervals import FEWEST
from repatlas.plots.representations import cut, grid, line_look, panels_of, title_of
from repatlas.plots.style import GREY, Style, note_under, say

LONGEST_LABEL = 6
"""Characters of a tick label that fit side by side."""
FEW_PLACES = 8


def draw_along(table: pd.DataFrame, style: Style, label: str) -> Figure:
    """Return a figure with a panel for each measure and variable.

    Units are hairlines. Above them is the median over units with its interval, or the value of the
    only unit with its interval. Chance is dotted.
    """
    panels = panels_of(table)
    figure, axes = grid(len(panels), style)
    lines = _line_names(table)
    places = _places(table)
    lowest = axes[-min(len(axes), 4) :]  # of each column: the others have the same axis
    for ax, (measure, about) in zip(axes, panels, strict=True):
        own = table[(table["measure"] == measure) & (table["about"].fillna("") == about)]
        for number, name in enumerate(lines):
            curve = own[_names(own) == name]
            _draw_curve(ax, curve, places, number - (len(lines) - 1) / 2, number)
        if not own["value"].notna().any():
            reasons = own["reason"].dropna()
            say(ax, reasons.iloc[0] if len(reasons) else "Not measured")
        else:
            _draw_chance(ax, own)
        longest = _name_places(ax, places, ax in lowest)
        ax.set_title(title_of(measure, about))
    for ax in lowest:
        ax.set_xlabel(label)
    # Slanted names need this space. Without it the layout would take it from all panels.
    if longest > LONGEST_LABEL:
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + longest * style.font_size / 72 / 3)
    if lines != [""]:
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    note_under(figure, style, _note(table))
    return figure


def _places(table: pd.DataFrame) -> dict[str, float]:
    """Return the position of each place on the axis: a number if all places are, else its rank."""
    ordered = table.sort_values("order")["place"].drop_duplicates().tolist()
    try:
        numbers = {place: float(place) for place in ordered}
    except ValueError:
        return {place: float(rank) for rank, place in enumerate(ordered)}
    return numbers


def _draw_curve(
    ax: Any, curve: pd.DataFrame, places: dict[str, float], beside: float, number: int
) -> None:
    """Draw one curve, `beside` steps to the right of its positions, so that intervals do not
    overlap."""
    colour, marker = line_look(number)
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


def _name_places(ax: Any, places: dict[str, float], named: bool) -> int:
    """Set ticks at the places, with names if `named`, and return the length of the longest name."""
    values = list(places.values())
    if len(values) > FEW_PLACES:
        if values != [float(rank) for rank in range(len(values))]:
            ax.tick_params(axis="x", labelbottom=named)
            return 0  # numbers, which an axis of numbers names
        step = -(-len(values) // FEW_PLACES)
        places = dict([*places.items()][::step])
    names = list(map(cut, places))
    longest = max(map(len, names))
    ax.set_xticks(list(places.values()), names)
    ax.tick_params(axis="x", rotation=35 if longest > LONGEST_LABEL else 0, labelbottom=named)
    if longest > LONGEST_LABEL:
        for text in ax.get_xticklabels():
            text.set_ha("right")
    return longest


def _note(table: pd.DataFrame) -> str:
    """Return words for the note: what the bars are."""
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


def _line_names(table: pd.DataFrame) -> list[str]:
    """Return the names of curves: the set, and the values of its other braces."""
    names = _names(table)
    return list(dict.fromkeys(names[names != ""])) or [""]


def _names(table: pd.DataFrame) -> pd.Series:
    sets = table["representation"].nunique() > 1
    line = table["line"].fillna("")
    if not sets:
        return line
    return (table["representation"] + ", " + line).str.removesuffix(", ")
