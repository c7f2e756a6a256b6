"""The report page: one HTML file that needs nothing else, no network either."""

import base64
from datetime import datetime
from importlib.metadata import version
from platform import platform, python_version
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from repatlas.artifacts.layout import OVERVIEW
from repatlas.claims.sentences import we_find
from repatlas.claims.summary import ORDER
from repatlas.claims.verdicts import ALPHA, CONTRADICTED, FACT, OTHER_SETTINGS, UNDECIDED
from repatlas.inference.intervals import networks_needed
from repatlas.plan.plan import PAGE
from repatlas.plots.minus import typeset
from repatlas.report.badges import Panels, badges
from repatlas.report.forest import forest_row
from repatlas.report.gallery import small
from repatlas.report.origins import Origins
from repatlas.report.rows import MARKS, Row
from repatlas.report.words import certainty, figure_name, in_all, number, verdict_sentence

MOST_OF_LEAD = 80_000
"""Bytes of the small picture on the first screen."""


class Shown(NamedTuple):
    """A figure on the page."""

    name: str
    png: bytes
    caption: Markup
    networks: int
    """The number of networks, including networks that other figures share"""
    described: str
    """The alternative text, for readers who do not see the picture"""
    files: dict[str, str]
    """By file name, the PDF and the module that drew the figure. Each is an address that holds the
    file itself, because a path leads nowhere after the page is mailed."""
    panels: Panels
    """The positions of the panels' letters"""
    finding: str = ""
    """The title that says what was found; empty if no claim carries it in this run"""
    about: str = ""
    """What is drawn, in one sentence"""
    data: bytes = b""
    """The table as CSV, compressed with gzip; empty if it is too long for the page"""
    table: str = ""
    """The path of the table"""


def report_page(
    title: str,
    about: Markup,
    rows: list[Row],
    figures: list[Shown],
    origins: Origins,
    config: str,
    preview: bool,
    written: datetime,
    lead: str = "",
) -> str:
    """Return the page.

    about: what the study is. rows: its claims, none if a study has none. config: a digest of the
    config.
    lead: the figure that is on the first screen, if it has a finding.
    """
    pages = Environment(
        loader=FileSystemLoader(PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters |= {"number": number, "certainty": certainty, "typeset": typeset}
    pages.filters |= {
        "figure_name": figure_name,
        "data_uri": data_uri,
        "verdict_sentence": verdict_sentence,
    }
    pages.filters |= {"badges": badges, "we_find": we_find}
    pages.filters |= {"csv_uri": csv_uri, "capitalized": capitalized, "forest_row": forest_row}
    return pages.get_template("page.html").render(
        style=Markup(pages.loader.get_source(pages, "page.css")[0]),
        script=Markup(pages.loader.get_source(pages, "page.js")[0]),
        title=title,
        about=about,
        rows=rows,
        sentences=[] if preview else in_all(rows),
        found=[] if preview else _found(rows),
        bar=[] if preview else _bar(rows),
        marks=MARKS,
        needed=networks_needed(ALPHA),
        verdicts=ORDER,
        overview=[figure for figure in figures if figure.name.startswith(OVERVIEW)],
        figures=[figure for figure in figures if not figure.name.startswith(OVERVIEW)],
        drawn={figure.name for figure in figures},
        lead=_lead(figures, lead),
        origins=origins,
        config=config,
        preview=preview,
        written=written.strftime("%Y-%m-%d %H:%M UTC"),
        machine=platform(),
        python=python_version(),
        snakemake=version("snakemake"),
    )


def _found(rows: list[Row]) -> list[tuple[str, list[Row]]]:
    """Return the papers' claims that did not hold or could not be tested, under a title each."""
    titles = {
        "Not confirmed": CONTRADICTED,
        "Not decided": UNDECIDED,
        "Judged on other settings": OTHER_SETTINGS,
    }
    parts = [
        (title, [row for row in rows if row.verdict == verdict and row.about.by != "ours"])
        for title, verdict in titles.items()
    ]
    return [(title, those) for title, those in parts if those]


def _bar(rows: list[Row]) -> list[tuple[str, int]]:
    """Return how many of the papers' claims have which verdict. Exact facts are left out."""
    mine = [row.verdict for row in rows if row.about.by != "ours" and row.verdict != FACT]
    return [(verdict, mine.count(verdict)) for verdict in ORDER if verdict in mine]


def _lead(figures: list[Shown], name: str) -> Shown | None:
    """Return the figure of this name with a small picture, if it says something."""
    found = [figure for figure in figures if figure.name == name and figure.finding]
    return found[0]._replace(png=small(found[0].png, most=MOST_OF_LEAD)) if found else None


def capitalized(name: str) -> str:
    return name[0].upper() + name[1:]


def csv_uri(table: bytes) -> str:
    return data_uri(table, "application/gzip")


def data_uri(file: bytes, kind: str = "image/png") -> str:
    """Return an address that holds a file of this media type."""
    return f"data:{kind};base64,{base64.b64encode(file).decode()}"
