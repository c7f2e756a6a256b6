"""Figure C10: tanh and ReLU."""

import pandas as pd

from repatlas.studies.convergence.rows.activations import activation_rows
from repatlas.studies.convergence.rows.matching import unit_rows
from repatlas.studies.convergence.rows.networks import accuracies

TASKS = {"separable": "separable_pairs", "lines": "lines_pairs"}
"""The keys of comparisons, by the keys of networks."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    networks = rows["mlp"]
    units = rows["mlp_units"]
    hidden = units["layer"].between(1, units["depth"].astype(float))
    matched = units["measure"].isin(["matching", "natural"])
    found = unit_rows(units[(hidden & matched) | (units["layer"] < 0)], networks)
    less_floor = found["variant"].str.endswith(" minus floor")
    parts = [accuracies(networks), found[less_floor]]
    for of_networks, of_pairs in TASKS.items():
        if of_networks in rows and of_pairs in rows:
            parts.append(accuracies(rows[of_networks]))
            parts += activation_rows(rows[of_pairs], rows[of_networks])
    return pd.concat([part for part in parts if len(part)], ignore_index=True)
