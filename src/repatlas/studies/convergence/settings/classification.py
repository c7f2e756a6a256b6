"""The rows of networks that name images, and of pairs of them, with their settings as columns."""

import pandas as pd

from repatlas.experiments.classification.spec import Grid
from repatlas.figures.rows import settings_by_run
from repatlas.studies.convergence.columns import SETTINGS, TABLE_SCHEMA, settings_of
from repatlas.studies.convergence.joined import network_rows, pair_rows

OF_PASSES = ("learning_curves", "loss")
"""The measures whose rows are at ends of passes, between the steps that are stored."""


def with_settings(
    files: list[tuple[dict, pd.DataFrame]], grid: Grid, wanted: list[int]
) -> pd.DataFrame:
    """Return the rows of the grid's networks up to its last step, of these seeds.

    files: header and rows of each. The result is None if there is no seed, as in a preview that
    leaves them out.

    Raises Refused where a network lacks a seed.
    """
    settings = _settings([grid])
    if not wanted:
        return TABLE_SCHEMA.empty_table().to_pandas()
    last, keys = max(grid.steps), set(settings["run"])
    parts = []
    for _, frame in files:
        between = frame["by"].isin(OF_PASSES) & (frame["step"] <= last)
        chosen = frame["run"].isin(keys) & frame["seed"].isin(wanted)
        parts.append(frame[chosen & (between | frame["step"].isin(grid.steps))])
    rows = pd.concat(parts, ignore_index=True)
    return network_rows(rows, settings, last, wanted)


def pairs_with_settings(rows: pd.DataFrame, first: list[Grid], second: list[Grid]) -> pd.DataFrame:
    """Return the rows of a comparison, with the settings of the first network of each pair.

    The settings of the second network follow from its `other_run`.
    """
    return pair_rows(rows).merge(_settings(first), on="run")


def _settings(grids: list[Grid]) -> pd.DataFrame:
    """Return the settings of each network, by its key in `run`."""
    return settings_by_run(grids, settings_of, SETTINGS)
