"""Figure 3: separability and training noise."""

import pandas as pd

from repatlas.studies.structure.rows.panels import at_step, effect_rows, panel_rows


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    panels = panel_rows(at_step(rows["sweep"], step))
    return pd.concat([panels, effect_rows(panels, "delta")], ignore_index=True)
