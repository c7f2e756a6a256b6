"""Figure S2: the paper's simplified dynamics, compared with standard training."""

import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.comparison import draw_comparison
from repatlas.plots.panels import Conditions, over_training
from repatlas.plots.style import ACTIVATION_NAMES, Style, finish
from repatlas.plots.words import listed, mean_and_sd, with_intervals
from repatlas.studies.structure.figures.figS2.table import LARGEST

TRAINING = Conditions("errors", {"output": "Standard", "equal": "Simplified"})
ACTIVATIONS = Conditions("activation", ACTIVATION_NAMES)


def draw(table: pd.DataFrame, style: Style) -> Figure:
    largest = table[table["contrast"] == LARGEST]
    largest = largest.assign(text="step " + largest["step"].astype(str))
    looks = {name: {"color": colour} for name, colour in style.colours.items()}
    looks["relu"] = looks["relu"] | {"markerfacecolor": "white"}  # told in grey, too
    nothing = "No pair of networks after step 0"
    figure = draw_comparison(table, style, TRAINING, largest, ACTIVATIONS, looks, nothing)
    figure.axes[-1].set_xlabel("Simplified \N{MINUS SIGN} standard, where they differ most")
    finish(
        figure,
        table,
        style,
        f"A: {mean_and_sd(table, 'target_alignment')},{over_training(table)}. Simplified: errors "
        f"that stay equal and never shrink, {_readouts(table, 'equal')} readout. Standard: errors "
        f"of the outputs, {_readouts(table, 'output')} readout. B: the median of paired "
        "differences at the step after 0 where it is largest, "
        f"{with_intervals(largest, table, 'target_alignment')}.",
    )
    return figure


def _readouts(table: pd.DataFrame, errors: str) -> str:
    return listed(sorted(table.loc[table["errors"] == errors, "readout"].dropna().unique()))
