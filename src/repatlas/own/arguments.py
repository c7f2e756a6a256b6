"""Representations and names as a user gives them, or a sentence that says what is wrong."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry.balanced import at_least
from repatlas.geometry.patterns import as_matrix
from repatlas.similarity.dissimilarities import Dissimilarities

MOST_THREADS = 4
"""The most threads unless a number is given, since each may need 1.2 GB."""
Text = TypeVar("Text")


def as_representation(name: str, value: Any) -> NDArray[Any]:
    """Return one representation as a finite matrix, (m, n), in its own precision. Dissimilarities
    are returned as they are."""
    if isinstance(value, Dissimilarities):
        return cast("NDArray[Any]", value)
    if isinstance(value, Mapping):
        raise ValueError(
            f"{name} is a mapping of {len(value)}; allowed is one representation, such as each of "
            f"its values."
        )
    if isinstance(value, list | tuple) and len({np.ndim(each) for each in value} - {0, 1}):
        raise ValueError(
            f"{name} is a list of matrices; allowed is one matrix, or for compare and report a "
            f"mapping from a name to each: dict(enumerate({name}))."
        )
    return as_matrix(name, value)


def as_several(name: str, arrays: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a mapping with texts as names. Raises ValueError if two names are the same text."""
    found: dict[str, Any] = {}
    for key, value in arrays.items():
        if str(key) in found:
            raise ValueError(f"{name} has two names that are written {str(key)!r}; rename one.")
        found[str(key)] = value
    return found


def as_names(argument: str, names: str | Iterable[Text]) -> list[Any]:
    """Return names as a list. A text is one name. Raises ValueError for none."""
    found = [names] if isinstance(names, str) else list(names)
    if not found:
        raise ValueError(f"{argument} is empty; allowed is one name or more.")
    return found


def as_measures(
    measures: str | Iterable[Text], allowed: Sequence[str], hints: Mapping[str, str] | None = None
) -> list[Any]:
    """Return names of measures as a list. hints: what the refusal of some names adds. Raises
    ValueError for none, and for one that is not allowed."""
    found = as_names("measures", measures)
    for name in found:
        if name not in allowed:
            hint = (hints or {}).get(name, "")
            raise ValueError(f"measures has {name!r}; allowed are {', '.join(allowed)}.{hint}")
    return found


def number_of_threads(threads: int | None) -> int:
    """Return the number of threads that is meant. None means as many as this process has cores, and
    4 at most."""
    if threads is not None:
        at_least("threads", threads, 1)
        return int(threads)
    # Not everywhere can a process be kept to some of the cores.
    has = getattr(os, "sched_getaffinity", None)
    return min(len(has(0)) if has else os.cpu_count() or 1, MOST_THREADS)


def in_words(value: Any) -> str:
    """Return a value for a sentence: a text or a number as it is, anything else by its type."""
    return repr(value) if isinstance(value, str | int | float) else f"a {type(value).__name__}"
