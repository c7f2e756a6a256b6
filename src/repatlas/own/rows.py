"""Rows that have names, as the index of a pandas frame gives them, brought into one order.

One rule holds for every argument of measure and compare: rows with names are matched by name, and
never by position.

- Two arguments with an index must have the same names, each once. The order of the first counts.
- An argument without an index (an array, a list, a tensor, a polars frame) has no names. Its rows
  are matched by position with an index that counts 0, 1, 2 ... in this order, as pandas makes it
  where nothing else is given. Any other index is then refused.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

AXIS = "first axis"
"""The attribute of a frame that has what xarray calls the axis of its rows."""
SHOWN = 5
"""The most names of rows that a sentence shows."""


def matched_rows(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with their rows in one order, by the rule of this module.

    arguments: by the name that a sentence has for them. Needs no pandas for arguments without an
    index. Raises ValueError where rows cannot be matched.
    """
    # A frame or a series; lists have an `index`, too, which is a method.
    named = {name: value for name, value in arguments.items() if hasattr(value, "iloc")}
    _refuse_other_axes(named)
    nameless = next((name for name in arguments if name not in named), None)
    if nameless is not None:
        refuse_named(named, nameless)
        return dict(arguments)
    if len(named) < 2:
        return dict(arguments)
    first, reference = next((name, value.index) for name, value in named.items())
    return {
        name: value.iloc[_places(name, value.index, first, reference)]
        for name, value in named.items()
    }


def _refuse_other_axes(arguments: Mapping[str, Any]) -> None:
    """Refuse arrays of xarray whose first axes have several names."""
    axes = {name: value.attrs[AXIS] for name, value in arguments.items() if AXIS in value.attrs}
    first = next(iter(axes), "")
    for name, axis in axes.items():
        if axis != axes[first]:
            raise ValueError(
                f"{first} has {axes[first]!r} as rows and {name} has {axis!r}; give one of them "
                f"as {name}.transpose({axes[first]!r}, ...)."
            )


def refuse_named(arguments: Mapping[str, Any], nameless: str) -> None:
    """Refuse arguments with names of their rows, where one has none."""
    for name, value in arguments.items():
        if hasattr(value, "iloc") and list(value.index) != list(range(len(value))):
            raise ValueError(
                f"{name} has names for its rows (its index) and {nameless} has none, so that "
                f"rows cannot be matched. Give {nameless} as a data frame with the same index, "
                f"or {name}.to_numpy() if the rows of both are in the same order."
            )


def _places(name: str, index: Any, first: str, reference: Any) -> Any:
    """Return where in `index` each name of the reference is."""
    for of, names in ((first, reference), (name, index)):
        if not names.is_unique:
            repeated = names[names.duplicated()].tolist()[0]
            raise ValueError(
                f"{of} has {repeated!r} more than once in its index. Rows are matched by their "
                f"names, so each must be there once: give both arguments with "
                f".reset_index(drop=True) if their rows are in the same order."
            )
    if index.equals(reference):
        return slice(None)
    both = (first, reference, name, index), (name, index, first, reference)
    for has, names, lacks, others in both:
        missing = names[_found(others, names) < 0]
        if len(missing):
            more = ", ..." if len(missing) > SHOWN else ""
            raise ValueError(
                f"{lacks} lacks {len(missing)} of the rows that the index of {has} names: "
                f"{', '.join(map(repr, missing[:SHOWN].tolist()))}{more}. Both must have the same "
                f"rows: choose them with .loc, or give .to_numpy() of both if rows are in the same "
                f"order."
            )
    return _found(index, reference)


def _found(index: Any, names: Any) -> Any:
    """Return the place in `index` of each of these names, -1 where it is not there."""
    if index.nlevels != names.nlevels:
        return np.full(len(names), -1)
    return index.get_indexer(names)
