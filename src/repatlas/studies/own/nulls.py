"""Measures of variables and their null distributions."""

from typing import Any

import pandas as pd

from repatlas.figures.figure import Figure
from repatlas.plots.null_distributions import draw_nulls
from repatlas.plots.style import Style
from repatlas.studies.own.roles import FilesRole, with_one_of
from repatlas.studies.own.rows import shown_columns

FIGURE = Figure(
    "The measures of each variable with their null distributions.",
    {
        "of": FilesRole(
            "Sets of representations.",
            fits=(with_one_of("alignment", "ccgp", "decoding", "parallelism"),),
        )
    },
)
CAPTION = """**{{ figure }}: measures of variables and their nulls ({{ listed(facts.of.name |
map("plain") | list) }}).** Dots are values, with 95 % intervals where such are known to hold. Grey:
the labels of rows are shuffled, nothing is coded. Blue: the means of conditions are moved apart in
random directions, so that as much is coded without geometry (Bernardi et al. 2020). A geometry is
abstract where it is beyond both."""

OF_VARIABLES = ("alignment", "ccgp", "decoding", "parallelism")


def tabulate(rows: dict[str, pd.DataFrame], step: None) -> pd.DataFrame:
    """Return the values, and all draws of their nulls."""
    return shown_columns(rows["of"][rows["of"]["measure"].isin(OF_VARIABLES)])


def draw(table: pd.DataFrame, style: Style) -> Any:
    return draw_nulls(table, style)
