"""The share of the variance that is within classes: neural collapse that sees all directions.

NC1 of two classes (neural_collapse) sees the samples along one line alone, through both means. The
share sees all directions, is bounded, and has an exact chance level. Without noise it is target
alignment in another form. For two classes of equally many conditions,

    1 / A^2 = 1 + 4 NC1 + |W|^2 / |B|^2,

where A is the kernel alignment of the conditions with their classes, W the covariance within
classes, B the covariance of the class means, and |.| the Frobenius norm. So P conditions whose
share is s have 1 - s <= A <= 1 / sqrt(1 + (s / (1 - s))^2 / (P - 2)). Both ends are reached.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.design import coded
from repatlas.geometry.patterns import as_patterns, condition_means


def within_share(samples: ArrayLike, labels: ArrayLike) -> float:
    """Return Tr W / Tr(W + B): the share of the variance of samples that is within classes.

    samples: (m, n); labels: (m,), the class of each sample, numbers or names. Class means have
    equal weight, and so do samples within a class. The share is 0 for complete collapse, and 1 if
    all class means are the same; chance_within_share is its chance level. nan if all samples are
    the same.
    Raises ValueError for malformed input, or fewer than two classes.

    Two classes at -1 and +1, with a variance of 1/4 in each: a fifth of the variance is within.

    >>> round(within_share([[-1.5], [-0.5], [0.5], [1.5]], [0, 0, 1, 1]), 3)
    0.2
    """
    x = as_patterns("samples", samples)
    of_rows, number = _classes("labels", labels, len(x))
    within, between = _variances(x, of_rows, number)
    return within / (within + between) if within + between > 0 else float("nan")


def chance_within_share(samples: ArrayLike, conditions: ArrayLike, labels: ArrayLike) -> float:
    """Return the mean of within_share over all orders of the classes of the conditions.

        1 - (C - 1) / (P - 1) * Tr(S) / Tr(S + N)

    S is the covariance of the means of the P conditions, and N the covariance within conditions.

    samples: (m, n); conditions: (m,), the condition of each sample, numbers or names; labels: (m,),
    the class of each sample, which all samples of a condition share. With a condition for each
    sample, the labels of single samples are exchanged. The mean is exact if all conditions have the
    same number of samples. Over all orders, any two conditions are of different classes equally
    often.
    nan if no two conditions share a class, because another order is then the same division.
    Raises ValueError for malformed input, conditions of several classes, or classes of different
    numbers of conditions.

    Four points that are equally far apart: any division has a third of the variance.

    >>> round(chance_within_share(np.eye(4), [0, 1, 2, 3], [0, 0, 1, 1]), 3)
    0.667
    """
    x = as_patterns("samples", samples)
    of_rows, number = _classes("labels", labels, len(x))
    of_conditions, several = _classes("conditions", conditions, len(x))
    pairs = np.unique(np.column_stack([of_conditions, of_rows]), axis=0)
    if len(pairs) != several:
        raise ValueError("a condition has samples of several classes; allowed is one class.")
    if len(set(np.bincount(pairs[:, 1]).tolist())) > 1:
        raise ValueError(
            "classes have different numbers of conditions; allowed is the same number for all."
        )
    noise, signal = _variances(x, of_conditions, several)
    if number == several or not signal + noise > 0:
        return float("nan")
    return 1 - (number - 1) / (several - 1) * signal / (signal + noise)


def _variances(
    x: NDArray[np.float64], of_rows: NDArray[np.intp], number: int
) -> tuple[float, float]:
    """Return Tr W and Tr B."""
    means = condition_means(x, of_rows)
    squares = np.sum((x - means[of_rows]) ** 2, axis=1)
    within = np.mean([squares[of_rows == c].mean() for c in range(number)])
    return float(within), float(np.mean(np.sum((means - means.mean(axis=0)) ** 2, axis=1)))


def _classes(name: str, labels: ArrayLike, rows: int) -> tuple[NDArray[np.intp], int]:
    """Return the class of each sample, as an index, and the number of classes."""
    names, of_rows = coded(name, labels)
    if of_rows.shape != (rows,):
        raise ValueError(
            f"{name} has shape {of_rows.shape}; allowed is one for each of the {rows} samples."
        )
    if len(names) < 2:
        raise ValueError(f"{name} has one class alone; allowed are two classes or more.")
    return of_rows, len(names)
