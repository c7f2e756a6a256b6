"""Measures of variables and their null distributions."""

import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.null_distributions import draw_nulls
from repatlas.plots.style import Style


def draw(table: pd.DataFrame, style: Style) -> Figure:
    return draw_nulls(table, style)
