"""Figure S4: every activation, ranked by target alignment."""

import numpy as np
import pandas as pd

from repatlas.networks.activation import activation as activation_of
from repatlas.studies.structure.rows.aligned import aligned_rows
from repatlas.studies.structure.rows.panels import at_step

REACH = 3.0
"""Standard deviations of the pre-activation, at the start of training, to either side."""


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    shown = at_step(aligned_rows(rows["lines"]), step)
    asymmetries = pd.DataFrame(
        {
            "activation": name,
            "clusters": shown["clusters"].iloc[0],
            "targets": shown["targets"].iloc[0],
            "measure": "saturation_asymmetry",
            "variant": "function",
            "value": saturation_asymmetry(name),
        }
        for name in shown["activation"].unique()
    )
    return pd.concat([shown, asymmetries], ignore_index=True)


def saturation_asymmetry(activation: str) -> float:
    """Return |f'(r) - f'(-r)| / max |f'| over [-r, r].

    It is 0 for a function that saturates on both sides or on none, and 1 for a function that
    saturates on one side.
    """
    slope = activation_of(activation).slope
    steepest = np.abs(slope(np.linspace(-REACH, REACH, 2001))).max()
    return float(np.abs(slope(np.array([REACH])) - slope(np.array([-REACH])))[0] / steepest)
