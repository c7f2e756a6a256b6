"""Figure 2: separability."""

import pandas as pd

from repatlas.studies.structure.rows.panels import at_step, effect_rows, panel_rows
from repatlas.studies.structure.rows.patterns import pattern_rows
from repatlas.studies.structure.rows.trajectories import trajectory_rows
from repatlas.studies.structure.rows.weights import weight_rows


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    trajectories = rows["trajectories"]
    panels = panel_rows(at_step(rows["sweep"], step))
    parts = [
        panels,
        effect_rows(panels, "delta"),
        trajectory_rows(trajectories),
        pattern_rows(trajectories),
        weight_rows(trajectories),
    ]
    if "linear" in rows:
        parts.append(weight_rows(rows["linear"]))
    return pd.concat(parts, ignore_index=True)
