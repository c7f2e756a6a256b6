"""Representations and names as a user gives them, or a sentence that says what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry.patterns import as_matrix, parts, release

LARGEST = 1e75
"""The largest number whose products of four, as in the norm of a kernel, can be represented."""
Text = TypeVar("Text")


def as_representation(name: str, value: Any) -> NDArray[Any]:
    """Return one representation as a finite matrix, (m, n), in its own precision."""
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
    with values_of(name):
        return as_matrix(name, value)


@contextmanager
def values_of(name: str) -> Iterator[None]:
    """Refuse a tensor of torch that has no values."""
    try:
        yield
    except NotImplementedError as error:
        raise ValueError(f"{name} is no array for numpy. {error}") from None


def refuse_seed(seed: Any) -> None:
    """Refuse a seed from which numpy cannot draw."""
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"seed is {seed!r}; allowed are whole numbers from 0.")


def refuse_extremes(name: str, matrix: NDArray[Any]) -> None:
    """Refuse numbers so large or so small that a product of four is infinite or 0."""
    if matrix.dtype.kind == "f" and matrix.dtype.itemsize >= 8:
        blocks = (matrix[rows] for rows in parts(*matrix.shape))
        largest = max(max(float(block.max()), -float(block.min())) for block in blocks)
        release(matrix)
        if largest and not 1 / LARGEST <= largest <= LARGEST:
            raise ValueError(
                f"{name} has {largest:.3g} as its largest number; allowed are {1 / LARGEST:g} to "
                f"{LARGEST:g}: multiply all by one factor, which changes no measure."
            )


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


def in_words(value: Any) -> str:
    """Return a value for a sentence: a text or a number as it is, anything else by its type."""
    return repr(value) if isinstance(value, str | int | float) else f"a {type(value).__name__}"
