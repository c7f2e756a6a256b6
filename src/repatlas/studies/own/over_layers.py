"""Every measure against the layer."""

from typing import Any

import pandas as pd

from repatlas.experiments.files.columns import LAYER
from repatlas.figures.figure import Figure
from repatlas.plots.along import draw_along
from repatlas.plots.style import Style
from repatlas.studies.own.roles import FilesRole, have_layers
from repatlas.studies.own.rows import along

FIGURE = Figure(
    "Every measure against the layer: units as hairlines, the interval, chance.",
    {"of": FilesRole("Sets of representations whose path has {layer}.", fits=(have_layers,))},
)
CAPTION = """**{{ figure }}: every measure against the layer ({{ listed(facts.of.name | map("plain")
| list) }}).** Each panel is one measure, and below its name the variable that it is about.
Hairlines are units; markers are medians over units with exact 95 % intervals, where there are six
units or more. Without units markers are values with 95 % jackknife intervals over items or trials,
where such intervals are known to hold. Dotted lines are chance. The table names the estimator of
each number, both p values and, where there is no number, why."""


def tabulate(rows: dict[str, pd.DataFrame], step: None) -> pd.DataFrame:
    """Return the values of each layer, and medians over units."""
    return along(rows["of"], dict.fromkeys(rows["of"]["representation"], LAYER))


def draw(table: pd.DataFrame, style: Style) -> Any:
    return draw_along(table, style, "Layer")
