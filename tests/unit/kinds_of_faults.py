"""A fault of a layout, and the kinds of faults."""

from typing import NamedTuple


class Fault(NamedTuple):
    """kind: one of KINDS."""

    kind: str
    about: str


KINDS = ("text on text", "text on data", "edge", "type", "height", "legend", "range", "colours")
KINDS += ("still", "glyph", "minus", "rows", "limits", "letter")
