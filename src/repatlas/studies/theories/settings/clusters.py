"""The rows of networks on clusters."""

import pandas as pd

from repatlas.experiments.clusters.spec import Grid
from repatlas.studies.theories.columns import settings_on_clusters
from repatlas.studies.theories.rows import rows_with_settings


def with_settings(
    files: list[tuple[dict, pd.DataFrame]], grid: Grid, wanted: list[int]
) -> pd.DataFrame:
    """Return the rows of the grid's networks, of these seeds, with their settings."""
    return rows_with_settings(files, grid, wanted, settings_on_clusters)
