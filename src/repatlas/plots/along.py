"""Measures of representations along an axis: layers, training, or another setting."""

from typing import Any

import pandas as pd

from repatlas.inference.intervals import FEWEST
from repatlas.plots.marks import GUIDE, draw_line, hairlines
from repatlas.plots.representations import cut, grid, line_look, panels_of, title_of
from repatlas.plots.style import Style, note_under, say

LONGEST_LABEL = 6
"""Characters of a tick label that fit side by side."""
FEW_PLACES = 8


def draw_along(table: pd.DataFrame, style: Style, label: str) -> Any:
    """Return a figure with a panel for each measure and variable.

    Units are hairlines. Above them is the median over units with its interval, or the value of the
    only unit with its interval. Chance is dotted.
    """
    panels = panels_of(table)
    table, without = _without_partial_medians(table)
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
            ax.set_xlim(axes[0].get_xlim())
        else:
            draw_chance(ax, own)
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
    note_under(figure, style, _note(table, without))
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
    curve = curve.assign(x=curve["place"].map(places) + beside * step)
    of_units = curve["of"] == "units"
    single = curve[~of_units]
    names = _names(curve)
    name = names.iloc[0] if len(names) else ""
    if of_units.any():
        hairlines(ax, single, "x", "unit", color=colour, alpha=0.5)
    shown = curve[of_units] if of_units.any() else single
    draw_line(ax, shown, "x", bars=0.8, color=colour, marker=marker, markersize=2.5,
              label=name or None)  # fmt: skip


def draw_chance(ax: Any, own: pd.DataFrame) -> None:
    chance = own["chance"].dropna()
    if len(chance):
        ax.axhline(chance.median(), **GUIDE)


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


def _without_partial_medians(table: pd.DataFrame) -> tuple[pd.DataFrame, bool]:
    """Return the table without medians where some unit has no value, and whether there were any.
    The units that have one were chosen, for example by a test for noise."""
    at = ["representation", "line", "place", "measure", "about"]
    is_median = table["of"] == "units"
    keys = table[at].fillna("").apply(tuple, axis=1)
    lacking = is_median & keys.isin(keys[table["unit"].notna() & table["value"].isna()])
    had = (lacking & table["value"].notna()).any()
    return table.assign(**{c: table[c].mask(lacking) for c in ("value", "low", "high")}), had


def _note(table: pd.DataFrame, without: bool) -> str:
    """Return words for the note: what the bars are. without: whether medians are left out."""
    medians = table[(table["of"] == "units") & table["value"].notna()]
    chance = " Dotted: chance." if table["chance"].notna().any() else ""
    no_median = " No marker where a unit has no value." if without else ""
    single = table[table["unit"].notna() & table["value"].notna()]
    curves = single.groupby(["representation", "line", "measure", "about", "unit"], dropna=False)
    lines = "Hairlines: units. " if (curves["place"].nunique() > 1).any() else ""
    if single.empty:
        return f"Bars: 95 % intervals over items or trials, where there are any.{chance}"
    if medians.empty:
        return f"{lines}{no_median}{chance}".strip()
    numbers = sorted({int(n) for n in medians["n"]})
    few = f", too few for an interval ({FEWEST} needed)" if numbers[0] < FEWEST else ""
    bars = " with its 95 % interval" if medians["low"].notna().any() else ""
    of = f"{numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else f"{numbers[0]}"
    both = f"{bars}; {few[2:]}" if bars and few else bars + few
    return f"{lines}Markers: median over {of} units{both}.{no_median}{chance}"


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
