"""A figure of a study, drawn on its page for a test of its layout."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from fault import Fault
from layout_faults import faults
from matplotlib.figure import Figure

from repatlas.config.config import COLOURS, StyleSettings, read_config
from repatlas.config.load import load
from repatlas.figures.columns import with_all_columns
from repatlas.named import named
from repatlas.plots.style import Style, applied, settle
from repatlas.report.captions import caption

ROOT = Path(__file__).parents[2]
LEAST_WIDTH = next(
    limit.ge for limit in StyleSettings.model_fields["width"].metadata if hasattr(limit, "ge")
)
"""Inches, the least that a config may ask for."""


class Page(NamedTuple):
    """A figure after its layout. `still`: nothing moves if the layout is repeated."""

    study: str
    name: str
    style: Style
    figure: Figure
    still: bool

    def faults(self):
        """Return all faults. The figure stays as it is, so that several tests can share it."""
        with applied(self.style):
            found = faults(self.figure, caption_of(self.study, self.name))
        moves = [] if self.still else [Fault("still", "panels move each time it is laid out")]
        return [*moves, *found]


def page_of(study, figure, table, width=5.5, preview=False, step=None, name=None):
    """Return a figure of a study, which the module `figure` draws from a table, on its page.

    `name`: the figure whose caption it has, if that is another one."""
    style = Style(COLOURS, width, 7.0, preview, step)
    lacking = with_all_columns(pa.table({"": range(len(table))})).to_pandas().set_index(table.index)
    table = table.join(lacking[lacking.columns.difference([*table.columns, ""])])
    with applied(style):
        drawn = named(f"studies.{study}", figure).draw(table, style)
        return Page(study, name or figure, style, drawn, settle(drawn))


def faults_of(*of, **style):
    """Return all faults of a figure of a study, with the arguments of `page_of`."""
    return page_of(*of, **style).faults()


def caption_of(study, figure):
    """Return the text of a caption as a full run writes it."""
    return " ".join(str(caption(_config(study), study, figure)).split())


@cache
def _config(study):
    """Return config.yaml, or the study's own config if it is not among its studies."""
    loaded = load([ROOT / "config.yaml"])
    if study not in loaded.values["studies"]:
        loaded = load([ROOT / "config" / f"{study}.yaml"])
    return read_config(loaded.values, loaded.file, loaded.files)
