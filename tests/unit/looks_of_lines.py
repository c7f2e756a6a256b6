"""Pairs of lines that some readers cannot distinguish, and lines that look dashed."""

from itertools import combinations

import numpy as np
from fault import Fault
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from seen_colours import LEAST_DIFFERENCE, hardest_to_tell, is_seen

DOTS = "dots"
NO_MARKER = ("None", "", " ")
HAIRLINE = 0.5
"""Points, and no more."""


def alike_lines(figure):
    """Yield pairs of lines of one panel that some readers cannot distinguish.

    These are pairs that differ in colour alone, and whose colours are close in deuteranopia, in
    protanopia or printed in grey. Dashes, markers, widths and a text in the line's colour also
    distinguish lines, and positions distinguish dots that no line joins. Hairlines, which are
    networks of one kind, are compared only if their colour has no other line."""
    for ax in figure.axes:
        labelled = {to_rgb(text.get_color()) for text in ax.texts if text.get_text().strip()}
        lines = [line for line in ax.lines if is_data(ax, line)]
        bold = {colour_of(line) for line in lines if not is_hairline(line)}
        looks = {}
        for line in lines:
            colour = colour_of(line)
            if colour not in labelled and not (is_hairline(line) and colour in bold):
                looks.setdefault(look_of(line), {}).setdefault(colour, line)
        for look, colours in looks.items():
            for one, other in combinations(colours, 2):
                pair = [colours[one], colours[other]]
                name, difference = hardest_to_tell(one, other)
                is_separate = look[0] == DOTS and _is_separable(*pair)
                if difference < LEAST_DIFFERENCE and not is_separate:
                    where = ax.get_title() or ax.get_ylabel()
                    names = [line.get_label() for line in pair]
                    about = f"{where!r}: {names}, {difference:.0f} apart in {name}"
                    yield Fault("colours", about)


def seemingly_dashed(figure):
    """Yield solid lines that look dashed, since their filled markers have white edges."""
    for line in (line for ax in figure.axes for line in ax.lines):
        edge, face = to_rgb(line.get_markeredgecolor()), to_rgb(line.get_markerfacecolor())
        # A single point, such as a cluster's place, has a line style and no line.
        has_line = line.get_linestyle() == "-" and len(line.get_xdata()) > 1
        is_solid = has_line and line.get_marker() not in NO_MARKER
        if is_solid and edge == (1, 1, 1) != face:
            yield Fault("dashed", f"{line.get_label()!r} has white edges of markers")


def colour_of(line):
    """Return the colour of a line, or of the edges of its markers if no line is seen."""
    is_line = str(line.get_linestyle()) not in NO_MARKER and len(line.get_xydata()) > 1
    return to_rgb(line.get_color() if is_line else line.get_markeredgecolor())


def is_hairline(line):
    return line.get_linewidth() <= HAIRLINE and str(line.get_marker()) in NO_MARKER


def _is_separable(one, other):
    """Return True if a vertical or horizontal line separates two clouds of dots."""
    first, second = (np.asarray(line.get_xydata(), float) for line in (one, other))
    return bool((first.max(0) < second.min(0)).any() or (second.max(0) < first.min(0)).any())


def is_data(ax, line):
    """Return True if a line shows data: it is no guide across the axes, and not for a legend alone.

    matplotlib gives error bars a line that has neither dashes nor markers."""
    if str(line.get_linestyle()) in NO_MARKER and str(line.get_marker()) in NO_MARKER:
        return False
    in_data = all(line.get_transform().contains_branch_seperately(ax.transData))
    drawn = line.get_visible() and np.isfinite(np.asarray(line.get_xydata(), float)).all(1).any()
    return in_data and drawn and isinstance(line, Line2D)


def look_of(line):
    """Return how a line looks except for its colour. A line twice as thick looks different."""
    dashed = line.get_linestyle() not in ("None", "", " ")
    dashes = tuple(line._unscaled_dash_pattern[1] or ()) if dashed else DOTS
    marker = str(line.get_marker())
    fill = fill_of(line) if marker not in NO_MARKER else ""
    width = round(np.log2(max(line.get_linewidth(), 0.1))) if dashed else 0
    return dashes, "" if marker in NO_MARKER else marker, fill, width


def fill_of(line):
    """Return how markers are filled: open markers differ from filled ones."""
    face = line.get_markerfacecolor()
    is_open = isinstance(face, str) and face.lower() == "none"
    return "open" if is_open or not is_seen(face) else line.get_fillstyle()
