"""The conditions as points."""

import pandas as pd


def tabulate(rows: dict[str, pd.DataFrame], step: None) -> pd.DataFrame:
    """Return the coordinates of each condition, and the share of the distances that they keep."""
    return rows["of"][rows["of"]["measure"].isin(("geometry", "explained"))]
