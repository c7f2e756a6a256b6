"""Input that names its rows: data frames, xarray's arrays, AnnData; and prepared layers.

xarray and anndata are not imported.
"""

from typing import Any

import numpy as np

from repatlas.inference.blocked import Blocked
from repatlas.own.rows import AXIS
from repatlas.own.tables import numbers_of


def is_annotated(value: Any) -> bool:
    """Return whether a value is an AnnData, or has what one has."""
    return all(hasattr(value, name) for name in ("X", "obs", "obs_names", "var_names"))


def has_axes(value: Any) -> bool:
    """Return whether a value is an xarray.DataArray, or has what one has."""
    return all(hasattr(value, name) for name in ("dims", "coords", "indexes", "to_numpy"))


def rows_of(value: Any) -> Any:
    """Return a matrix as a data frame with the names of its rows where they have names, and what
    `prepare` returns as its matrix; anything else as it is. A sparse matrix in an AnnData becomes a
    dense one. Raises ValueError for a column that only counts rows."""
    if isinstance(value, Blocked):
        return value.patterns
    if hasattr(value, "iloc"):
        refuse_counter("samples", value)
        return numbers_of(value, "samples") if hasattr(value, "columns") else value
    if not (is_annotated(value) or has_axes(value)):
        return value
    import pandas as pd

    matrix = matrix_of(value)
    if matrix.ndim != 2:
        others = ", ".join(f'"{axis}"' for axis in value.dims[1:])
        raise ValueError(
            f"found an array with the axes {', '.join(map(str, value.dims))}; allowed are two, "
            f"items x features: .stack(feature=[{others}]) makes one of all but the first."
        )
    found = pd.DataFrame(matrix, index=row_names(value))
    if has_axes(value):
        found.attrs[AXIS] = value.dims[0]
    return found


def matrix_of(value: Any) -> Any:
    """Return the numbers of input that names its rows, in memory; anything else as it is."""
    if is_annotated(value):
        return value.X.toarray() if hasattr(value.X, "toarray") else np.asarray(value.X)
    return value.to_numpy() if has_axes(value) or hasattr(value, "iloc") else value


def with_rows(value: Any, matrix: Any) -> Any:
    """Return a matrix with the names that the rows of `value` have; as it is where they have
    none."""
    names = row_names(value)
    if names is None:
        return matrix
    import pandas as pd

    return pd.DataFrame(matrix, index=names)


def row_names(value: Any) -> Any:
    """Return the names of rows as an index of pandas. None means that there are none, or that they
    count 0, 1, 2 ... The first axis of a DataArray is named by its index, or by its coordinates."""
    if is_annotated(value):
        names = value.obs_names
    elif has_axes(value):
        names = _names_of_axis(value)
    else:
        names = value.index if hasattr(value, "iloc") else None
    if names is None:
        return None
    counts = names.nlevels == 1 and [*map(str, names)] == [*map(str, range(len(names)))]
    return None if counts else names


def _names_of_axis(value: Any) -> Any:
    """Return the index of the first axis of a DataArray, or else all its coordinates together."""
    index = value.indexes.get(value.dims[0])
    if index is not None and index.nlevels == 1:
        return index
    table = _coordinates(value)
    return table.set_index(sorted(table.columns)).index if len(table.columns) else None


def _coordinates(value: Any) -> Any:
    import pandas as pd

    levels = getattr(value.indexes.get(value.dims[0]), "names", ())
    along = {
        str(name): each.to_numpy()
        for name, each in value.coords.items()
        if each.dims == (value.dims[0],)
        and (name in levels or getattr(value.indexes.get(name), "nlevels", 1) == 1)
    }
    return pd.DataFrame(along, index=range(value.shape[0]))


def table_of(value: Any) -> Any:
    """Return what is known of rows as a data frame with their names: obs of an AnnData, or the
    coordinates of the first axis of a DataArray. A frame is returned as it is, and None for
    anything else."""
    if not (is_annotated(value) or has_axes(value)):
        return value if hasattr(value, "iloc") else None
    found, names = value.obs if is_annotated(value) else _coordinates(value), row_names(value)
    return found.set_axis(range(len(found)) if names is None else names, axis=0)


def columns_of(samples: Any, name: str, columns: Any) -> Any:
    """Return the columns of the table of an AnnData, or the coordinates of a DataArray, that are
    named; anything else as it is.

    columns: a name or a list of names, or labels themselves. Raises ValueError for samples without
    the column.
    """
    several = [columns] if isinstance(columns, str) else columns
    named = isinstance(several, list | tuple) and all(isinstance(each, str) for each in several)
    if not named or (isinstance(columns, list) and len(columns) == len(samples) > 1):
        return columns
    if is_annotated(samples) or has_axes(samples):
        where = "samples.obs" if is_annotated(samples) else "samples"
        table = table_of(samples)
    elif isinstance(columns, str):
        has = hasattr(samples, "columns") and columns in samples.columns
        done = f"samples.drop(columns={columns!r}), samples[{columns!r}]"
        raise ValueError(
            f"{name} is {columns!r}, a name, and samples has no table beside its numbers. "
            + (f"Give both apart: {done}." if has else "Give a value for each row.")
        )
    else:
        return columns
    for each in several:
        if each not in table:
            listed = ", ".join(map(repr, table.columns))
            raise ValueError(f"{name} has {each!r}; {where} has {listed}.")
    return table[several[0] if isinstance(columns, str) else list(several)]


def refuse_counter(argument: str, frame: Any) -> None:
    """Refuse a column of a data frame that pandas made of an index, and that is no feature."""
    columns = [str(name) for name in getattr(frame, "columns", ())]
    for number, name in enumerate(columns if hasattr(frame, "iloc") else ()):
        counts = name == "" or name.startswith("Unnamed: ")
        if counts and list(frame.iloc[:, number]) == list(range(len(frame))):
            raise ValueError(
                f"{argument} has the column {name!r}, which counts rows: it is the index of the "
                f"frame that was saved. Leave it out: pandas.read_csv(path, index_col=0)."
            )
