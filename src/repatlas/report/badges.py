"""Badges on the picture of a figure, at the panels that show what is contradicted."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import matplotlib
from PIL import Image, ImageDraw, ImageFont

from repatlas.claims.verdicts import CONTRADICTED
from repatlas.plots.forest import AGAINST
from repatlas.plots.style import FONTS
from repatlas.report.rows import MARKS, Row

CORNER = (0.004, 0.012)
"""Where the badge of a figure without letters is: where its letter would be."""
SIZE = 0.0145
"""The type size of badges as a fraction of a picture's width; the figure's smallest words have
it."""

Panels = dict[str, list[list[float]]]
"""By letter of a panel the places where it ends, as parts of the picture's width, from the left,
and height, from the top."""


class Badge(NamedTuple):
    """x, y: the left end of the badge at half its height, as parts of the picture."""

    x: float
    y: float
    panel: str
    """The letter; empty for a figure without letters."""
    rows: list[Row]
    """The contradicted claims that are shown there"""


def badges(panels: Panels, tested: Sequence[Row]) -> list[Badge]:
    """Return the badges of a figure from the claims that are tested on it.

    Panels that this drawing does not have get none, and neither do claims that no panel shows.
    """
    found: dict[tuple[float, float], Badge] = {}
    for row in tested:
        if row.verdict != CONTRADICTED:
            continue
        at = [(name, *place) for name in row.about.panels for place in panels.get(name, [])]
        for name, x, y in at or [("", *CORNER)] * (not panels and not row.about.panels):
            found.setdefault((x, y), Badge(x, y, name, [])).rows.append(row)
    return list(found.values())


def with_badges(picture: Image.Image, found: Sequence[Badge]) -> Image.Image:
    """Return the picture with the badges on it.

    If a panel has several claims, their numbers follow a single cross on one line, because the
    title of the panel begins near its letter.
    """
    marked = picture.copy()
    pen = ImageDraw.Draw(marked)
    size = max(SIZE * picture.width, 9)
    cross, words = _type("DejaVuSans-Bold.ttf", size), _type("FiraSansCondensed-Bold.ttf", size)
    room = round(0.22 * size)
    for badge in found:
        left, middle = badge.x * picture.width + 2 * room, badge.y * picture.height
        middle = max(middle, 0.75 * size)
        for number, row in enumerate(badge.rows):
            sign = "" if number else f"{MARKS[CONTRADICTED]} "
            end = left + cross.getlength(sign)
            right = end + words.getlength(row.about.id)
            box = [left - room, middle - 0.68 * size, right + room, middle + 0.68 * size]
            pen.rounded_rectangle(box, radius=2 * room, fill="white", outline=AGAINST)
            pen.text((left, middle), sign, AGAINST, cross, anchor="lm")
            pen.text((end, middle), row.about.id, AGAINST, words, anchor="lm")
            left = right + 3 * room
    return marked


@cache
def _type(name: str, size: float) -> ImageFont.FreeTypeFont:
    """Return a font of this package or of matplotlib. Only a font of matplotlib has a cross."""
    own = FONTS / name
    path = own if own.exists() else Path(matplotlib.get_data_path(), "fonts", "ttf", name)
    return ImageFont.truetype(path, size)
