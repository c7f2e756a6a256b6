"""Rows of networks and of pairs beside the settings of their networks, whatever the experiment."""

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd
import pyarrow as pa

from repatlas.record import Record, Refused

DTYPES = {"double": "float64", "int32": "Int32", "string": "object"}
"""The types in pandas of settings that some networks lack, so that they stay what they are."""


def settings_by_run(
    grids: Iterable[Record],
    settings_of: Callable[[Any], dict[str, Any]],
    columns: dict[str, pa.DataType],
) -> pd.DataFrame:
    """The settings of each network of these grids, with its key in `run`."""
    specs = {spec.key: spec for grid in grids for spec in grid.specs()}
    found = [{"run": key} | settings_of(spec) for key, spec in specs.items()]
    return pd.DataFrame(found).astype({name: DTYPES[str(kind)] for name, kind in columns.items()})


def of_networks(
    rows: pd.DataFrame, settings: pd.DataFrame, last: int, wanted: list[int]
) -> pd.DataFrame:
    """These rows of networks with their settings, of these seeds up to a last step. Raises
    Refused where a network lacks a seed."""
    seeds = rows.groupby("run")["seed"].nunique().reindex(settings["run"], fill_value=0)
    if (seeds < len(wanted)).any():
        missing = seeds[seeds < len(wanted)].index[0]
        raise Refused(f"the metrics lack network {missing}: {seeds[missing]} of its seeds")
    # A network may be trained longer for another sweep, and diverge only then.
    ends = {
        name: rows[name].where(rows[name] <= last) for name in ("diverged_step", "converged_step")
    }
    named = {"neuron": "unit", "deviation": "at"}
    return rows.assign(**ends).rename(columns=named).merge(settings, on="run").drop(columns="by")


def of_pairs(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of a comparison in the columns of tables: `run`, `seed`, `step` and `layer` are of
    the first network of a pair, and begin with other_ for the second."""
    own = {f"a_{name}": name for name in ("run", "seed", "step", "layer")}
    other = {f"b_{name}": f"other_{name}" for name in ("run", "seed", "step", "layer")}
    named = rows.rename(columns=own | other | {"a_name": "layer_name"})
    return named.drop(columns=["by", "b_name"])
