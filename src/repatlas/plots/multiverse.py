"""Claims over many settings: in what share of them each holds, and which choice decides."""

import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from repatlas.inference.intervals import Interval
from repatlas.plots.palette import BLACK, GREY, LIGHT, SHADE
from repatlas.plots.style import CHARACTER, Style, note_under

# Lengths in ems, so that columns fit their texts in type of any size.
WIDTH = 66.0
"""The least width of the figure."""
SAYS, SHARE, HELD, EFFECT, DECIDES = 3.6, -42.5, -33.5, -25.5, -16.0
"""The positions of the columns from the left, or if negative from the right."""
AXIS = 8.0
"""The width of an axis."""
LETTER = 0.47
"""The width of a letter of a statement, a bit above the mean."""
LINE = 1.18
"""From one line to the next."""
GAP = 0.35
"""Between two statements, in lines."""
"""The shade of every other row."""


class Row(NamedTuple):
    """A claim, as the figure shows it."""

    name: str
    says: str
    held: str
    """In how many settings it holds, in words"""
    share: Interval | None
    """None if no setting is applicable"""
    decides: str
    """The value that decides, in words"""
    effect: Interval | None
    """None if no value decides"""


def draw_multiverse(found: Sequence[Row], settings: int, style: Style) -> Figure:
    """Return a figure of the claims from top to bottom. settings: the number of settings."""
    em = (style.font_size - 1) / 72
    width = max(style.width, WIDTH * em) / em
    letters = int((width + SHARE - SAYS - 1) / LETTER)
    texts = [textwrap.wrap(each.says, letters) for each in found]
    ends = [0.0]
    for text in texts:
        ends.append(ends[-1] + max(len(text), 2) + GAP)
    note = note_of(settings, style.preview)
    below = (len(note) * CHARACTER / width + 5.5) * LINE
    above = 2.6 * LINE
    height = ends[-1] * LINE + below + above
    figure = Figure(figsize=(width * em, height * em), layout="constrained")
    figure.set_layout_engine("none")  # each column has its place
    rows = (below / height, ends[-1] * LINE / height)

    def column(start: float, wide: float) -> Axes:
        ax = figure.add_axes((start / width, rows[0], wide / width, rows[1]))
        ax.set(xlim=(0, wide), ylim=(ends[-1], 0))
        return ax

    page = column(0, width)
    page.axis("off")
    share, effect = (column(width + place, AXIS) for place in (SHARE, EFFECT))
    _set_scale(share, (0, 1), (0, 0.5, 1), "Share of settings")
    _set_scale(effect, (-1, 1), (-1, 0, 1), "Effect of a value")
    small: dict[str, Any] = {"size": style.font_size - 1, "va": "center"}
    for place, title in ((SAYS, "Claim"), (width + HELD, "Holds in"), (width + DECIDES, "Decides")):
        page.text(place, -0.9, title, weight="bold", **small)
    for row, each in enumerate(found):
        top, bottom = ends[row : row + 2]
        if row % 2 == 0:
            page.axhspan(top, bottom, color=SHADE, linewidth=0)
        y = (top + bottom) / 2
        page.text(SAYS - 0.5, y, each.name, ha="right", **small)
        page.text(SAYS, y, "\n".join(texts[row]), linespacing=1.05, **small)
        page.text(width + HELD, y, each.held, linespacing=1.05, **small)
        colour = BLACK if each.effect else GREY
        page.text(width + DECIDES, y, each.decides, linespacing=1.05, color=colour, **small)
        for ax, interval in ((share, each.share), (effect, each.effect)):
            if interval:
                _draw(ax, y, interval)
    note_under(figure, style._replace(width=width * em), note)
    return figure


def note_of(settings: int, preview: bool) -> str:
    """Return the line under the figure."""
    text = (
        f"{settings} settings of the choices that the paper leaves open. A setting in which the"
        " networks did not learn is not applicable. Bars of shares: Wilson, 95 %. Effect: the share"
        " with a value minus the share with the others; bars: Newcombe, 95 % for all values of a"
        " claim together. The largest effect whose bar excludes 0 is shown."
    )
    return f"Preview: the first settings, one network each. {text}" if preview else text


def _draw(ax: Axes, y: float, interval: Interval) -> None:
    ax.plot([interval.low, interval.high], [y, y], color=BLACK, linewidth=0.8)
    ax.plot([interval.value], [y], "o", color=BLACK, markersize=3, clip_on=False)


def _set_scale(ax: Axes, limits: tuple[float, float], ticks: Sequence[float], label: str) -> None:
    ax.patch.set_visible(False)
    ax.set(xlim=limits, xticks=ticks, yticks=[], xlabel=label)
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.axvline(0, color=LIGHT, linewidth=0.6)
