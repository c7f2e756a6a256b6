"""Every measure against the layer."""

import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.style import Style
from repatlas.studies.own.drawing import draw_along


def draw(table: pd.DataFrame, style: Style) -> Figure:
    return draw_along(table, style, "Layer")
