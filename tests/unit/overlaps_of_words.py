"""Texts and legends that lie on another text, on data, on an axis or at the edge."""

from itertools import combinations

import numpy as np
from fault import Fault
from looks_of_lines import NO_MARKER
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.legend import Legend
from matplotlib.patches import Rectangle
from matplotlib.transforms import Bbox
from seen_colours import is_seen

from repatlas.plots.style import LETTER

EDGE = 1.5
"""Points from the edge of the page, so that no printer cuts a letter."""


def texts_on_texts(drawn):
    for one, other in combinations(drawn.texts, 2):
        if drawn.boxes[id(one)].overlaps(drawn.boxes[id(other)]):
            both = _grown(drawn.ink(one)) & drawn.ink(other)
            if both.any():
                yield Fault("text on text", f"{one.get_text()!r} on {other.get_text()!r}")


def texts_on_data(drawn):
    for ax in drawn.figure.axes:
        box = ax.get_window_extent(drawn.renderer)
        legend = ax.get_legend()
        of_legend = set(map(id, legend.get_texts())) if legend else set()
        own = [t for t in drawn.texts if t.axes is ax and id(t) not in of_legend]
        for text in own:
            if text.get_bbox_patch() is not None:
                continue  # its background box keeps it readable
            at = _inner(drawn.boxes[id(text)], text, drawn.point)
            if not at.overlaps(box):
                continue
            for what in _marks(ax, at):
                yield Fault("text on data", f"{text.get_text()!r} on {what}")


def texts_at_the_edge(drawn):
    page = drawn.figure.bbox.padded(-EDGE * drawn.point)
    for text in drawn.texts:
        box = drawn.boxes[id(text)]
        if min(box.x0 - page.x0, box.y0 - page.y0, page.x1 - box.x1, page.y1 - box.y1) < 0:
            yield Fault("edge", repr(text.get_text()))


def letters_on_axes(drawn):
    """Yield letters of panels that lie on the line of an axis."""
    letters = [text for text in drawn.texts if text.get_gid() == LETTER]
    lines = [
        spine.get_window_extent(drawn.renderer)
        for ax in drawn.figure.axes
        for spine in ax.spines.values()
        if ax.axison and spine.get_visible()
    ]
    for text in letters:
        if any(drawn.boxes[id(text)].overlaps(line) for line in lines):
            yield Fault("letter", f"{text.get_text()!r} on the line of an axis")


def legends_on_data(drawn):
    for legend in drawn.figure.findobj(Legend):
        box = legend.get_window_extent(drawn.renderer)
        for ax in drawn.figure.axes:
            if ax.axison and ax.get_visible() and ax.get_window_extent().overlaps(box):
                for what in _marks(ax, box):
                    names = ", ".join(text.get_text() for text in legend.get_texts())
                    yield Fault("legend", f"{names!r} on {what}")


def _grown(mask):
    """Return a mask that is larger by one pixel on each side."""
    grown = mask.copy()
    for axis in (0, 1):
        for step in (-1, 1):
            grown |= np.roll(mask, step, axis)
    return grown


def _inner(box, text, point):
    """Return the box of a text without the space above and below its letters."""
    height = 0.15 * text.get_size() * point
    across = text.get_rotation() % 180 == 90
    dx, dy = (height, 0.5 * point) if across else (0.5 * point, height)
    return Bbox([[box.x0 + dx, box.y0 + dy], [box.x1 - dx, box.y1 - dy]])


def _marks(ax, box):
    """Name the first data drawn in a box on the page: a line, dots, a band or bars."""
    if not ax.get_visible():
        return
    inside = Bbox.intersection(box, ax.bbox)
    for line in ax.lines:
        at = inside if line.get_clip_on() else box
        if at is not None and is_seen(line.get_color()) and _touches(line, at):
            yield f"a line of {ax.get_title() or ax.get_ylabel()!r}"
            return
    for each in [*ax.collections, *ax.patches]:
        if inside is not None and _covers(each, inside):
            yield f"a {type(each).__name__} of {ax.get_title() or ax.get_ylabel()!r}"
            return


def _touches(line, box):
    if not line.get_visible():
        return False
    path = line.get_transform().transform_path(line.get_path())
    joined = str(line.get_linestyle()) not in NO_MARKER and len(path.vertices)
    if joined and path.cleaned().intersects_bbox(box, filled=False):
        return True
    if str(line.get_marker()) in NO_MARKER:
        return False
    radius = line.get_markersize() / 2 * line.get_figure(root=True).dpi / 72
    places = path.vertices[np.isfinite(path.vertices).all(axis=1)]
    near = box.padded(radius)
    return bool(len(places)) and bool(
        ((places >= near.min) & (places <= near.max)).all(axis=1).any()
    )


def _covers(each, box):
    if not each.get_visible():
        return False
    if isinstance(each, PathCollection):
        places = each.get_offset_transform().transform(each.get_offsets())
        return bool(((places >= box.min) & (places <= box.max)).all(axis=1).any())
    if isinstance(each, (LineCollection, PolyCollection)):
        filled = isinstance(each, PolyCollection)
        colours = each.get_facecolor() if filled else each.get_edgecolor()
        if not len(colours) or not any(is_seen(tuple(colour[:3])) for colour in colours):
            return False
        to_page = each.get_transform()
        return any(
            to_page.transform_path(path).intersects_bbox(box, filled=filled)
            for path in each.get_paths()
            if len(path.vertices)
        )
    if isinstance(each, Rectangle):
        return is_seen(each.get_facecolor()[:3]) and each.get_window_extent().overlaps(box)
    return False
