"""The rows of networks that name images, and of pairs of them, with their settings as columns."""

import pandas as pd

from repatlas.experiments.classification.spec import Grid
from repatlas.record import Refused
from repatlas.studies.convergence.columns import SETTINGS, TABLE_SCHEMA, settings_of

OF_PASSES = ("learning_curves", "loss")
"""The measures whose rows stand at ends of passes, between the steps that are stored."""
DTYPES = {"double": "float64", "int32": "Int32", "string": "object"}
"""The types in pandas of settings that some networks lack, so that they stay what they are."""


def with_settings(files: list[tuple[dict, pd.DataFrame]], grid: Grid, wanted: int) -> pd.DataFrame:
    """The rows of the grid's networks up to its last step, of so many seeds; files: header and rows
    of each. None for no seed, as in a preview that leaves them out.

    Raises Refused where a network lacks a seed.
    """
    settings = _settings([grid])
    if not wanted:
        return pd.DataFrame(columns=TABLE_SCHEMA.names)
    last, keys = max(grid.steps), set(settings["run"])
    parts = []
    for _, frame in files:
        between = frame["by"].isin(OF_PASSES) & (frame["step"] <= last)
        chosen = frame["run"].isin(keys) & (frame["seed"] < wanted)
        parts.append(frame[chosen & (between | frame["step"].isin(grid.steps))])
    rows = pd.concat(parts, ignore_index=True)
    seeds = rows.groupby("run")["seed"].nunique().reindex(settings["run"], fill_value=0)
    if (seeds < wanted).any():
        missing = seeds[seeds < wanted].index[0]
        raise Refused(f"the metrics lack network {missing}: {seeds[missing]} of its seeds")
    # A network may be trained longer for another sweep, and diverge only then.
    ends = {
        name: rows[name].where(rows[name] <= last) for name in ("diverged_step", "converged_step")
    }
    named = {"neuron": "unit", "deviation": "at"}
    return rows.assign(**ends).rename(columns=named).merge(settings, on="run").drop(columns="by")


def pairs_with_settings(rows: pd.DataFrame, first: list[Grid], second: list[Grid]) -> pd.DataFrame:
    """The rows of a comparison, with the settings of the first network of each pair; those of the
    second follow from its `other_run`."""
    own = {f"a_{name}": name for name in ("run", "seed", "step", "layer")}
    other = {f"b_{name}": f"other_{name}" for name in ("run", "seed", "step", "layer")}
    named = rows.rename(columns=own | other | {"a_name": "layer_name"})
    return named.merge(_settings(first), on="run").drop(columns=["by", "b_name"])


def _settings(grids: list[Grid]) -> pd.DataFrame:
    """Of each network, by its key in `run`."""
    dtypes = {name: DTYPES[str(kind)] for name, kind in SETTINGS.items()}
    specs = {spec.key: spec for grid in grids for spec in grid.specs()}
    found = [{"run": key} | settings_of(spec) for key, spec in specs.items()]
    return pd.DataFrame(found).astype(dtypes)
