"""Figure 8: constraints on the readout."""

import pandas as pd
from matplotlib.figure import Figure

from repgeom.figures.comparison import draw_comparison
from repgeom.figures.panels import Conditions, over_training
from repgeom.figures.style import Style, finish
from repgeom.figures.words import NO_PAIRS, mean_and_sd, with_intervals
from repgeom.tables.contrasts import TANH_RELU

READOUTS = Conditions(
    "readout",
    {"binary": "Binary, frozen", "normal": "Random, frozen", "trained": "Random, trained"},
)
LOOKS = {
    "binary": {"color": "black"},
    "normal": {"color": "0.5", "fmt": "s"},
    "trained": {"color": "0.5", "fmt": "D", "markerfacecolor": "white"},
}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    last = table["step"].max()
    effects = table[(table["contrast"] == TANH_RELU) & (table["step"] == last)]
    figure = draw_comparison(table, style, READOUTS, effects, READOUTS, LOOKS, NO_PAIRS)
    figure.axes[-1].set_xlabel(f"Tanh - ReLU after {last} steps")
    finish(
        figure,
        table,
        style,
        f"A: {mean_and_sd(table, 'target_alignment')},{over_training(table)}. B: medians of paired "
        f"differences, {with_intervals(effects, table, 'target_alignment')}.",
    )
    return figure
