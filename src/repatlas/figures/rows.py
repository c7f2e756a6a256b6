"""The rows of networks, and of pairs of networks, with their settings as columns."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from repatlas.named import named
from repatlas.record import Record, Refused

DTYPES = {"double": "float64", "int32": "Int32", "string": "object"}
"""The types in pandas of settings that some networks lack, so that they stay what they are."""
BETWEEN_STEPS = {
    *("gates", "learning_curves", "loss", "matched_geometry", "singular_values"),
    *("theories_on_clusters", "theories_on_items"),
}
"""The measures of whole runs that have rows at steps between the stored ones."""
OF_PAIRS = {"a": "run", "b": "other_run", "a_name": "layer_name"}
OF_PAIRS |= {f"a_{name}": name for name in ("run", "seed", "step", "layer")}
OF_PAIRS |= {f"b_{name}": f"other_{name}" for name in ("run", "seed", "step", "layer")}
"""The columns of tables, by those of files of pairs."""


def pair_rows(pairs: pd.DataFrame, first: list[Any], second: list[Any]) -> pd.DataFrame:
    """Return the rows of a comparison with the settings of both networks. Columns of the second
    network begin with other_. first, second: the grids of both sides.

    Raises Refused for pairs of other networks.
    """
    found = pairs.rename(columns=OF_PAIRS).drop(columns=["by", "b_name"], errors="ignore")
    found = found.merge(settings_of(first), on="run")
    found = found.merge(settings_of(second).add_prefix("other_"), on="other_run")
    if len(found) < len(pairs):
        raise Refused("a comparison has pairs of other networks than its sweeps")
    return found


def settings_of(grids: Iterable[Record]) -> pd.DataFrame:
    """Return the settings of each network of these grids, with its key in `run`."""
    found: dict[str, dict[str, Any]] = {}
    types: dict[str, Any] = {}
    for grid in grids:
        columns = named(f"experiments.{grid.experiment}", "columns")
        specs = grid.specs()
        for spec in specs:
            found[spec.key] = {"run": spec.key} | columns.columns_of(spec)
        if hasattr(columns, "columns_of_set"):
            for spec, more in zip(specs, columns.columns_of_set(grid), strict=True):
                found[spec.key] |= more
        types |= columns.COLUMNS
    frame = pd.DataFrame(list(found.values()))
    dtypes = {name: DTYPES.get(str(types[name])) for name in frame if name in types}
    return frame.astype({name: dtype for name, dtype in dtypes.items() if dtype})


def ending_at(rows: pd.DataFrame, last: int) -> pd.DataFrame:
    """Return the rows with `diverged_step` and `converged_step` empty if they are after step
    `last`. A network may be trained longer for another sweep, and diverge only then."""
    later = {
        name: rows[name].where(rows[name] <= last) for name in ("diverged_step", "converged_step")
    }
    return rows.assign(**later)
