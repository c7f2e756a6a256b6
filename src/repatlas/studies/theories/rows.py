"""The rows of networks, with their settings as columns."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from repatlas.figures.rows import check_seeds, ending_at, settings_by_run
from repatlas.studies.theories.columns import SETTINGS

COLUMNS = ["run", "seed", "step", "measure", "variant", "value", "diverged_step", "converged_step"]


def rows_with_settings(
    files: list[tuple[dict, pd.DataFrame]],
    grid: Any,
    wanted: list[int],
    settings_of: Callable[[Any], dict[str, Any]],
) -> pd.DataFrame:
    """Return the rows of the grid's networks up to its last step, of these seeds; files: header and
    rows of each.

    Raises Refused where a network lacks a seed.
    """
    settings = settings_by_run([grid], settings_of, SETTINGS)
    if not wanted:
        return pd.DataFrame(columns=[*COLUMNS, *SETTINGS])
    metrics = pd.concat([frame for _, frame in files], ignore_index=True)
    chosen = metrics["run"].isin(settings["run"]) & metrics["seed"].isin(wanted)
    rows = metrics[chosen & (metrics["step"] <= max(grid.steps))]
    seeds = rows.groupby("run")["seed"].nunique().reindex(settings["run"], fill_value=0)
    check_seeds(seeds, len(wanted))
    return ending_at(rows, max(grid.steps))[COLUMNS].merge(settings, on="run")
