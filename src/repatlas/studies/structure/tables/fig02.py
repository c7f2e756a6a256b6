"""Figure 2: separability."""

import pandas as pd

from repatlas.studies.structure.rows.panels import at_step, panel_rows
from repatlas.studies.structure.rows.trajectories import trajectory_rows
from repatlas.studies.structure.rows.weights import weight_rows


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    trajectories = rows["trajectories"]
    parts = [
        panel_rows(at_step(rows["sweep"], step)),
        trajectory_rows(trajectories),
        weight_rows(trajectories),
    ]
    if "linear" in rows:
        parts.append(weight_rows(rows["linear"]))
    return pd.concat(parts, ignore_index=True)
