"""The similarities of all pairs."""

import pandas as pd
from matplotlib.figure import Figure

from repatlas.own.similarities import TITLES
from repatlas.plots.pair_matrix import draw_pairs
from repatlas.plots.style import Style


def draw(table: pd.DataFrame, style: Style) -> Figure:
    return draw_pairs(table, style, TITLES)
