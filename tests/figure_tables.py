"""Tables of figures, as they are stored and as they are read."""

import pandas as pd
import pyarrow as pa

from repatlas.artifacts.files import read_table
from repatlas.figures.columns import schema_of, typed, with_all_columns, without_empty


def as_stored(frame: pd.DataFrame, *experiments: str) -> pa.Table:
    """Return the rows that a table function returns as they are in the file of a table."""
    frame = frame.dropna(axis=1, how="all")  # made-up rows have each column of all tables
    return without_empty(typed(frame, schema_of(frame, experiments)))


def as_drawn(frame: pd.DataFrame, *experiments: str) -> pd.DataFrame:
    """Return the rows that a table function returns as a drawing gets them."""
    return with_all_columns(as_stored(frame, *experiments)).to_pandas()


def read_figure_table(path) -> tuple[dict, pa.Table]:
    """Return the header of a table, and its rows with all columns."""
    header, table = read_table(path, "table")
    return header, with_all_columns(table)
