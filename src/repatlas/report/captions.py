"""The captions of the figures, as the report page has them."""

from docutils.core import publish_parts
from markupsafe import Markup

from repatlas.figures.captions import Caption

STRICT = {
    "halt_level": 2,  # a warning is a mistake in a caption, which should not reach the reader
    "file_insertion_enabled": False,
    "raw_enabled": False,
}


def in_html(caption: Caption | str) -> Markup:
    """Return a caption, or another text in reStructuredText, as HTML."""
    return Markup(publish_parts(str(caption), writer="html5", settings_overrides=STRICT)["body"])
