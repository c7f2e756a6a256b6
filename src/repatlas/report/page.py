"""The report page: one HTML file that needs nothing else, no network either."""

import base64
from datetime import datetime
from importlib.metadata import version
from platform import platform, python_version
from typing import NamedTuple

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from repatlas.claims.ledger import Claim
from repatlas.claims.summary import ORDER, OWNERS, counted, interval, number, result
from repatlas.plan import PAGE
from repatlas.report.graph import rule_graph
from repatlas.report.origins import Origins
from repatlas.report.rows import MARKS, claim_rows

WRITER = "write_report"
"""The rule that makes the page: it reads what `plot` and `judge` make."""


class Shown(NamedTuple):
    """A figure on the page."""

    name: str
    png: bytes
    caption: Markup
    networks: int
    """Behind it, those that it shares with other figures too"""


def report_page(
    title: str,
    about: Markup,
    claims: list[Claim],
    found: pd.DataFrame,
    figures: list[Shown],
    origins: Origins,
    config: str,
    preview: bool,
    written: datetime,
) -> str:
    """The page. `about` says what the study is; `found` is the table of the claims' file, empty
    where a study has none; `config` is a digest of the config."""
    pages = Environment(
        loader=FileSystemLoader(PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters |= {"number": number, "interval": interval}
    pages.filters |= {"figure_name": figure_name, "data_uri": data_uri}
    labels = {stage.name: f"{stage.jobs} job{'s' * (stage.jobs != 1)}" for stage in origins.stages}
    # A config may draw no figure.
    edges = [*origins.edges, *((name, WRITER) for name in ("plot", "judge") if name in labels)]
    return pages.get_template("page.html").render(
        style=Markup(pages.loader.get_source(pages, "page.css")[0]),
        script=Markup(pages.loader.get_source(pages, "page.js")[0]),
        title=title,
        about=about,
        rows=claim_rows(claims, found),
        counts=_counts(found, preview),
        marks=MARKS,
        verdicts=ORDER,
        figures=figures,
        drawn={figure.name for figure in figures},
        origins=origins,
        graph=rule_graph(labels | {WRITER: "this page"}, edges),
        config=config,
        preview=preview,
        written=written.strftime("%Y-%m-%d %H:%M UTC"),
        machine=platform(),
        python=python_version(),
        snakemake=version("snakemake"),
    )


def _counts(found: pd.DataFrame, preview: bool) -> list[str]:
    """How many claims have which verdict, in sentences."""
    if not len(found):
        return []
    return [result(found, preview)] if preview else [counted(found, by) for by in OWNERS]


def figure_name(name: str) -> str:
    """fig01 is Figure 1, figS4 Figure S4; over_layers is over layers."""
    if not name.startswith("fig"):
        return name.replace("_", " ")
    return f"Figure {name.removeprefix('fig').lstrip('0')}"


def data_uri(png: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
