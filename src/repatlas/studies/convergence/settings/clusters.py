"""The rows of networks on clusters, and of pairs of them, with their settings as columns."""

import pandas as pd

from repatlas.experiments.clusters.spec import Grid
from repatlas.figures.rows import settings_by_run
from repatlas.studies.convergence.columns import (
    OTHER_ACTIVATION,
    SETTINGS,
    TABLE_SCHEMA,
    TASK,
    settings_on_clusters,
)
from repatlas.studies.convergence.joined import network_rows, pair_rows


def with_settings(
    files: list[tuple[dict, pd.DataFrame]], grid: Grid, wanted: list[int]
) -> pd.DataFrame:
    """Return the rows of the grid's networks at its steps, of these seeds.

    files: header and rows of each. The result is None if there is no seed, as in a preview that
    leaves them out.

    Raises Refused where a network lacks a seed.
    """
    settings = _settings([grid])
    if not wanted:
        return pd.DataFrame(columns=[*TABLE_SCHEMA.names, *TASK, OTHER_ACTIVATION])
    rows = pd.concat([frame for _, frame in files], ignore_index=True)
    chosen = rows["run"].isin(settings["run"]) & rows["step"].isin(grid.steps)
    own = rows[chosen & rows["seed"].isin(wanted)]
    return network_rows(own, settings, max(grid.steps), wanted)


def pairs_with_settings(rows: pd.DataFrame, first: list[Grid], second: list[Grid]) -> pd.DataFrame:
    """Return the rows of a comparison, with the settings of the first network of each pair.

    The activation of the second network is there, too; its task is the same.
    """
    found = pair_rows(rows).merge(_settings(first), on="run")
    others = _settings(second)[["run", "activation"]]
    named = {"run": "other_run", "activation": OTHER_ACTIVATION}
    return found.merge(others.rename(columns=named), on="other_run")


def _settings(grids: list[Grid]) -> pd.DataFrame:
    """Return the settings of each network, by its key in `run`."""
    return settings_by_run(grids, settings_on_clusters, SETTINGS | TASK)
