"""What a measure would be without a network: where a curve is to be seen beside it."""

from typing import Any

import pandas as pd

SAID = " Black dashes: input alignment of the targets themselves."
"""For the note under a figure."""


INPUTS_SAID = " Grey dashes, y = c: the inputs themselves."
"""For the note under a figure."""


def draw_inputs_own(ax: Any, rows: pd.DataFrame) -> bool:
    """The target alignment that a representation has which is the inputs: their own alignment with
    the targets, c, over the places of these rows. Says whether it is drawn."""
    places = rows["alignment"].dropna().sort_values().unique()
    if len(places) < 2:
        return False
    ax.plot(places, places, color="0.5", linewidth=0.7, dashes=(4, 2), zorder=1)
    return True


def draw_targets_own(ax: Any, table: pd.DataFrame, x: str) -> bool:
    """The input alignment that a representation has which is the targets: C(K_X, K_Y), against the
    column `x`. It follows from the task alone, and stands in the table, where it was measured. Says
    whether it is drawn."""
    rows = table[(table["measure"] == "input_output_alignment") & (table["variant"] == "centres")]
    own = rows.dropna(subset=["value"]).groupby(x)["value"].mean()
    if len(own) < 2:
        return False
    ax.plot(own.index, own, color="black", linewidth=0.7, dashes=(4, 2), zorder=4)
    return True
