"""Figure 2: separability."""

import pandas as pd

from repatlas.inference.contrasts import tanh_minus_relu
from repatlas.inference.pooling import not_diverged
from repatlas.studies.structure.rows.panels import GROUP, at_step, effect_rows, panel_rows
from repatlas.studies.structure.rows.patterns import pattern_rows
from repatlas.studies.structure.rows.sign_changes import sign_change_rows
from repatlas.studies.structure.rows.trajectories import trajectory_rows
from repatlas.studies.structure.rows.weights import weight_rows


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    trajectories = rows["trajectories"]
    panels = panel_rows(at_step(rows["sweep"], step))
    parts = [
        panels,
        effect_rows(panels, "delta"),
        _crossing_rows(panels),
        trajectory_rows(trajectories),
        pattern_rows(trajectories),
        weight_rows(trajectories),
    ]
    if "linear" in rows:
        parts.append(weight_rows(rows["linear"]))
    return pd.concat(parts, ignore_index=True)


def _crossing_rows(panels: pd.DataFrame) -> pd.DataFrame:
    """The delta from which on tanh networks have the higher target alignment."""
    alignment = not_diverged(panels[panels["measure"] == "target_alignment"])
    return sign_change_rows(tanh_minus_relu(alignment, [*GROUP, "delta"]), GROUP, "delta")
