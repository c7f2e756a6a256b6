"""The captions of the figures, as Snakemake's own report renders them."""

from types import SimpleNamespace

from docutils.core import publish_parts
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

STRICT = {
    "halt_level": 2,  # a warning is a mistake in a caption, which should not reach the reader
    "file_insertion_enabled": False,
    "raw_enabled": False,
}


CAPTIONS = Environment(trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
"""As Snakemake has it, but that a fact that does not exist is an error."""


def caption(text: str, figure: str, facts: dict) -> Markup:
    """The HTML of a figure's part of the captions' file; `facts` is the param of its rule."""
    job = SimpleNamespace(
        wildcards=SimpleNamespace(figure=figure), params=SimpleNamespace(facts=facts)
    )
    source = CAPTIONS.from_string(text).render(snakemake=job)
    return Markup(publish_parts(source, writer="html5", settings_overrides=STRICT)["body"])
