"""The values that measures would have without a network, to compare with curves."""

from typing import Any

import pandas as pd

TARGETS_LOOK = {"color": "black", "linewidth": 0.7, "dashes": (4, 2)}
"""The look of the line of the targets themselves."""
INPUTS_LOOK = {"color": "0.5", "linewidth": 0.7, "dashes": (4, 2)}
"""The look of the line of the inputs themselves."""


def draw_inputs_own(ax: Any, rows: pd.DataFrame) -> bool:
    """Draw the target alignment of the inputs themselves, and return True if it is drawn.

    It is the alignment c of the inputs with the targets, over the positions of these rows.
    """
    places = rows["alignment"].dropna().sort_values().unique()
    if len(places) < 2:
        return False
    ax.plot(places, places, **INPUTS_LOOK, zorder=1)
    return True


def draw_targets_own(ax: Any, table: pd.DataFrame, x: str) -> bool:
    """Draw the input alignment of the targets themselves, and return True if it is drawn.

    It is C(K_X, K_Y), against the column `x`. It follows from the task alone, and the table has it
    if it was measured.
    """
    rows = table[(table["measure"] == "input_output_alignment") & (table["variant"] == "centres")]
    own = rows.dropna(subset=["value"]).groupby(x)["value"].mean()
    if len(own) < 2:
        return False
    ax.plot(own.index, own, **TARGETS_LOOK, zorder=4)
    return True
