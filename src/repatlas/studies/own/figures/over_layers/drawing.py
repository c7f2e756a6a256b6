"""Every measure against the layer."""

import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.along import draw_along
from repatlas.plots.style import Style


def draw(table: pd.DataFrame, style: Style) -> Figure:
    return draw_along(table, style, "Layer")
