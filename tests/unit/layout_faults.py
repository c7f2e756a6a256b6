"""Find what is wrong with the layout of a drawn figure, in the figure itself: no picture of a
correct figure is stored."""

import re
from functools import cache
from itertools import combinations
from logging import WARNING, Handler, getLogger
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.mathtext import MathTextParser
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from repatlas.config.config import COLOURS, StyleSettings, read_config
from repatlas.config.load import load
from repatlas.named import named
from repatlas.plan.captions import caption
from repatlas.plan.places import Product
from repatlas.plan.plan import Plan
from repatlas.plots.style import LETTER, Style, applied, settle

ROOT = Path(__file__).parents[2]
SMALLEST_TYPE = 6.0
"""Points, the least that ICLR's readers want; powers and indices are smaller than their text."""
EDGE = 1.5
"""Points from the edge of the page, so that no printer cuts a letter."""
PAGE = 235 / 25.4
"""Inches that a page of text is high: A4 and letter, minus their margins."""
CAPTION_SIZE = 8.0
"""Points of the type of captions, whose lines are 1.2 of it apart, with half of it a character."""
LEAST_DIFFERENCE = 20.0
"""CIELAB units. Colours that differ by 2 can be distinguished side by side. Thin lines at a
distance need about ten times as much."""
FAINT = 30.0
"""CIELAB units from white. Texts may lie on lines that are as faint: guides, not data."""

UNEVEN = 0.5
"""Points by which panels of one row may differ."""
DOTS = "dots"
NO_MARKER = ("None", "", " ")
HAIRLINE = 0.5
"""Points, and no more."""

RANGES = {
    "CCGP": (0, 1),
    "Decoding": (0, 1),
    "accuracy": (0, 1),
    "Parallelism": (-1, 1),
    "Target alignment": (0, 1),
    "Input alignment": (0, 1),
    "Recall": (0, 1),
    "Share": (0, 1),
    "Mass": (0, 1),
    "SVCCA": (0, 1),
    "Correlation": (-1, 1),
    "Similarity": (0, 1),
}
"""By a word of a title or of a vertical axis: what the measure cannot leave."""
FREE = ("over untrained", "over\nthose", "differ", "gain", "points", "debiased", "less", "norm")
FREE += ("tanh \N{MINUS SIGN}", "minus")
"""Words of titles and axes whose numbers are made of several values of the measure."""


LEAST_WIDTH = next(
    limit.ge for limit in StyleSettings.model_fields["width"].metadata if hasattr(limit, "ge")
)
"""Inches, the least that a config may ask for."""


class Fault(NamedTuple):
    """kind: one of KINDS."""

    kind: str
    about: str


KINDS = ("text on text", "text on data", "edge", "type", "height", "legend", "range", "colours")
KINDS += ("still", "glyph", "minus", "rows", "limits", "letter")
HYPHEN_FOR_MINUS = re.compile(r"(?<![\w$])-(?=[\d.])|(?<=\s)-(?=\s)")


class Page(NamedTuple):
    """A figure after its layout. `still`: nothing moves if the layout is repeated."""

    study: str
    name: str
    style: Style
    figure: Figure
    still: bool

    def faults(self):
        """Return all faults. The figure stays as it is, so that several tests can share it."""
        with applied(self.style):
            found = faults(self.figure, caption_of(self.study, self.name))
        moves = [] if self.still else [Fault("still", "panels move each time it is laid out")]
        return [*moves, *found]


def page_of(study, figure, table, width=5.5, preview=False, step=None, name=None):
    """Return a figure of a study, which the module `figure` draws from a table, on its page.

    `name`: the figure whose caption it has, if that is another one."""
    style = Style(COLOURS, width, 7.0, preview, step)
    with applied(style):
        drawn = named(f"studies.{study}.figures.{figure}", "drawing").draw(table, style)
        return Page(study, name or figure, style, drawn, settle(drawn))


def faults_of(*of, **style):
    """Return all faults of a figure of a study, with the arguments of `page_of`."""
    return page_of(*of, **style).faults()


def caption_of(study, figure):
    """Return the text of a caption as a full run writes it."""
    return " ".join(str(caption(_plan(study), Product(study, figure))).split())


@cache
def _plan(study):
    """Return the plan of config.yaml, or of the study's own config if it is not among these."""
    loaded = load([ROOT / "config.yaml"])
    if study not in loaded.values["studies"]:
        loaded = load([ROOT / "config" / f"{study}.yaml"])
    return Plan(read_config(loaded.values, loaded.file, loaded.files), loaded.folder)


def faults(figure, caption=""):
    """Return all faults of a figure with its caption."""
    found = _Drawn(figure)
    return [
        *found.texts_on_texts(),
        *found.texts_on_data(),
        *found.texts_at_the_edge(),
        *found.letters_on_axes(),
        *found.small_type(),
        *found.missing_glyphs(),
        *found.hyphens_for_minus(),
        *found.legends_on_data(),
        *uneven_rows(figure),
        *unlike_limits(figure),
        *bands_beyond_the_range(figure),
        *alike_lines(figure),
        *seemingly_dashed(figure),
        *too_high(figure, caption),
    ]


def seemingly_dashed(figure):
    """Yield solid lines that look dashed, since their filled markers have white edges."""
    for line in (line for ax in figure.axes for line in ax.lines):
        edge, face = to_rgb(line.get_markeredgecolor()), to_rgb(line.get_markerfacecolor())
        # A single point, such as a cluster's place, has a line style and no line.
        has_line = line.get_linestyle() == "-" and len(line.get_xdata()) > 1
        is_solid = has_line and line.get_marker() not in NO_MARKER
        if is_solid and edge == (1, 1, 1) != face:
            yield Fault("dashed", f"{line.get_label()!r} has white edges of markers")


def signs_of(kind):
    """Return all characters of the fonts that texts with these properties may take."""
    paths = font_manager.fontManager._find_fonts_by_props(kind)
    return {"\n"}.union(*map(_signs, paths))


@cache
def _signs(path):
    return frozenset(map(chr, font_manager.get_font(path).get_charmap()))


class Said(Handler):
    """Keeps what is logged as a warning."""

    def __init__(self):
        super().__init__(WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


class _Drawn:
    """A figure with the places of all that a renderer was asked for."""

    def __init__(self, figure):
        self.figure, self.point = figure, figure.dpi / 72
        self.renderer = FigureCanvasAgg(figure).get_renderer()
        # Tick labels beyond the limits are artists, too, but are never drawn.
        drawn, draw = {}, Text.draw

        def spy(text, renderer, *rest, **named):
            if text.get_visible() and text.get_text().strip():
                drawn[id(text)] = text
            return draw(text, renderer, *rest, **named)

        with patch.object(Text, "draw", spy):
            figure.draw_without_rendering()
        self.texts = list(drawn.values())
        # The boxes hold the words alone: a note's own extent includes the line to what it names.
        self.boxes = {id(t): Text.get_window_extent(t, self.renderer) for t in self.texts}

    def texts_on_texts(self):
        for one, other in combinations(self.texts, 2):
            if self.boxes[id(one)].overlaps(self.boxes[id(other)]):
                both = _grown(self._ink(one)) & self._ink(other)
                if both.any():
                    yield Fault("text on text", f"{one.get_text()!r} on {other.get_text()!r}")

    def texts_on_data(self):
        for ax in self.figure.axes:
            box = ax.get_window_extent(self.renderer)
            legend = ax.get_legend()
            of_legend = set(map(id, legend.get_texts())) if legend else set()
            own = [t for t in self.texts if t.axes is ax and id(t) not in of_legend]
            for text in own:
                if text.get_bbox_patch() is not None:
                    continue  # its background box keeps it readable
                at = _inner(self.boxes[id(text)], text, self.point)
                if not at.overlaps(box):
                    continue
                for what in _marks(ax, at):
                    yield Fault("text on data", f"{text.get_text()!r} on {what}")

    def texts_at_the_edge(self):
        page = self.figure.bbox.padded(-EDGE * self.point)
        for text in self.texts:
            box = self.boxes[id(text)]
            if min(box.x0 - page.x0, box.y0 - page.y0, page.x1 - box.x1, page.y1 - box.y1) < 0:
                yield Fault("edge", repr(text.get_text()))

    def letters_on_axes(self):
        """Yield letters of panels that lie on the line of an axis."""
        letters = [text for text in self.texts if text.get_gid() == LETTER]
        lines = [
            spine.get_window_extent(self.renderer)
            for ax in self.figure.axes
            for spine in ax.spines.values()
            if ax.axison and spine.get_visible()
        ]
        for text in letters:
            if any(self.boxes[id(text)].overlaps(line) for line in lines):
                yield Fault("letter", f"{text.get_text()!r} on the line of an axis")

    def small_type(self):
        for text in self.texts:
            if text.get_size() < SMALLEST_TYPE - 1e-6:
                yield Fault("type", f"{text.get_text()!r}: {text.get_size():.1f} points")

    def missing_glyphs(self):
        """Yield characters that no font has, which readers would see as empty boxes."""
        MathTextParser._parse_cached.cache_clear()  # matplotlib warns of each formula only once
        said = Said()
        getLogger("matplotlib").addHandler(said)
        for text in self.texts:
            if "$" in text.get_text():
                text.draw(self.renderer)
            elif missing := sorted(set(text.get_text()) - signs_of(text.get_fontproperties())):
                yield Fault("glyph", f"{missing} in {text.get_text()!r}")
        getLogger("matplotlib").removeHandler(said)
        yield from (Fault("glyph", line) for line in dict.fromkeys(said.lines))

    def hyphens_for_minus(self):
        """Yield texts outside of formulas that have a hyphen where a minus sign belongs."""
        for text in self.texts:
            outside = re.sub(r"\$.*?\$", "", text.get_text())
            if HYPHEN_FOR_MINUS.search(outside):
                yield Fault("minus", repr(text.get_text()))

    def legends_on_data(self):
        for legend in self.figure.findobj(Legend):
            box = legend.get_window_extent(self.renderer)
            for ax in self.figure.axes:
                if ax.axison and ax.get_visible() and ax.get_window_extent().overlaps(box):
                    for what in _marks(ax, box):
                        names = ", ".join(text.get_text() for text in legend.get_texts())
                        yield Fault("legend", f"{names!r} on {what}")

    def _ink(self, text):
        self.renderer.clear()
        text.draw(self.renderer)
        return np.asarray(self.renderer.buffer_rgba())[..., 3] > 64


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
        if at is not None and _is_seen(line.get_color()) and _touches(line, at):
            yield f"a line of {ax.get_title() or ax.get_ylabel()!r}"
            return
    for each in [*ax.collections, *ax.patches]:
        if inside is not None and _covers(each, inside):
            yield f"a {type(each).__name__} of {ax.get_title() or ax.get_ylabel()!r}"
            return


def _is_seen(colour):
    return (
        np.linalg.norm(lab(np.array(to_rgb(colour))) - lab(np.ones(3))) > FAINT
        if not isinstance(colour, str) or colour.lower() != "none"
        else False
    )


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
        if not len(colours) or not any(_is_seen(tuple(colour[:3])) for colour in colours):
            return False
        to_page = each.get_transform()
        return any(
            to_page.transform_path(path).intersects_bbox(box, filled=filled)
            for path in each.get_paths()
            if len(path.vertices)
        )
    if isinstance(each, Rectangle):
        return _is_seen(each.get_facecolor()[:3]) and each.get_window_extent().overlaps(box)
    return False


def uneven_rows(figure):
    """Yield rows of a grid whose panels do not begin and end at one height."""
    rows = {}
    for ax in figure.axes:
        place = ax.get_subplotspec()
        if place is not None and ax.axison and ax.get_visible():
            span = place.rowspan
            row = rows.setdefault((id(place.get_gridspec()), span.start, span.stop), [])
            row.append(ax.get_window_extent())
    for boxes in rows.values():
        for end in ("y0", "y1"):
            places = [getattr(box, end) * 72 / figure.dpi for box in boxes]
            if np.ptp(places) > UNEVEN:
                side = "bottom" if end == "y0" else "top"
                yield Fault("rows", f"{np.ptp(places):.1f} points between panels at the {side}")


def unlike_limits(figure):
    """Yield measures whose panels have different scales: one height means several numbers.

    A panel's title names its measure, or else its vertical axis does."""
    scales = {}
    for ax in figure.axes:
        said = ax.get_title() if _measures(ax.get_title()) else ax.get_ylabel()
        is_panel = ax.axison and ax.get_label() != "<colorbar>"
        if is_panel and _measures(said) and not _is_free(said):
            scales.setdefault(said, []).append(np.sort(ax.get_ylim()))
    for said, limits in scales.items():
        if np.ptp(limits, axis=0).max() > 1e-6 * np.ptp(limits):
            ends = ", ".join(f"{low:.2f} to {high:.2f}" for low, high in limits)
            yield Fault("limits", f"{said!r}: {ends}")


def _measures(said):
    return [limit for word, limit in RANGES.items() if word.lower() in said.lower()]


def _is_free(said):
    return any(word in said.lower() for word in FREE)


def bands_beyond_the_range(figure):
    """Yield bands and error bars that leave the range of their measure."""
    for ax in figure.axes:
        said = f"{ax.get_title()} {ax.get_ylabel()}"
        limits = _measures(said)
        if not limits or _is_free(said):
            continue
        low, high = min(limit[0] for limit in limits), max(limit[1] for limit in limits)
        for each in ax.collections:
            if isinstance(each, (PolyCollection, LineCollection)):
                ends = [path.vertices[:, 1] for path in each.get_paths() if len(path.vertices)]
                if all(np.ptp(heights) == 0 for heights in ends):
                    continue  # the measure is the horizontal axis
                ends = np.concatenate(ends)
                ends = ends[np.isfinite(ends)]
                if len(ends) and (ends.min() < low - 1e-6 or ends.max() > high + 1e-6):
                    yield Fault("range", f"{said.strip()!r}: {ends.min():.3f} to {ends.max():.3f}")
                    break


def alike_lines(figure):
    """Yield pairs of lines of one panel that some readers cannot distinguish.

    These are pairs that differ in colour alone, and whose colours are close in deuteranopia, in
    protanopia or printed in grey. Dashes, markers, widths and a text in the line's colour also
    distinguish lines, and positions distinguish dots that no line joins. Hairlines, which are
    networks of one kind, are compared only if their colour has no other line."""
    for ax in figure.axes:
        labelled = {to_rgb(text.get_color()) for text in ax.texts if text.get_text().strip()}
        lines = [line for line in ax.lines if _is_data(ax, line)]
        bold = {_colour(line) for line in lines if not _is_hairline(line)}
        looks = {}
        for line in lines:
            colour = _colour(line)
            if colour not in labelled and not (_is_hairline(line) and colour in bold):
                looks.setdefault(_look(line), {}).setdefault(colour, line)
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


def hardest_to_tell(one, other):
    """Return the sight in which two colours are closest, and their distance there."""
    found = {
        name: float(np.linalg.norm(lab(seen(one)) - lab(seen(other))))
        for name, seen in SIGHTS.items()
    }
    return min(found.items(), key=lambda pair: pair[1])


def _colour(line):
    """Return the colour of a line, or of the edges of its markers if no line is seen."""
    is_line = str(line.get_linestyle()) not in NO_MARKER and len(line.get_xydata()) > 1
    return to_rgb(line.get_color() if is_line else line.get_markeredgecolor())


def _is_hairline(line):
    return line.get_linewidth() <= HAIRLINE and str(line.get_marker()) in NO_MARKER


def _is_separable(one, other):
    """Return True if a vertical or horizontal line separates two clouds of dots."""
    first, second = (np.asarray(line.get_xydata(), float) for line in (one, other))
    return bool((first.max(0) < second.min(0)).any() or (second.max(0) < first.min(0)).any())


def _is_data(ax, line):
    """Return True if a line shows data: it is no guide across the axes, and not for a legend alone.

    matplotlib gives error bars a line that has neither dashes nor markers."""
    if str(line.get_linestyle()) in NO_MARKER and str(line.get_marker()) in NO_MARKER:
        return False
    in_data = all(line.get_transform().contains_branch_seperately(ax.transData))
    drawn = line.get_visible() and np.isfinite(np.asarray(line.get_xydata(), float)).all(1).any()
    return in_data and drawn and isinstance(line, Line2D)


def _look(line):
    """Return how a line looks except for its colour. A line twice as thick looks different."""
    dashed = line.get_linestyle() not in ("None", "", " ")
    dashes = tuple(line._unscaled_dash_pattern[1] or ()) if dashed else DOTS
    marker = str(line.get_marker())
    fill = _fill(line) if marker not in NO_MARKER else ""
    width = round(np.log2(max(line.get_linewidth(), 0.1))) if dashed else 0
    return dashes, "" if marker in NO_MARKER else marker, fill, width


def _fill(line):
    """Return how markers are filled: open markers differ from filled ones."""
    face = line.get_markerfacecolor()
    is_open = isinstance(face, str) and face.lower() == "none"
    return "open" if is_open or not _is_seen(face) else line.get_fillstyle()


def too_high(figure, caption):
    """Yield a fault if a figure does not fit on a page with its caption, which is as wide."""
    width, height = figure.get_size_inches()
    lines = np.ceil(len(caption) * 0.5 * CAPTION_SIZE / (72 * width))
    below = lines * 1.2 * CAPTION_SIZE / 72
    if height + below > PAGE + 1e-6:
        yield Fault("height", f"{height:.1f} inches and {below:.1f} of caption on {PAGE:.1f}")


def lab(rgb):
    """Return the CIELAB values of an sRGB colour, (3,) from 0 to 1, under D65."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ _linear(np.asarray(rgb, float)) / [0.95047, 1, 1.08883]
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def _linear(rgb):
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _gamma(linear):
    linear = np.clip(linear, 0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def _without(cones):
    """Return how colours look without one type of cones.

    The matrices have severity 1 in Machado, Oliveira and Fernandes (2009)."""
    matrix = np.array(cones)
    return lambda rgb: _gamma(matrix @ _linear(np.asarray(rgb, float)))


def _grey(rgb):
    return np.full(3, _gamma(np.array([0.2126, 0.7152, 0.0722]) @ _linear(np.asarray(rgb, float))))


SIGHTS = {
    "deuteranopia": _without(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
    "protanopia": _without(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "grey": _grey,
}  # fmt: skip
"""How colours are seen."""
