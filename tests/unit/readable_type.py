"""Checks of type: small letters, missing glyphs and hyphens instead of minus signs."""

import re
from functools import cache
from logging import WARNING, Handler, getLogger

from fault import Fault
from matplotlib import font_manager
from matplotlib.mathtext import MathTextParser

SMALLEST_TYPE = 6.0
"""Points, the least that ICLR's readers want; powers and indices are smaller than their text."""
HYPHEN_FOR_MINUS = re.compile(r"(?<![\w$])-(?=[\d.])|(?<=\s)-(?=\s)")


def small_type(drawn):
    for text in drawn.texts:
        if text.get_size() < SMALLEST_TYPE - 1e-6:
            yield Fault("type", f"{text.get_text()!r}: {text.get_size():.1f} points")


def missing_glyphs(drawn):
    """Yield characters that no font has, which readers would see as empty boxes."""
    MathTextParser._parse_cached.cache_clear()  # matplotlib warns of each formula only once
    said = Said()
    getLogger("matplotlib").addHandler(said)
    for text in drawn.texts:
        if "$" in text.get_text():
            text.draw(drawn.renderer)
        elif missing := sorted(set(text.get_text()) - signs_of(text.get_fontproperties())):
            yield Fault("glyph", f"{missing} in {text.get_text()!r}")
    getLogger("matplotlib").removeHandler(said)
    yield from (Fault("glyph", line) for line in dict.fromkeys(said.lines))


def hyphens_for_minus(drawn):
    """Yield texts outside of formulas that have a hyphen where a minus sign belongs."""
    for text in drawn.texts:
        outside = re.sub(r"\$.*?\$", "", text.get_text())
        if HYPHEN_FOR_MINUS.search(outside):
            yield Fault("minus", repr(text.get_text()))


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
