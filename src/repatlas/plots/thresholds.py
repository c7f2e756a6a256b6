"""Where target alignment reaches a threshold, marked on its curves (Figure 2B)."""

from typing import Any

import pandas as pd

from repatlas.inference.contrasts import REACHED, THRESHOLD
from repatlas.plots.style import Style

MARK = {"marker": "D", "markersize": 3.5, "markeredgewidth": 0.7}
"""The look of a mark."""


def mark_thresholds(ax: Any, table: pd.DataFrame, style: Style) -> bool:
    """Draw a diamond in the colour of the activation, with its interval in black, if it has one.

    Returns True if there is any.
    """
    found = table[table["contrast"] == REACHED].dropna(subset="value")
    for mark in found.itertuples():
        colour = style.colours[mark.activation]
        face = "white" if mark.activation == "relu" else colour  # told in grey, too
        ax.plot([mark.low, mark.high], [THRESHOLD] * 2, color="black", linewidth=0.8, zorder=6)
        ax.plot(mark.value, THRESHOLD, color=colour, zorder=5, markerfacecolor=face, **MARK)
    return len(found) > 0
