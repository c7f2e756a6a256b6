"""The rows of networks on a few items, and of theories of them, with their settings as columns."""

import pandas as pd

from repatlas.experiments.items.spec import Grid
from repatlas.figures.rows import check_seeds, ending_at, settings_by_run
from repatlas.studies.gating.columns import SETTINGS, TABLE_SCHEMA, settings_of

OF_RUNS = ("loss", "singular_values", "gates", "matched_geometry")
"""The measures of whole runs, whose rows are at epochs between the stored epochs."""


def with_settings(
    files: list[tuple[dict, pd.DataFrame]], grid: Grid, wanted: list[int]
) -> pd.DataFrame:
    """Return the rows of the grid's networks up to its last step, of these seeds.

    files: header and rows of each. The result is None if there is no seed, as in a preview that
    leaves them out.

    Raises Refused where a network lacks a seed.
    """
    settings = settings_by_run([grid], settings_of, SETTINGS)
    if not wanted:
        return TABLE_SCHEMA.empty_table().to_pandas()
    last, keys = max(grid.steps), set(settings["run"])
    parts = []
    for _, frame in files:
        between = frame["by"].isin(OF_RUNS) & (frame["step"] <= last)
        chosen = frame["run"].isin(keys) & frame["seed"].isin(wanted)
        parts.append(frame[chosen & (between | frame["step"].isin(grid.steps))])
    rows = pd.concat(parts, ignore_index=True)
    seeds = rows.groupby("run")["seed"].nunique().reindex(settings["run"], fill_value=0)
    check_seeds(seeds, len(wanted))
    return ending_at(rows, last).merge(settings, on="run").drop(columns=["by", "deviation"])
