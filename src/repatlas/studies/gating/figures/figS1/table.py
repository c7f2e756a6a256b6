"""Figure S1: the width of the transition."""

import pandas as pd

from repatlas.studies.gating.rows.xor import crossing_rows, last_units


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    units = last_units(rows["transition"])
    return pd.concat([units, crossing_rows(units)], ignore_index=True)
