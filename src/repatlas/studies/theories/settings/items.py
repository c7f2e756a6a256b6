"""The rows of networks on a few items, and of the closed form."""

import pandas as pd

from repatlas.experiments.items.spec import Grid
from repatlas.studies.theories.columns import settings_on_items
from repatlas.studies.theories.rows import rows_with_settings


def with_settings(
    files: list[tuple[dict, pd.DataFrame]], grid: Grid, wanted: list[int]
) -> pd.DataFrame:
    """Return the rows of the grid's networks, of these seeds, with their settings."""
    return rows_with_settings(files, grid, wanted, settings_on_items)
