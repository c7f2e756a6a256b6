"""Read what a drawn figure says in words, and find panels that show nothing."""

import re
import warnings

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import FillBetweenPolyCollection, LineCollection, PathCollection
from matplotlib.text import Text

NO_VALUE = re.compile(r"\b(nan|NaN|None(?! frozen)|<NA>|inf)\b")
"""What a text prints of a number that is not there."""
PROMISE = re.compile(r"with (?:its )?95 % interval")
CLAIM = re.compile(r"95 %|(?:its|the) interval|with SD|and SD(?! over the \d+ neurons)")
"""What a line under a figure says of intervals or standard deviations over networks."""


def render(figure):
    """Draw a figure as for a file: a warning on the way is an error."""
    FigureCanvasAgg(figure)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure.draw_without_rendering()


def texts_of(figure):
    """Return every text of a figure except for the numbers at ticks."""
    ticks = {
        id(label)
        for ax in figure.axes
        for axis in (ax.xaxis, ax.yaxis)
        for label in (*axis.get_ticklabels(), axis.get_offset_text())
    }
    texts = [t for t in figure.findobj(Text) if t.get_visible() and id(t) not in ticks]
    return [" ".join(text.get_text().split()) for text in texts if text.get_text()]


def empty_panels(figure):
    """Return the names of panels that have neither data in view nor a word."""
    return [
        ax.get_title() or ax.get_ylabel() or "a panel without a name"
        for ax in figure.axes
        if ax.axison and not any(text.get_text() for text in ax.texts) and not shows_something(ax)
    ]


def shows_something(ax):
    """Return True if a panel has data in view.

    Lines across the panel, lines of one point, which nobody can see, and entries for the legend are
    no data."""
    (left, right), (bottom, top) = ax.get_xlim(), np.sort(ax.get_ylim())

    def seen(line):
        x, y = np.asarray(line.get_xydata(), float).reshape(-1, 2).T
        return (left <= x) & (x <= right) & (bottom <= y) & (y <= top)

    lines = any(
        all(line.get_transform().contains_branch_seperately(ax.transData))
        and seen(line).sum() >= (2 if line.get_marker() in ("", "None", None) else 1)
        for line in ax.lines
    )
    dots = any(
        line.get_marker() not in ("", "None", None)
        and ax.bbox.padded(1).count_contains(line.get_transform().transform(line.get_xydata()))
        for line in ax.lines
        if len(line.get_xydata())
    )
    clouds = any(
        len(c.get_offsets())
        if isinstance(c, PathCollection)
        else any(np.ptp(path.vertices, axis=0).max() > 0 for path in c.get_paths())
        for c in ax.collections
    )
    return lines or dots or clouds or bool(ax.images) or any(p.get_path() for p in ax.patches)


def spreads(figure):
    """Return the names of panels that show an interval or a standard deviation: a bar or a band
    whose two ends differ."""
    return [
        ax.get_title() or ax.get_ylabel() or "a panel without a name"
        for ax in figure.axes
        if any(map(_has_ends_apart, ax.collections))
    ]


def _has_ends_apart(drawn):
    paths = [path.vertices for path in drawn.get_paths()]
    if isinstance(drawn, LineCollection):
        return any(np.ptp(bar, axis=0).max() > 1e-12 for bar in paths)
    if isinstance(drawn, FillBetweenPolyCollection):
        at_one_place = (band[band[:, 0] == x, 1] for band in paths for x in band[:, 0])
        return any(np.ptp(ends) > 1e-12 for ends in at_one_place)
    return False
