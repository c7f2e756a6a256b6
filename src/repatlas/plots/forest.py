"""A forest plot: statements below one another, each with what was found of it and its verdict."""

import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.plots.style import CHARACTER, GREY, Style, note_under

AGAINST = "#7A0177"
"""The colour of what is contradicted. It belongs to no activation and no class."""
LOOKS: dict[str, dict[str, Any]] = {
    "supported": {"marker": "o", "color": "black"},
    "contradicted": {"marker": "X", "color": AGAINST},
    "undecided": {"marker": "o", "color": "0.3", "markerfacecolor": "white"},
    "too few networks": {"marker": "^", "color": "0.3", "markerfacecolor": "white"},
    "not judged": {"marker": "_", "color": "0.3"},
    "judged on other settings": {"marker": "D", "color": "0.3", "markerfacecolor": "white"},
    "no number in the words": {"marker": "s", "color": "0.3", "markerfacecolor": "white"},
    "exact fact": {"marker": "$=$", "color": "0.3"},
}
"""The mark of each verdict; its shape and its colour distinguish it."""
END = 100.0
"""The scale ends here, on both sides; what lies beyond is an arrow."""
TICKS = (-END, -1, 0, 1, END)
# Lengths in ems, so that columns fit their texts in type of any size.
WIDTH = 66.0
"""The least width of the figure; in type of 6 points it is the width of the paper's text."""
SAYS, SCALE, VALUE, LIMIT, ALONE, CORRECTED = 3.6, -35.5, -12.4, -11.6, -6.0, -2.3
"""The places of the columns from the left, or if negative from the right. The numbers of the
claims end before `SAYS`, and the scale, which is `SCALE_WIDTH` wide, starts at `SCALE`."""
SCALE_WIDTH = 8.0
NUMBER, NUMBER_WIDTH = -7.2, 20.3
"""Where the words on what a value is end, and how wide they are."""
LETTER = 0.47
"""The width of a letter of a statement, a bit above the mean"""
LINE = 1.18
"""From one line to the next"""
GAP = 0.2
"""Between two statements, in lines."""
SHADE = "0.93"
"""The shade of every other row. Lighter shades become white in pictures of few colours."""


class Found(NamedTuple):
    """How far beyond its limit a check is, on the side that is expected, in half-lengths of its
    interval; with the ends of the interval. Infinite where all networks are alike."""

    beyond: float
    low: float
    high: float


class Statement(NamedTuple):
    name: str
    says: str
    quiet: bool
    """Whether it stands back: it is not the paper's."""
    main: Found | None
    """The check that stands for it, if there is one with an interval"""
    others: tuple[Found, ...]
    number: str
    """What the value is; empty if the file does not say"""
    value: str
    limit: str
    verdict: str
    corrected: str


def draw_forest(statements: Sequence[Statement], style: Style, note: str) -> Figure:
    """Return a figure of the statements from top to bottom.

    It is as wide as the style says, or wider if its columns need it.
    """
    em = (style.font_size - 1) / 72
    width = max(style.width, WIDTH * em) / em
    letters = int((width + SCALE - SAYS) / LETTER)
    texts = [textwrap.wrap(each.says, letters) for each in statements]
    numbers = [textwrap.wrap(each.number, int(NUMBER_WIDTH / CHARACTER)) for each in statements]
    heights = [max(len(t), 1 + len(n)) for t, n in zip(texts, numbers, strict=True)]
    ends = np.cumsum([0.0, *(count + GAP for count in heights)])
    notes = int(len(note) * CHARACTER / width) + 1
    below, above = (notes + 4.5) * LINE, 4.6 * LINE
    height = ends[-1] * LINE + below + above
    figure = Figure(figsize=(width * em, height * em), layout="constrained")
    figure.set_layout_engine("none")  # each column has its place
    rows = (below / height, ends[-1] * LINE / height)
    page = _column(figure, 0, width, width, rows, ends[-1])
    page.axis("off")
    ax = _column(figure, width + SCALE, SCALE_WIDTH, width, rows, ends[-1])
    ax.patch.set_visible(False)
    _set_scale(ax)
    for row, each in enumerate(statements):
        top, bottom = ends[row : row + 2]
        if row % 2 == 0:
            page.axhspan(top, bottom, color=SHADE, linewidth=0)
        middle = (top + bottom) / 2
        _write(page, each, "\n".join(texts[row]), numbers[row], middle, width, style)
        _draw_checks(ax, each, middle)
    _name_columns(page, ax, width, style)
    handles = [
        Line2D([], [], linestyle="", markersize=4, label=f"{count} {verdict}", **LOOKS[verdict])
        for verdict, count in counts(statements).items()
    ]
    top = 1 - 0.3 * LINE / height
    place = {"loc": "upper left", "bbox_to_anchor": (0.005, top), "borderaxespad": 0}
    figure.legend(
        handles=handles, ncols=len(LOOKS), handletextpad=0, columnspacing=1.2, borderpad=0, **place
    )
    note_under(figure, style._replace(width=width * em), note)
    return figure


def counts(statements: Sequence[Statement]) -> dict[str, int]:
    """Return how many statements have which verdict, of the verdicts that the figure has."""
    alone = [each.verdict for each in statements]
    present = {*alone, *(each.corrected for each in statements)}
    return {verdict: alone.count(verdict) for verdict in LOOKS if verdict in present}


def _column(
    figure: Figure, start: float, wide: float, width: float, rows: tuple, last: float
) -> Axes:
    ax = figure.add_axes((start / width, rows[0], wide / width, rows[1]))
    ax.set(xlim=(0, wide), ylim=(last, 0))
    return ax


def _write(
    page: Axes, each: Statement, says: str, number: list[str], y: float, width: float, style: Style
) -> None:
    """Write a statement, and to the right its value with the lines on what the value is below."""
    small: dict[str, Any] = {"size": style.font_size - 1, "va": "center"}
    colour = GREY if each.quiet else "black"
    page.text(SAYS - 0.5, y, each.name, ha="right", color=colour, **small)
    page.text(SAYS, y, says, linespacing=1.05, color=colour, **small)
    first = y - len(number) / 2
    page.text(width + VALUE, first, each.value, ha="right", **small)
    page.text(width + LIMIT, first, each.limit, color=GREY, **small)
    if number:
        page.text(width + NUMBER, y + 0.5, "\n".join(number), ha="right", color=GREY,
                  linespacing=1.05, **small)  # fmt: skip
    for x, verdict in ((ALONE, each.verdict), (CORRECTED, each.corrected)):
        _mark(page, width + x, y, LOOKS[verdict])


def _draw_checks(ax: Axes, each: Statement, y: float) -> None:
    for other in each.others:
        ax.plot(np.clip(other.beyond, -END, END), y, "|", color="0.6", markersize=4,
                markeredgewidth=0.7, clip_on=False)  # fmt: skip
    if each.main is None:
        return
    look = LOOKS[each.verdict]
    if abs(each.main.beyond) > END:
        shape = ">" if each.main.beyond > 0 else "<"
        _mark(ax, np.sign(each.main.beyond) * END, y, {"color": look["color"], "marker": shape})
        return
    ends = np.clip([each.main.low, each.main.high], -END, END)
    ax.plot(ends, [y, y], color=look["color"], linewidth=1, solid_capstyle="butt")
    _mark(ax, each.main.beyond, y, look)


def _mark(ax: Axes, x: float, y: float, look: dict[str, Any]) -> None:
    ax.plot(x, y, markersize=3.4, markeredgewidth=0.8, clip_on=False, zorder=3, **look)


def _name_columns(page: Axes, ax: Axes, width: float, style: Style) -> None:
    small: dict[str, Any] = {"size": style.font_size - 1, "va": "bottom"}
    bold = small | {"weight": "bold"}
    page.text(SAYS, -0.4, "Claim", **bold)
    page.text(width + VALUE, -0.4, "found (95 % interval)", ha="right", **bold)
    page.text(width + LIMIT, -0.4, "limit", **bold)
    for x, text in ((ALONE, "alone"), (CORRECTED, "corrected")):
        page.text(width + x, -0.4, text, ha="center", **small)
    page.text(width + (ALONE + CORRECTED) / 2, -1.5, "verdict", ha="center", **bold)
    ax.text(-0.25, -0.4, "against", ha="right", color=GREY, **small)
    ax.text(0.25, -0.4, "for", color=GREY, **small)


def _set_scale(ax: Axes) -> None:
    ax.set_xscale("symlog", linthresh=1, linscale=1)
    ax.set_xlim(-END, END)
    ax.set_xticks(TICKS, [f"{tick:g}".replace("-", "\N{MINUS SIGN}") for tick in TICKS])
    ax.set_xticks([-10, 10], minor=True)
    ax.axvline(0, color="black", linewidth=0.6)
    for place in (-1, 1):
        ax.axvline(place, color="0.85", linewidth=0.4, zorder=0)
    ax.spines["left"].set_visible(False)
    ax.tick_params(left=False, labelleft=False)
    ax.set_xlabel("distance from the limit", labelpad=2)
