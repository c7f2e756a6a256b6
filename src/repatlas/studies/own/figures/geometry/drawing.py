"""The conditions as points."""

import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.points import draw_points
from repatlas.plots.style import Style


def draw(table: pd.DataFrame, style: Style) -> Figure:
    return draw_points(table, style)
