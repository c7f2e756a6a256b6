"""Measures of variables and their null distributions."""

import pandas as pd

OF_VARIABLES = ("alignment", "ccgp", "decoding", "parallelism")


def tabulate(rows: dict[str, pd.DataFrame], step: None) -> pd.DataFrame:
    """Return the values, and all draws of their nulls."""
    return rows["of"][rows["of"]["measure"].isin(OF_VARIABLES)]
