"""What the braces of a user's representation stand for, as columns."""

from typing import Any

import pyarrow as pa

COLUMNS = {
    "representation": pa.string(),
    "unit": pa.string(),
    "label": pa.string(),
    "order": pa.int32(),
    "first_axis": pa.string(),
    "times": pa.list_(pa.string()),
}
"""`representation` is the name of a set, and `label` has the values of the braces except the unit,
as text. `order` is the position in the set, and `first_axis` the brace along which figures over
settings draw it. `times` has the names of the times. Each brace has a column with its own name."""
TAKEN = ("representation", "label", "unit", "order", "axis", "place", "line", "measure", "about")
TAKEN += ("variant", "value", "low", "high", "chance", "p", "p_geometry", "p_family", "n", "of")
TAKEN += ("cluster", "neuron", "draw", "reason", "run", "a", "b", "statistic", "permuted")
"""Columns of results, which braces cannot be called."""
LAYER = "layer"
"""The brace that figures over layers are about."""


def columns_of(spec: Any) -> dict[str, Any]:
    """Return what the braces of a representation stand for, with its set and unit."""
    unit = None if spec.unit is None else str(spec.columns[spec.unit])
    return brace_columns(spec.columns) | {"representation": spec.name, "unit": unit}


def columns_of_set(grid: Any) -> list[dict[str, Any]]:
    """Return the columns of each representation that follow from its set."""
    alone = len({each.columns.get("draw") for each in grid.arrays}) == 1
    unsaid = {grid.unit} | ({"pseudo_population"} if alone else set())
    times = None if grid.times is None else [str(time) for time in grid.times]
    common = {"first_axis": first_axis(grid), "times": times}
    found = []
    for order, each in enumerate(grid.arrays):
        said = {n: v for n, v in brace_columns(each.columns).items() if n not in unsaid}
        found.append({"label": label_of(said), "order": order} | common)
    return found


def brace_columns(columns: dict[str, Any]) -> dict[str, Any]:
    """Return the values of braces by the names of the tables' columns.

    The draw of a pseudo-population has another column than the draw of a null.
    """
    return {"pseudo_population" if name == "draw" else name: v for name, v in columns.items()}


def label_of(columns: dict[str, Any]) -> str:
    """Return the values of braces as text; layers have no word before them.

    >>> label_of({"layer": "conv1", "epoch": 3})
    'conv1, epoch 3'
    """
    return ", ".join(str(v) if name == LAYER else f"{name} {v}" for name, v in columns.items())


def first_axis(grid: Any) -> str | None:
    """Return the brace that is the axis of figures over settings.

    It is the first in the path that is neither layer nor unit and has two values or more.
    """
    every = [brace_columns(each.columns) for each in grid.arrays]
    for name in every[0]:
        values = {columns.get(name) for columns in every}
        if name not in (LAYER, grid.unit) and len(values) > 1:
            return name
    return None
