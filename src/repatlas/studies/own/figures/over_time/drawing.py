"""Decoding at one time by decoders of another time."""

import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.over_time import draw_over_time
from repatlas.plots.style import Style


def draw(table: pd.DataFrame, style: Style) -> Figure:
    return draw_over_time(table, style)
