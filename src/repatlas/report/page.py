"""The report page: one HTML file that needs nothing else, no network either."""

import base64
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from repatlas.claims.sentences import what_was_found
from repatlas.report.rows import MARKS, Row
from repatlas.report.words import capitalized, figure_name, verdict_sentence

PAGE = Path(__file__).with_name("page")


class Shown(NamedTuple):
    """A figure on the page."""

    name: str
    title: str
    """What was found, if claims of this run carry it, or what is drawn"""
    png: bytes
    thumbnail: bytes
    caption: Markup
    networks: int
    """The number of networks, including networks that other figures share"""
    table: str
    """The path of its numbers"""


def report_page(
    title: str,
    about: Markup,
    rows: list[Row],
    counts: list[str],
    figures: list[Shown],
    config: str,
    preview: bool,
    written: datetime,
) -> str:
    """Return the page. about: what the study is. rows: the claims about these figures.
    counts: how many claims have which verdict, in sentences. config: a digest of the config."""
    pages = Environment(
        loader=FileSystemLoader(PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for used in (capitalized, data_uri, figure_name, verdict_sentence, what_was_found):
        pages.filters[used.__name__] = used
    return pages.get_template("page.html").render(
        style=Markup(pages.loader.get_source(pages, "page.css")[0]),
        title=title,
        about=about,
        rows=rows,
        counts=counts,
        marks=MARKS,
        figures=figures,
        config=config,
        preview=preview,
        version=version("repatlas"),
        written=written.strftime("%Y-%m-%d %H:%M UTC"),
    )


def data_uri(png: bytes) -> str:
    """Return an address that holds a picture."""
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
