"""Labels of two values, as signs."""

import numpy as np

from repatlas.geometry.patterns import as_array


def as_signs(name, value):
    """Labels in {0, 1}, {-1, +1} or {False, True} as int8 signs -1 and +1; any shape.

    `name` is used in the errors.
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


def as_variable(name, value):
    """as_signs of one variable, whose two values may be strings: the one that sorts last is +1."""
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


def design_of(labels):
    clusters, targets = labels.shape
    words = len(np.unique(labels, axis=0))
    if targets > 1 and words == clusters == 2**targets:
        return "factorial"
    counts = labels.sum(axis=0)
    if targets > 2 and (labels.sum(axis=1) == 1).all() and (counts == 2).all():
        return "classes"
    return "dichotomies"
