"""Pictures without the titles that are drawn in them, because pages print titles as text."""

import io
from typing import Any

from PIL import Image

from repatlas.report.badges import Panels


def without_title(png: bytes, header: dict[str, Any]) -> tuple[bytes, Panels]:
    """Return a figure without its title, and the panels' letters with their positions in the rest.
    `header` is the header of its file."""
    top, panels = header.get("title"), header.get("panels") or {}
    if not top:
        return png, panels
    with Image.open(io.BytesIO(png)) as image:
        cut = round(top * image.height)
        rest = image.crop((0, cut, image.width, image.height))
        top = cut / image.height
    written = io.BytesIO()
    rest.save(written, "PNG")
    letters = {
        letter: [[x, round((y - top) / (1 - top), 4)] for x, y in places]
        for letter, places in panels.items()
    }
    return written.getvalue(), letters
