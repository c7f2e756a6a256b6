"""The rows of networks on a few items, and of theories of them, with their settings as columns."""

import pandas as pd

from repatlas.experiments.items.spec import Grid
from repatlas.record import Refused
from repatlas.studies.gating.columns import SETTINGS, TABLE_SCHEMA, settings_of

OF_RUNS = ("loss", "singular_values", "gates", "matched_geometry")
"""The measures of whole runs, whose rows stand at epochs between those that are stored."""
DTYPES = {"double": "float64", "int32": "Int32", "string": "object"}
"""The types in pandas of settings that some networks lack, so that they stay what they are."""


def with_settings(
    files: list[tuple[dict, pd.DataFrame]], grid: Grid, wanted: list[int]
) -> pd.DataFrame:
    """The rows of the grid's networks up to its last step, of these seeds; files: header and rows
    of each. None for no seed, as in a preview that leaves them out.

    Raises Refused where a network lacks a seed.
    """
    dtypes = {name: DTYPES[str(kind)] for name, kind in SETTINGS.items()}
    settings = pd.DataFrame([{"run": s.key} | settings_of(s) for s in grid.specs()]).astype(dtypes)
    if not wanted:
        return pd.DataFrame(columns=TABLE_SCHEMA.names)
    last, keys = max(grid.steps), set(settings["run"])
    parts = []
    for _, frame in files:
        between = frame["by"].isin(OF_RUNS) & (frame["step"] <= last)
        chosen = frame["run"].isin(keys) & frame["seed"].isin(wanted)
        parts.append(frame[chosen & (between | frame["step"].isin(grid.steps))])
    rows = pd.concat(parts, ignore_index=True)
    seeds = rows.groupby("run")["seed"].nunique().reindex(settings["run"], fill_value=0)
    if (seeds < len(wanted)).any():
        missing = seeds[seeds < len(wanted)].index[0]
        raise Refused(f"the metrics lack network {missing}: {seeds[missing]} of its seeds")
    # A network may be trained longer for another sweep, and diverge only then.
    ends = {
        name: rows[name].where(rows[name] <= last) for name in ("diverged_step", "converged_step")
    }
    return rows.assign(**ends).merge(settings, on="run").drop(columns=["by", "deviation"])
