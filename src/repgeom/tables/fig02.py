"""Figure 2: separability."""

import pandas as pd

from repgeom.tables.panels import panel_rows
from repgeom.tables.trajectories import trajectory_rows


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    panels = rows["sweep"][rows["sweep"]["step"] == step]
    return pd.concat([panel_rows(panels), trajectory_rows(rows["trajectories"])], ignore_index=True)
