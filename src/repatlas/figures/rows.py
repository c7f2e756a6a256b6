"""The rows of networks with their settings, from which the tables of figures are made."""

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
    """Return the settings of each network of these grids, with its key in `run`."""
    specs = {spec.key: spec for grid in grids for spec in grid.specs()}
    found = [{"run": key} | settings_of(spec) for key, spec in specs.items()]
    return pd.DataFrame(found).astype({name: DTYPES[str(kind)] for name, kind in columns.items()})


def ending_at(rows: pd.DataFrame, last: int) -> pd.DataFrame:
    """Return the rows with `diverged_step` and `converged_step` empty if they are after step
    `last`. A network may be trained longer for another sweep, and diverge only then."""
    later = {
        name: rows[name].where(rows[name] <= last) for name in ("diverged_step", "converged_step")
    }
    return rows.assign(**later)


def check_seeds(found: pd.Series, wanted: int) -> None:
    """Refuse rows in which a network lacks a seed.

    found: how many seeds each network has, by its key.
    """
    if (found < wanted).any():
        missing = found[found < wanted].index[0]
        raise Refused(f"the metrics lack network {missing}: {found[missing]} of its seeds")
