"""The labels that a user gives of rows, in whatever form, as the values of variables."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.design import coded, refuse_continuous
from repatlas.geometry.patterns import as_array, on_cpu
from repatlas.own.annotated import refuse_counter
from repatlas.own.arguments import as_names, as_representation, as_several
from repatlas.own.blocks import as_blocks
from repatlas.own.rows import matched_rows

Variables = Mapping[str, Sequence[Any] | None] | Sequence[str] | str | None


class Labelled(NamedTuple):
    """What Trials has of its rows."""

    samples: NDArray[Any]
    names: list[str]
    values: list[Any]
    levels: NDArray[np.intp]
    blocks: NDArray[np.intp] | None


def labelled(
    samples: ArrayLike, labels: Any, variables: Variables = None, blocks: Any = None
) -> Labelled:
    """Return samples, names of variables, values and levels, as Trials has them, and blocks.

    samples: (m, n); labels: a data frame or a mapping with a column for each variable, a series, or
    an array, (m, k) or (m,). Columns of an array are called "0", "1" and so on. Rows with names are
    matched by name (rows.py). variables: the columns that count, all of them if None; as a mapping
    also the values of each that count, in any order: rows with another value are left out. blocks:
    (m,), of each row, or None.
    """
    if variables is None:
        refuse_counter("labels", labels)
    columns = _columns(labels)
    wanted = list(columns) if variables is None else as_names("variables", variables)
    for name in wanted:
        if name not in columns:
            listed = ", ".join(map(repr, columns))
            raise ValueError(f"variables has {name!r}; labels has {listed}.")
    if not wanted:
        raise ValueError("labels has no column; allowed is one for each variable, or more.")
    given = {f"labels[{name!r}]": columns[name] for name in wanted}
    for name in wanted:
        if getattr(columns[name], "ndim", 1) > 1 and hasattr(columns[name], "iloc"):
            raise ValueError(f"labels has two columns {name!r}; rename one.")
    of_blocks = {} if blocks is None else {"blocks": blocks}
    rows = matched_rows({"samples": samples} | given | of_blocks)
    matrix = as_representation("samples", rows["samples"])
    arrays = {name: as_array(of, rows[of]) for name, of in zip(wanted, given, strict=True)}
    for name, array in arrays.items():
        if array.shape != (len(matrix),):
            turned = array.shape == (matrix.shape[1],)
            hint = " Samples are rows: samples.T has as many." if turned else ""
            raise ValueError(
                f"labels[{name!r}] has shape {array.shape}; allowed is one value for each of "
                f"the {len(matrix)} samples, and in an array or a list a column for each variable."
                f"{hint}"
            )
    groups = None if blocks is None else as_blocks(rows["blocks"], len(matrix), "samples")
    kept = np.ones(len(matrix), dtype=bool)
    for name in wanted:
        values = variables[name] if isinstance(variables, Mapping) else None
        if values is not None:
            kept &= _among(f"variables[{name!r}]", arrays[name], values)
    if not kept.any():
        raise ValueError("variables leaves no sample; allowed are values that some rows have.")
    codes = [coded(f"labels[{name!r}]", arrays[name][kept]) for name in wanted]
    for name, (found, _) in zip(wanted, codes, strict=True):
        refuse_continuous(f"labels[{name!r}]", found, int(kept.sum()))
    levels: NDArray[np.intp] = np.column_stack([of_rows for _, of_rows in codes])
    values = [values for values, _ in codes]
    groups = None if groups is None else groups[kept]
    return Labelled(matrix if kept.all() else matrix[kept], wanted, values, levels, groups)


def _columns(labels: Any) -> dict[str, Any]:
    if hasattr(labels, "columns"):  # a data frame
        return as_several("labels", {name: labels[name] for name in labels.columns})
    if isinstance(labels, Mapping):
        return as_several("labels", labels)
    if hasattr(labels, "to_numpy") and len(labels.shape) == 1:  # a series
        return {str(labels.name or "0"): labels}
    labels = on_cpu(labels)
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
