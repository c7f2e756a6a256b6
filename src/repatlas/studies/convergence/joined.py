"""Rows of networks and of pairs with the settings of their networks, for all experiments."""

import pandas as pd

from repatlas.figures.rows import check_seeds, ending_at


def network_rows(
    rows: pd.DataFrame, settings: pd.DataFrame, last: int, wanted: list[int]
) -> pd.DataFrame:
    """Return these rows of networks with their settings, of these seeds up to a last step.

    Raises Refused if a network lacks a seed.
    """
    seeds = rows.groupby("run")["seed"].nunique().reindex(settings["run"], fill_value=0)
    check_seeds(seeds, len(wanted))
    named = {"neuron": "unit", "deviation": "at"}
    return ending_at(rows, last).rename(columns=named).merge(settings, on="run").drop(columns="by")


def pair_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a comparison in the columns of tables. `run`, `seed`, `step` and `layer`
    belong to the first network of a pair. For the second network they begin with other_."""
    own = {f"a_{name}": name for name in ("run", "seed", "step", "layer")}
    other = {f"b_{name}": f"other_{name}" for name in ("run", "seed", "step", "layer")}
    named = rows.rename(columns=own | other | {"a_name": "layer_name"})
    return named.drop(columns=["by", "b_name"])
