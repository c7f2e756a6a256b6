"""Figure 3: separability and training noise."""

import pandas as pd

from repgeom.tables.panels import panel_rows


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    return panel_rows(rows["sweep"][rows["sweep"]["step"] == step])
