"""What a figure may hold, so that it says one thing: found in the drawn figure itself."""

import re
from typing import NamedTuple

import numpy as np
from looks_of_lines import NO_MARKER, colour_of, fill_of, is_data, is_hairline, look_of
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.figure import SubFigure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from scales_of_measures import is_free
from seen_colours import is_seen

from repatlas.config.config import COLOURS

MOST_PANELS = 6
MOST_LINES = 4
LEAST_SHARE = 0.25
"""The largest panel has this fraction of the page, with its labels and without the line under the
figure."""
LEGEND = re.compile(
    r"(?i)\b(?:dash(?:es|ed)|dotted|diamonds?|rings?|circles?|cross(?:es)?|shading)\b"
)
GUIDE = 0.8
"""Points: grey or black lines without markers that are no wider are guides."""


class Budget(NamedTuple):
    """The size of one figure, to compare with the limits."""

    panels: int
    """Panels with scales; all pictures of one part of the figure, which have none, are one panel,
    and a strip of differences belongs to the panel above it"""
    lines: int
    """The most lines that differ in looks in one panel; hairlines, single networks, do not count"""
    share: float
    """The fraction of the page that the largest panel has, with its labels"""


def budget_of(figure):
    figure.draw_without_rendering()
    shown = [ax for ax in figure.axes if ax.get_visible() and ax.get_label() != "<colorbar>"]
    scaled = [ax for ax in shown if _has_scale(ax)]
    highest = max((ax.get_window_extent().height for ax in scaled), default=0)
    panels = [ax for ax in scaled if not _is_strip(ax, highest)]
    pictures = {_part(ax) for ax in shown if ax not in scaled and ax.has_data()}
    renderer = figure.canvas.get_renderer()
    note = figure._supxlabel.get_window_extent(renderer).height if figure._supxlabel else 0
    page = figure.bbox.width * (figure.bbox.height - note)
    boxes = [ax.get_tightbbox(renderer) for ax in shown if ax not in scaled or ax in panels]
    strips = [ax for ax in scaled if ax not in panels]
    boxes = [_with_strip(box, [ax.get_tightbbox(renderer) for ax in strips]) for box in boxes]
    return Budget(
        len(panels) + len(pictures),
        max((len(_looks(ax)) for ax in panels), default=0),
        float(max((box.width * box.height / page for box in boxes), default=0)),
    )


def over_budget(budget):
    return {
        name
        for name, exceeds in {
            "panels": budget.panels > MOST_PANELS,
            "lines": budget.lines > MOST_LINES,
            "share": budget.share < LEAST_SHARE,
        }.items()
        if exceeds
    }


def words_of_a_legend(figure):
    """Return the words for looks in the line under a figure, which belong into its panels."""
    return LEGEND.findall(figure.get_supxlabel())


def _has_scale(ax):
    """Return True if axes have a scale of numbers. Drawings, matrices and heat maps have none."""
    is_map = ax.images or any(isinstance(each, QuadMesh) for each in ax.collections)
    return ax.axison and bool(len(ax.get_xticks()) and len(ax.get_yticks())) and not is_map


def _is_strip(ax, highest):
    """Return True if axes are a strip of differences, which is low and has black lines."""
    low = ax.get_window_extent().height < 0.45 * highest
    curves = [line for line in ax.lines if is_data(ax, line) and len(line.get_xdata()) > 1]
    colours = {colour_of(line) for line in curves}
    return low and colours == {(0, 0, 0)}


def _with_strip(box, strips):
    """Return the box that holds a panel and the strip below it, if it has one."""
    below = [strip for strip in strips if strip.y0 < box.y0 and _is_below(strip, box)]
    return Bbox.union([box, max(below, key=lambda strip: strip.y0)]) if below else box


def _is_below(strip, box):
    """Return True if most of a strip is below a panel and next to it."""
    overlap = min(strip.x1, box.x1) - max(strip.x0, box.x0)
    return overlap > 0.8 * strip.width and box.y0 - strip.y1 < 0.5 * box.height


def _part(ax):
    """Return the part of the figure that has a letter."""
    part = ax.get_figure(root=False)
    while isinstance(part, SubFigure) and not part.texts and part.figure is not part._parent:
        part = part._parent
    return id(part)


def _looks(ax):
    """Return how the lines of data look. Dots, single networks and guides, which are thin and grey
    or black, do not count."""
    lines = [line for line in ax.lines if is_data(ax, line) and not is_hairline(line)]
    lines = [line for line in lines if line.get_linestyle() not in NO_MARKER]
    lines = [line for line in lines if len(line.get_xdata()) > 1 and is_seen(line.get_color())]
    return {
        (look_of(line), tuple(np.round(colour_of(line), 3)))
        for line in lines
        if not _is_guide(line)
    }


def _is_guide(line):
    red, green, blue = colour_of(line)
    plain = str(line.get_marker()) in NO_MARKER and line.get_linewidth() <= GUIDE
    return plain and red == green == blue


DECODED = ("CCGP", "Decoding")
DIFFERENCE = "Tanh \N{MINUS SIGN}"
VARIES = 0.005
"""Measures between 0 and 1 that vary by less are constant."""


def panels_without_chance(figure):
    """Return the titles of panels of decoders that do not draw chance, all of them if no text
    names it. Panels of differences have no chance."""
    shown = [ax for ax in figure.axes if _has_scale(ax) and ax.has_data()]
    decoded = [ax for ax in shown if any(word in ax.get_title() for word in DECODED)]
    decoded = [ax for ax in decoded if DIFFERENCE not in ax.get_xlabel() + ax.get_ylabel()]
    is_named = any("chance" in text.get_text() for text in figure.findobj(Text))
    return [ax.get_title() for ax in decoded if not (is_named and _draws_chance(ax))]


def _draws_chance(ax):
    heights = (np.asarray(line.get_ydata(), float) for line in ax.lines)
    return any(len(y) and np.allclose(y, 0.5) for y in heights)


def constant_panels(figure):
    """Return the titles of panels whose lines are all one constant."""
    found = []
    for ax in (ax for ax in figure.axes if _has_scale(ax) and not is_free(ax.get_ylabel())):
        lines = [line for line in ax.lines if is_data(ax, line) and not _is_guide(line)]
        lines = [
            np.asarray(line.get_ydata(), float) for line in lines if line.get_linestyle() != "None"
        ]
        lines = [y[np.isfinite(y)] for y in lines if len(y) > 1]
        if len(lines) > 1 and np.ptp(np.concatenate(lines)) < VARIES:
            found.append(ax.get_title() or ax.get_ylabel())
    return found


SMALLEST_MARKER = 2.5
"""Points. Single networks and neurons, and curves of layers and times, have smaller markers."""
LOOKS = {"tanh": ("o", True), "relu": ("s", False)}
"""The marker of each activation, and whether it is filled."""


def markers_of_another_activation(figure):
    """Return activation, marker and panel of circles and squares that have the colour of an
    activation, but not its look: filled circles for tanh, open squares for ReLU."""
    names = {to_rgb(COLOURS[name]): name for name in LOOKS}
    found = []
    for ax in figure.axes:
        for line in ax.lines:
            name, marker = names.get(to_rgb(line.get_color())), str(line.get_marker())
            if not name or marker not in "os" or line.get_markersize() < SMALLEST_MARKER:
                continue
            if (marker, fill_of(line) != "open") != LOOKS[name]:
                found.append((name, marker, ax.get_title()))
    return found


PAPER = "the paper's figure has these panels, by which its readers recognise it"
EXCEPTIONS = {
    "structure": {
        "fig01": ({"panels"}, PAPER),
        "fig02": ({"panels"}, PAPER),
        "fig03": (
            {"share"},
            "the paper's figure is a grid of maps of one size, which are compared",
        ),
        "fig04": (
            {"panels", "share"},
            "the paper's figure compares three measures in six tasks, on one scale",
        ),
        "fig06": (
            {"lines", "share"},
            "the paper's figure compares five activations in three tasks",
        ),
        "fig07C": ({"panels"}, PAPER),
        "fig09": ({"share"}, "the paper's figure compares four drawings, which have one size"),
        "fig10": ({"panels"}, PAPER),
        "figS3": ({"panels"}, "claims are about six tasks, and separable inputs are the seventh"),
    },
    "gating": {
        "figS5": (
            {"lines"},
            "five networks, of two activations and three scales, are the comparison",
        ),
    },
    "law": {},
    "theories": {},
    "convergence": {
        "figC6": ({"lines"}, "each class has a curve, and similar classes have one hue"),
        "figC7": ({"lines"}, "the paper's figure has these five curves in panel C"),
    },
}
"""By study and figure: what it exceeds, and why. Take a figure out
once it keeps the budget, and add none."""


def over_budget_beside_the_exceptions(study, name, figure):
    """Return the limits that a figure exceeds and that are no known exception."""
    known, _ = EXCEPTIONS[study].get(name, (set(), ""))
    return over_budget(budget_of(figure)) - known
