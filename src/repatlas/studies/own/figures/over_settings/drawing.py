"""Every measure against another setting than the layer."""

import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.along import draw_along
from repatlas.plots.style import Style


def draw(table: pd.DataFrame, style: Style) -> Figure:
    axes = table["axis"].dropna().unique()
    return draw_along(table, style, " or ".join(axes).capitalize())
