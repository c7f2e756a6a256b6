"""The conditions as points."""

from typing import Any

import pandas as pd

from repatlas.figures.figure import Figure
from repatlas.plots.points import draw_points
from repatlas.plots.style import Style
from repatlas.studies.own.roles import FilesRole, with_one_of
from repatlas.studies.own.rows import shown_columns

FIGURE = Figure(
    "The conditions as points in two dimensions, with an edge where one variable differs.",
    {"of": FilesRole("Sets of representations.", fits=(with_one_of("geometry"),))},
)
CAPTION = """**{{ figure }}: the conditions as points ({{ listed(facts.of.name | map("plain") |
list) }}).** Classical multidimensional scaling of the distances between the means of conditions;
for trials of crossnobis distances, in which noise has no part. Edges join conditions that differ in
one variable, whose colour tells which."""


def tabulate(rows: dict[str, pd.DataFrame], step: None) -> pd.DataFrame:
    """Return the coordinates of each condition, and the share of the distances that they keep."""
    return shown_columns(rows["of"][rows["of"]["measure"].isin(("geometry", "explained"))])


def draw(table: pd.DataFrame, style: Style) -> Any:
    return draw_points(table, style)
