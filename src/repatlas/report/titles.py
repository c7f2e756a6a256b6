"""Pictures without the titles that are drawn in them, because pages print titles as text."""

import io
from typing import Any

from PIL import Image

from repatlas.report.badges import Panels

Values = list[dict[str, Any]]
"""The lines of a figure, with the positions of their values."""


def without_title(png: bytes, header: dict[str, Any]) -> tuple[bytes, Panels, Values]:
    """Return a figure without its title, and the panels' letters and the values with their
    positions in the rest. `header` is the header of its file."""
    top, panels, values = (header.get(key) for key in ("title", "panels", "values"))
    if not top:
        return png, panels or {}, values or []
    with Image.open(io.BytesIO(png)) as image:
        cut = round(top * image.height)
        rest = image.crop((0, cut, image.width, image.height))
        top = cut / image.height
    written = io.BytesIO()
    rest.save(written, "PNG")
    letters = {letter: _moved(places, top) for letter, places in (panels or {}).items()}
    lines = [line | {"places": _moved(line["places"], top)} for line in values or []]
    return written.getvalue(), letters, lines


def _moved(places: list[list[Any]], top: float) -> list[list[Any]]:
    """Return positions in the rest of a picture whose top is cut off. More may follow x and y."""
    return [[x, round((y - top) / (1 - top), 4), *more] for x, y, *more in places]
