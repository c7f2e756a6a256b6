"""Figure 3: separability and training noise."""

import pandas as pd

from repatlas.studies.structure.rows.panels import at_step, panel_rows


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    return panel_rows(at_step(rows["sweep"], step))
