"""Figure S2: the paper's simplified dynamics beside standard training."""

import pandas as pd
from matplotlib.figure import Figure

from repgeom.figures.comparison import draw_comparison
from repgeom.figures.panels import Conditions
from repgeom.figures.style import ACTIVATION_NAMES, Style, finish, networks
from repgeom.tables.figS2 import LARGEST

TRAINING = Conditions("errors", {"output": "Standard", "equal": "Simplified"})
ACTIVATIONS = Conditions("activation", ACTIVATION_NAMES)


def draw(table: pd.DataFrame, style: Style) -> Figure:
    largest = table[table["contrast"] == LARGEST]
    largest = largest.assign(text=largest["step"].astype(str))
    looks = {name: {"color": colour} for name, colour in style.colours.items()}
    figure = draw_comparison(table, style, TRAINING, largest, ACTIVATIONS, looks)
    figure.axes[-1].set_xlabel("Simplified - standard, where the means differ most")
    finish(
        figure,
        table,
        style,
        f"A: mean and SD over {networks(table, 'target_alignment')}. Standard: readout and biases "
        "trained. Simplified: binary readout, no biases, errors that stay equal and never shrink. "
        "B: the largest difference of the means over the steps after 0, with its 95 % interval; "
        "numbers: its step.",
    )
    return figure
