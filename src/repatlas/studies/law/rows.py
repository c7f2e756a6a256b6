"""The rows of networks with one activation function each, with their settings as columns."""

from typing import Any

import pandas as pd

from repatlas.figures.rows import check_seeds, ending_at, settings_by_run
from repatlas.studies.law.columns import SETTINGS, settings_of

OF_UNITS = ["by", "deviation", "layer", "neuron", "cluster", "other_cluster"]
"""Columns of metrics in which the measures of this study do not differ."""


def rows_with_settings(
    files: list[tuple[dict, pd.DataFrame]], grid: Any, wanted: list[int]
) -> pd.DataFrame:
    """Return the rows of the grid's networks and steps, of these seeds; files: header and rows of
    each.

    Raises Refused where a network lacks a seed.
    """
    settings = settings_by_run([grid], settings_of, SETTINGS)
    metrics = pd.concat([frame for _, frame in files], ignore_index=True)
    chosen = metrics["run"].isin(settings["run"]) & metrics["seed"].isin(wanted)
    rows = metrics[chosen & metrics["step"].isin(grid.steps)]
    seeds = rows.groupby("run")["seed"].nunique().reindex(settings["run"], fill_value=0)
    check_seeds(seeds, len(wanted))
    return ending_at(rows, max(grid.steps)).merge(settings, on="run").drop(columns=OF_UNITS)
