"""Figure S4: every activation, ranked by target alignment."""

import numpy as np
import pandas as pd

from repatlas.networks.activation import activation as activation_of
from repatlas.studies.structure.rows.aligned import aligned_rows
from repatlas.studies.structure.rows.panels import at_step

REACH = 3.0
"""Standard deviations of the pre-activation, at the start of training, to either side."""
STEEP = 0.25
"""A function saturates where its slope is less than this fraction of its steepest slope."""


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    shown = at_step(aligned_rows(rows["lines"]), step)
    sides = pd.DataFrame(
        {
            "activation": name,
            "clusters": shown["clusters"].iloc[0],
            "targets": shown["targets"].iloc[0],
            "measure": "saturating_sides",
            "variant": "function",
            "value": saturating_sides(name),
        }
        for name in shown["activation"].unique()
    )
    return pd.concat([shown, sides], ignore_index=True)


def saturating_sides(activation: str) -> float:
    """Return on how many sides, 0 to 2, the slope at REACH is less than STEEP of the steepest
    slope."""
    slope = activation_of(activation).slope
    steepest = np.abs(slope(np.linspace(-REACH, REACH, 2001))).max()
    return float((np.abs(slope(np.array([-REACH, REACH]))) < STEEP * steepest).sum())
