"""Figure C10: tanh and ReLU."""

import pandas as pd

from repatlas.studies.convergence.rows.matching import unit_rows
from repatlas.studies.convergence.rows.networks import accuracies


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    networks = rows["mlp"]
    units = rows["mlp_units"]
    hidden = units["layer"].between(1, units["depth"].astype(float))
    matched = units["measure"].isin(["matching", "natural"])
    found = unit_rows(units[(hidden & matched) | (units["layer"] < 0)], networks)
    less_floor = found["variant"].str.endswith(" minus floor")
    return pd.concat([accuracies(networks), found[less_floor]], ignore_index=True)
