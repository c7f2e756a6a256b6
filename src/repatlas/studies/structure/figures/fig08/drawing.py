"""Figure 8: constraints on the readout."""

import pandas as pd
from matplotlib.figure import Figure

from repatlas.inference.contrasts import TANH_RELU
from repatlas.plots.comparison import draw_comparison
from repatlas.plots.panels import Conditions, over_training
from repatlas.plots.style import Style, finish
from repatlas.plots.words import NO_PAIRS, mean_and_networks, with_intervals

READOUTS = Conditions(
    "readout",
    {"binary": "Binary, frozen", "normal": "Random, frozen", "trained": "Random, trained"},
)
LOOKS = {
    "binary": {"color": "black"},
    "normal": {"color": "0.5", "marker": "s"},
    "trained": {"color": "0.5", "marker": "D", "markerfacecolor": "white"},
}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    last = table["step"].max()
    effects = table[(table["contrast"] == TANH_RELU) & (table["step"] == last)]
    figure = draw_comparison(
        table, style, READOUTS, effects, READOUTS, LOOKS, NO_PAIRS, spread="networks"
    )
    figure.axes[-1].set_xlabel(f"Tanh \N{MINUS SIGN} ReLU after {last} steps")
    finish(
        figure,
        table,
        style,
        f"A: {mean_and_networks(table, 'target_alignment')},{over_training(table)}. "
        f"B: medians of paired differences, {with_intervals(effects, table, 'target_alignment')}.",
    )
    return figure
