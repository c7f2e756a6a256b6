"""The figures of a report page, from the files of a run."""

import re
from collections.abc import Iterable
from pathlib import Path

from docutils.core import publish_parts
from markupsafe import Markup

from repatlas.artifacts.drawings import read_drawing
from repatlas.artifacts.layout import MULTIVERSE
from repatlas.config.config import Config
from repatlas.config.study import Study
from repatlas.report.captions import OF_MULTIVERSE, caption, filled_in
from repatlas.report.findings import found_by
from repatlas.report.gallery import small
from repatlas.report.page import Shown
from repatlas.report.rows import Row

MOST_OF_THUMBNAIL = 40_000
"""Bytes of the small picture that leads to a figure."""
STRICT = {
    "halt_level": 2,  # a warning is a mistake in a caption, which should not reach the reader
    "file_insertion_enabled": False,
    "raw_enabled": False,
}


def networks_of(study: Study, sweeps: Iterable[str]) -> set[tuple[str, str, int]]:
    """Return the networks of some sweeps of a study: experiment, key and seed."""
    grids = [grid for sweep in dict.fromkeys(sweeps) for grid in study.sweeps[sweep]]
    return {
        (g.experiment, s.key, seed) for g in grids for s in g.specs() for seed in range(g.seeds)
    }


def shown_multiverse(study: Study, png: Path, table: str) -> Shown:
    """Return the figure of the claims in many settings. table: the path of its numbers."""
    title = "The claims in many settings of the choices that the paper leaves open."
    text = in_html(filled_in(OF_MULTIVERSE.read_text(encoding="utf-8"), MULTIVERSE, {}))
    return _shown(
        MULTIVERSE, title, png, text, len(networks_of(study, study.setting_sweeps())), table
    )


def shown(config: Config, study: str, name: str, png: Path, table: str, rows: list[Row]) -> Shown:
    """Return a figure. table: the path of its numbers. rows: the claims of the study."""
    of_study = config.studies[study]
    options = of_study.figures[name]
    sweeps = [sweep for of in options.sweeps().values() for sweep in of]
    for keys in options.comparisons().values():
        sweeps += [sweep for key in keys for sweep in of_study.comparison(key).between]
    title = found_by(options.figure, name, rows) or options.figure.about
    networks = len(networks_of(of_study, sweeps))
    return _shown(name, title, png, in_html(caption(config, study, name)), networks, table)


def _shown(name: str, title: str, png: Path, text: Markup, networks: int, table: str) -> Shown:
    read_drawing(png)  # raises Unreadable
    picture = png.read_bytes()
    return Shown(
        name, title, picture, small(picture, most=MOST_OF_THUMBNAIL), text, networks, table
    )


def in_html(text: str) -> Markup:
    """Return a caption, or another text in reStructuredText, as HTML. What it says of each panel
    has a line, which begins with a letter and a colon."""
    html = publish_parts(text, writer="html5", settings_overrides=STRICT)["body"]
    return Markup(re.sub(r"(?<=[.?)])\s+(?=[A-Z](?:(?:,|\sand|\sto)\s[A-Z])*:\s)", "<br>", html))
