"""The values that a figure draws and their positions, for pages that show them at the pointer."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.ticker import FuncFormatter

APART = 0.012
"""The least distance between positions of one line, as a fraction of the figure's width."""
NETWORK = 0.5
"""Points. Lines without markers that are no wider are single networks."""
LETTERS = {"Delta": "Δ", "delta": "δ", "lambda": "λ", "sigma": "\N{GREEK SMALL LETTER SIGMA}"}


def drawn_values(figure: Any) -> list[dict[str, Any]]:
    """Return the lines, dots and maps of a figure that have a label, after its layout.
    Single networks and guides over a whole panel have none.

    Each is a dictionary of panel, name, axes and places. The axes are the label of the horizontal
    axis and, for a map, of the vertical one. A place is a list: two fractions, the positions on
    these axes as texts, the value, and the ends of its interval, if it has one. The fractions are
    of the figure's width from the left and of its height from the top.
    """
    found = []
    for ax in figure.axes:
        title = plain(ax.get_title() or ax.get_ylabel())
        # The label of dots with bars is the label of both.
        labels = {each[0]: each.get_label() for each in ax.containers if each[0] in {*ax.lines}}
        for artist in [*ax.lines, *(each for each in ax.collections if isinstance(each, QuadMesh))]:
            name = str(labels.get(artist) or artist.get_label())
            if name.startswith("_"):
                continue
            is_map = isinstance(artist, QuadMesh)
            places = list(_cells(ax, artist) if is_map else _points(ax, artist))
            # A label with a colon names its panel, too.
            panel = "" if ":" in name else title
            axes = [_label_of(ax, which) for which in ("xy" if is_map else "x")]
            found.append({"panel": panel, "name": plain(name), "axes": axes, "places": places})
    return [each for each in found if each["places"]]


def plain(text: str) -> str:
    """Return a label without the signs of mathematical type.

    >>> plain(r"Third input $\\Delta$")
    'Third input Δ'
    >>> plain(r"CCGP, $\\delta_\\mathrm{test}=1$, $\\delta^2$")
    'CCGP, δ_test=1, δ²'
    """
    text = re.sub(r"\\([A-Za-z]+)", lambda found: LETTERS.get(found[1], ""), text)
    return " ".join(re.sub(r"[$\\{}]", "", text).replace("^2", "²").split())


def _points(ax: Any, line: Any) -> Iterator[list[Any]]:
    x, y = (np.asarray(values, float) for values in line.get_data())
    is_network = line.get_marker() in ("", "None") and line.get_linewidth() <= NETWORK
    if is_network or not all(line.get_transform().contains_branch_seperately(ax.transData)):
        return
    spans, last = _spans(ax, line), -1.0
    for at, value in zip(x, y, strict=True):
        place = _place(ax, line.get_transform(), at, value)
        if place and abs(place[0] - last) >= APART * (line.get_linestyle() != "None"):
            last = place[0]
            yield [*place, [_name_of(ax.xaxis, at)], *map(_short, [value, *spans.get(at, ())])]


def _spans(ax: Any, line: Any) -> dict[float, tuple[float, float]]:
    """Return the ends of the bar or band over each x, of bars and bands in the colour of the line;
    a black line has grey bands."""
    colour, found = to_rgb(line.get_color()), {}
    for each in ax.collections:
        is_bar = isinstance(each, LineCollection)
        colours = each.get_edgecolor() if is_bar else each.get_facecolor()
        if not len(colours) or isinstance(each, QuadMesh):
            continue
        is_grey = not any(colour) and len(set(colours[0][:3])) == 1
        if not is_grey and not np.allclose(colours[0][:3], colour):
            continue
        paths = [path.vertices for path in each.get_paths() if len(path.vertices)]
        corners = np.concatenate(paths or [np.empty((0, 2))])
        for x, y in zip(*line.get_data(), strict=True):
            ends = corners[corners[:, 0] == x, 1]
            if len(ends) > 1 and ends.min() <= y <= ends.max():
                found[x] = (ends.min(), ends.max())
    return found


def _cells(ax: Any, cells: QuadMesh) -> Iterator[list[Any]]:
    corners = cells.get_coordinates()
    middles = (corners[:-1, :-1] + corners[1:, 1:]) / 2
    values = np.ma.masked_invalid(cells.get_array()).reshape(middles.shape[:2])
    for (x, y), value in zip(middles.reshape(-1, 2), values.ravel(), strict=True):
        place = _place(ax, ax.transData, x, y)
        if place and value is not np.ma.masked:
            yield [*place, [_name_of(ax.xaxis, x), _name_of(ax.yaxis, y)], _short(value)]


def _place(ax: Any, transform: Any, x: float, y: float) -> list[float]:
    """Return the position of a point as fractions of the figure; none if it is outside of the
    panel."""
    pixels = transform.transform((x, y))
    if not np.isfinite(pixels).all() or not ax.bbox.padded(1).contains(*pixels):
        return []
    width, height = ax.get_figure(root=True).bbox.size
    return [round(float(pixels[0] / width), 4), round(float(1 - pixels[1] / height), 4)]


def _label_of(ax: Any, which: str) -> str:
    """Return the label of an axis, which may be the label of the whole part of the figure, or be at
    a panel that shares the axis."""
    part = ax.get_figure()
    sharing = getattr(ax, f"get_shared_{which}_axes")().get_siblings(ax)
    labels = [getattr(each, f"get_{which}label")() for each in (ax, *sharing)]
    if part is not ax.get_figure(root=True):  # there it is the line under the figure
        labels.insert(0, getattr(part, f"get_sup{which}label")())
    return plain(next(filter(None, labels), ""))


def _name_of(axis: Any, at: float) -> str:
    """Return a position as its axis names it, or as a number."""
    form = axis.get_major_formatter()
    named = plain(form(at)) if isinstance(form, FuncFormatter) else ""
    return named or f"{at:.4g}"


def _short(value: Any) -> float:
    return float(f"{float(value):.4g}")
