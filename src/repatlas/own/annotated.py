"""Input that holds a matrix: prepared layers, and AnnData, whose rows have names and labels.

The package anndata is not imported.
"""

from __future__ import annotations

from typing import Any

from repatlas.inference.blocked import Blocked


def is_annotated(value: Any) -> bool:
    """Return whether a value is an AnnData, or has what one has."""
    return all(hasattr(value, name) for name in ("X", "obs", "obs_names", "var_names"))


def rows_of(value: Any) -> Any:
    """Return the matrix of an AnnData as a data frame with the names of its rows, and the matrix of
    what prepare returns; anything else as it is. A sparse matrix becomes a dense one."""
    if isinstance(value, Blocked):
        return value.patterns
    if not is_annotated(value):
        return value
    import pandas as pd

    matrix = value.X.toarray() if hasattr(value.X, "toarray") else value.X
    # Names that count 0, 1, 2 ... mean that rows have no names.
    counts = list(value.obs_names) == list(map(str, range(len(value.obs_names))))
    return pd.DataFrame(matrix, index=None if counts else value.obs_names)


def columns_of(samples: Any, name: str, columns: Any) -> Any:
    """Return the columns of the table of an AnnData that are named; anything else as it is.

    columns: a name or a list of names, or labels themselves. Raises ValueError for an AnnData
    without the column.
    """
    several = [columns] if isinstance(columns, str) else columns
    named = isinstance(several, list | tuple) and all(isinstance(each, str) for each in several)
    if not is_annotated(samples) or not named or len(several) == len(samples.obs) > 1:
        return columns
    for each in several:
        if each not in samples.obs:
            listed = ", ".join(map(repr, samples.obs.columns))
            raise ValueError(f"{name} has {each!r}; samples.obs has {listed}.")
    found = samples.obs[several[0] if isinstance(columns, str) else list(several)]
    rows = rows_of(samples)
    return found.set_axis(rows.index, axis=0)
