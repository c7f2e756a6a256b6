"""The rows of a representation, with the values that variables had in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.design import coded
from repatlas.geometry.patterns import as_array, as_matrix

Variables = Mapping[str, Sequence[Any] | None] | Sequence[str] | None


class Trials:
    """Samples, (m, n), and of each the values of k variables, as indices, (m, k).

    samples: (m, n); labels: a data frame or a mapping with a column for each variable, or an array
    of (m, k) or (m,), whose columns are called "0", "1" and so on. variables: the columns that
    count, all of them if None; as a mapping also the values of each that count, in any order: rows
    with another value are left out.
    """

    def __init__(self, samples: ArrayLike, labels: Any, variables: Variables = None):
        matrix = as_matrix("samples", samples)
        columns = _columns(labels)
        wanted = list(columns) if variables is None else list(variables)
        for name in wanted:
            if name not in columns:
                found = ", ".join(map(repr, columns))
                raise ValueError(f"variables has {name!r}; labels has {found}.")
        if not wanted:
            raise ValueError("labels has no column; allowed is one for each variable, or more.")
        arrays = {name: as_array(f"labels[{name!r}]", columns[name]) for name in wanted}
        for name, array in arrays.items():
            if array.shape != (len(matrix),):
                raise ValueError(
                    f"labels[{name!r}] has shape {array.shape}; allowed is one value for each of "
                    f"the {len(matrix)} samples."
                )
        kept = np.ones(len(matrix), dtype=bool)
        for name in wanted:
            values = variables[name] if isinstance(variables, Mapping) else None
            if values is not None:
                kept &= _among(f"variables[{name!r}]", arrays[name], values)
        if not kept.any():
            raise ValueError("variables leaves no sample; allowed are values that some rows have.")
        self.names = wanted
        self.samples: NDArray[Any] = matrix if kept.all() else matrix[kept]
        codes = [coded(f"labels[{name!r}]", arrays[name][kept]) for name in wanted]
        self.values = [values for values, _ in codes]
        self.levels: NDArray[np.intp] = np.column_stack([of_rows for _, of_rows in codes])
        _, condition = np.unique(self.levels, axis=0, return_inverse=True)
        self.conditions: NDArray[np.intp] = condition.ravel()

    @property
    def counts(self) -> NDArray[np.intp]:
        """The number of rows of each condition, (P,)."""
        return np.bincount(self.conditions)


def _columns(labels: Any) -> dict[str, Any]:
    if hasattr(labels, "columns"):  # a data frame
        return {str(name): labels[name] for name in labels.columns}
    if isinstance(labels, Mapping):
        return {str(name): column for name, column in labels.items()}
    in_lists = isinstance(labels, list | tuple)
    # numpy would make strings of the numbers in a list of both.
    table = np.array(labels, dtype=object) if in_lists else np.asanyarray(labels)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2:
        raise ValueError(f"labels has shape {table.shape}; allowed are (m, k) and (m,).")
    return {str(number): column for number, column in enumerate(table.T)}


def _among(name: str, column: NDArray[Any], values: Sequence[Any]) -> NDArray[np.bool_]:
    found = set(column.tolist())
    for value in values:
        if value not in found:
            some = ", ".join(map(repr, sorted(found)[:5]))
            raise ValueError(f"{name} has {value!r}, which no row has; found: {some}.")
    return np.isin(column, np.array(list(values)))
