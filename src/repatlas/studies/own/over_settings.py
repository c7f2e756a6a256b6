"""Every measure against another setting than the layer."""

from typing import Any

import pandas as pd

from repatlas.figures.figure import Figure
from repatlas.plots.along import draw_along
from repatlas.plots.style import Style
from repatlas.studies.own.roles import FilesRole, have_an_axis
from repatlas.studies.own.rows import along

FIGURE = Figure(
    "Every measure against training, or another setting: the first brace in the path of the arrays"
    " that is neither layer nor unit.",
    {"of": FilesRole("Sets of representations with such a brace.", fits=(have_an_axis,))},
)
CAPTION = """**{{ figure }}: every measure against a setting ({{ listed(facts.of.name | map("plain")
| list) }}).** As over layers, but the axis is the first brace in the path of the arrays that is
neither layer nor unit; lines are what the other braces stand for."""


def tabulate(rows: dict[str, pd.DataFrame], step: None) -> pd.DataFrame:
    """Return the values at each place of the axis, and medians over units."""
    frame = rows["of"]
    axes = frame.drop_duplicates("representation").set_index("representation")["first_axis"]
    return along(frame, axes.to_dict())


def draw(table: pd.DataFrame, style: Style) -> Any:
    axes = table["axis"].dropna().unique()
    return draw_along(table, style, " or ".join(axes).capitalize())
