"""Labels of two values as signs, and which definitions of the measures the labels are for."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.patterns import as_array

Design = Literal["factorial", "classes", "dichotomies"]


def design_of(labels: ArrayLike) -> Design:
    """Return the design of labels, which decides on the definition of parallelism score and CCGP.

    labels: (P, K), a row of K binary labels for each of P conditions, in {0, 1} or {-1, +1}, or two
    strings in each column.

    "factorial": K >= 2 labels index the conditions: P = 2^K, with every combination once. The
    contexts of a label are the settings of the others: parallelism_score and ccgp (Bernardi et al.
    2020; Alleman et al. 2024, section 3).
    "classes": the rows are one-hot, and each of K > 2 labels has two conditions, such as five
    labels of ten classes of images. Any two labels are a square of four conditions:
    paired_parallelism_score and paired_ccgp (paired.py).
    "dichotomies": all other labels, with each column separate. Pairs of a + and a - condition
    replace the contexts: matched_parallelism_score and matched_ccgp, which need a column that is
    balanced.
    Raises ValueError for anything but a non-empty matrix with two values in each column.

    >>> design_of([[0, 0], [0, 1], [1, 0], [1, 1]])
    'factorial'
    >>> design_of(np.repeat(np.eye(5), 2, axis=0))  # ten conditions, five labels
    'classes'
    >>> design_of([[0], [1], [1], [0]])  # XOR: one label cannot index four conditions
    'dichotomies'
    """
    signs = as_label_columns(labels)
    conditions, k = signs.shape
    if k >= 2 and conditions == 2**k == len(np.unique(signs, axis=0)):
        return "factorial"
    is_one_hot = np.all(np.count_nonzero(signs > 0, axis=1) == 1)
    if k > 2 and is_one_hot and np.all(np.count_nonzero(signs > 0, axis=0) == 2):
        return "classes"
    return "dichotomies"


def as_signs(name: str, value: ArrayLike) -> NDArray[np.int8]:
    """Return labels in {0, 1}, {-1, +1} or {False, True} as int8 signs -1 and +1, of any shape.

    Raises ValueError for other values; `name` is what it calls them.
    """
    labels = as_array(name, value)
    found = np.unique(labels)
    if labels.dtype.kind == "U":
        raise ValueError(
            f"{name} holds the strings {found[:5].tolist()}; allowed are 0 and 1, or -1 and +1 "
            f"(np.unique({name}, return_inverse=True) makes them of two names)."
        )
    if np.isnan(found).any():
        raise ValueError(f"{name} holds NaN; allowed are 0 and 1, or -1 and +1, none missing.")
    if not (set(found.tolist()) <= {-1, 1} or set(found.tolist()) <= {0, 1}):
        raise ValueError(
            f"{name} holds the values {found[:5].tolist()}; allowed are 0 and 1, or -1 and +1."
        )
    return np.where(labels > 0, 1, -1).astype(np.int8)


def as_variable(name: str, value: ArrayLike) -> NDArray[np.int8]:
    """Return as_signs of one variable. If its values are two strings, the one that sorts last is
    +1."""
    labels = as_array(name, value)
    if labels.dtype.kind != "U":
        return as_signs(name, labels)
    found, codes = np.unique(labels, return_inverse=True)
    # numpy makes the string "nan" of a missing value in a list of strings.
    if len(found) != 2 or "nan" in found:
        raise ValueError(
            f"{name} holds the strings {found[:5].tolist()}; allowed are two, none missing."
        )
    return as_signs(name, codes.reshape(labels.shape))


def as_column(variable: int, columns: int) -> int:
    """Return `variable` as the index of one of the columns of labels."""
    whole = isinstance(variable, int | np.integer) and not isinstance(variable, bool)
    if not whole or variable not in range(columns):
        raise ValueError(f"variable is {variable!r}; allowed are the columns 0 to {columns - 1}.")
    return int(variable)


def as_label_columns(labels: ArrayLike) -> NDArray[np.int8]:
    """Return labels of P conditions in K columns, each a separate variable, as int8 signs, (P,
    K)."""
    table = np.asanyarray(labels)  # a masked array stays one, to be refused
    if table.ndim != 2 or table.size == 0:
        raise ValueError(
            f"labels has shape {table.shape}; allowed is (P, K), one row for each condition and "
            f"one column for each label."
        )
    columns = [as_variable(f"column {i} of labels", column) for i, column in enumerate(table.T)]
    return np.column_stack(columns)
