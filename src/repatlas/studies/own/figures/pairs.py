"""The similarities of all pairs."""

import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.pair_matrix import NAMES, draw_pairs
from repatlas.plots.style import Style

# Similarities that only one's own representations have. The figure shows them after its own.
NAMES |= {
    "procrustes": "Procrustes",
    "rsa": "RSA",
    "neighbours": "Neighbours",
    "calibrated_neighbours": "Calibrated neighbours",
    "predictivity": "Predictivity",
}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    return draw_pairs(table, style)
