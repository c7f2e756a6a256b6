"""Dichotomies of the conditions, and the ways to pair their two sides.

A dichotomy puts each of P conditions on one of two sides, + and -. It is balanced where P / 2 are
on each.
"""

from __future__ import annotations

from itertools import combinations, permutations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.labels import as_column, as_label_columns, as_variable
from repatlas.geometry.patterns import as_patterns


def as_dichotomy(value: ArrayLike, n_conditions: int | None = None) -> NDArray[np.int8]:
    """Return a balanced dichotomy as int8 signs, (P,); ValueError for anything else, or another
    P."""
    dichotomy = as_variable("dichotomy", value)
    if dichotomy.ndim != 1 or dichotomy.size == 0 or dichotomy.sum() != 0:
        raise ValueError(
            f"dichotomy of shape {dichotomy.shape} has {(dichotomy > 0).sum()} positive and "
            f"{(dichotomy < 0).sum()} negative conditions; allowed is a vector with equally many."
        )
    if n_conditions is not None and len(dichotomy) != n_conditions:
        raise ValueError(
            f"dichotomy labels {len(dichotomy)} conditions; the patterns have {n_conditions}."
        )
    return dichotomy


def balanced_dichotomies(n: int) -> NDArray[np.int8]:
    """Return every balanced dichotomy of n conditions, once up to sign.

    The shape is ((n choose n/2) / 2, n), of int8.

    The entries are +1 and -1, and condition 0 is always +1. For n = 4 the sides are {0,1} and
    {2,3}, {0,2} and {1,3}, {0,3} and {1,2} (Bernardi et al. 2020).
    Raises ValueError for an odd n and for n > 24, whose list would not fit in memory.

    >>> balanced_dichotomies(4)
    array([[ 1,  1, -1, -1],
           [ 1, -1,  1, -1],
           [ 1, -1, -1,  1]], dtype=int8)
    """
    if n not in range(2, 25, 2):
        raise ValueError(
            f"n is {n}; allowed is an even number from 2 to 24 (24 conditions have "
            f"{comb(24, 12) // 2:,} balanced dichotomies)."
        )
    dichotomies = np.full((comb(n, n // 2) // 2, n), -1, dtype=np.int8)
    dichotomies[:, 0] = 1
    for row, partners in zip(dichotomies, combinations(range(1, n), n // 2 - 1), strict=True):
        row[list(partners)] = 1
    return dichotomies


def as_variables(labels: ArrayLike) -> NDArray[np.int8]:
    """Return the labels of 2^k conditions in k variables as int8 signs, (2^k, k)."""
    table = np.asanyarray(labels)  # a masked array stays one, to be refused
    if table.ndim != 2 or table.shape[0] != 2 ** table.shape[1]:
        raise ValueError(
            f"labels has shape {table.shape}; allowed is (2^k, k), one row for each condition."
        )
    return as_label_columns(table)


def context_pairs(labels: ArrayLike, variable: int) -> NDArray[np.intp]:
    """Return the (+, -) pair of conditions in every context: (2^(k-1), 2) condition indices.

    Parallelism score and CCGP compare these pairs (Bernardi et al. 2020).

    labels: (P, k), k variables that index all P = 2^k conditions exactly once, in {0, 1}, {-1, +1}
    or two strings each, where the string that sorts last is +; variable: a column of labels. A
    context is one setting of the other variables.
    Raises ValueError where labels is not such a factorial design, or has no such column.

    >>> context_pairs([["left", "red"], ["left", "blue"], ["right", "red"], ["right", "blue"]], 0)
    array([[3, 1],
           [2, 0]])
    """
    signs = as_variables(labels)
    n_variables = signs.shape[1]
    variable = as_column(variable, n_variables)
    if len(np.unique(signs, axis=0)) != len(signs):
        raise ValueError(
            "labels repeats a row; its k variables must index all 2^k conditions exactly once."
        )
    others = np.delete(signs > 0, variable, axis=1)
    context = others @ (1 << np.arange(n_variables - 1))
    order = np.lexsort((-signs[:, variable], context))
    return order.reshape(-1, 2)


def pairings(dichotomy: ArrayLike) -> NDArray[np.intp]:
    """Return every pairing of the + with the - conditions: ((P/2)!, P/2, 2) condition indices.

    dichotomy: (P,), balanced, in {0, 1} or {-1, +1}, or two strings.
    Raises ValueError for an unbalanced dichotomy and for more than 8 conditions.

    >>> pairings([1, 1, -1, -1]).tolist()
    [[[0, 2], [1, 3]], [[0, 3], [1, 2]]]
    """
    dichotomy = as_dichotomy(dichotomy)
    if len(dichotomy) > 8:
        raise ValueError(
            f"dichotomy has {len(dichotomy)} conditions; all (P/2)! pairings are tried for at most "
            f"8, use the nearest pairing for more."
        )
    positive, negative = np.flatnonzero(dichotomy > 0), np.flatnonzero(dichotomy < 0)
    partners = np.array(list(permutations(negative)))
    return np.stack(np.broadcast_arrays(positive, partners), axis=-1)


def nearest_pairing(patterns: ArrayLike, dichotomy: ArrayLike) -> NDArray[np.intp]:
    """Return the pairing of + with - conditions of least total squared distance: (P/2, 2) indices.

    It minimises the sum over pairs of |z_+ - z_-|^2, where z are the mean patterns.
    patterns: z, (P, n), of each condition; dichotomy: (P,), balanced, as for pairings. Rounding
    decides if pairings are equally short, as in very symmetric geometries (a regular tetrahedron,
    the XOR square).
    Raises ValueError for an unbalanced dichotomy, or one of another number of conditions.

    On a line, 0 goes with 1 and 5 with 7: 1 + 4. The other way it would be 49 + 16.

    >>> nearest_pairing([[0.0], [5.0], [1.0], [7.0]], [1, 1, -1, -1]).tolist()
    [[0, 2], [1, 3]]
    """
    patterns = as_patterns("patterns", patterns)
    pairs: NDArray[np.intp] = nearest_pairings(
        patterns, as_dichotomy(dichotomy, len(patterns))[None]
    )[0]
    return pairs


def nearest_pairings(
    patterns: NDArray[np.float64], dichotomies: NDArray[np.int8]
) -> NDArray[np.intp]:
    """Return the nearest_pairing of each of several dichotomies: (number, P/2, 2) indices.

    dichotomies: (number, P), from as_dichotomy. The distances are computed once.
    """
    # Imported here: together they take longer than all that the other measures need.
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    distances = cdist(patterns, patterns, "sqeuclidean")
    pairs = np.empty((len(dichotomies), len(patterns) // 2, 2), dtype=np.intp)
    for signs, found in zip(dichotomies, pairs, strict=True):
        positive, negative = np.flatnonzero(signs > 0), np.flatnonzero(signs < 0)
        rows, columns = linear_sum_assignment(distances[np.ix_(positive, negative)])
        found[:, 0], found[:, 1] = positive[rows], negative[columns]
    return pairs
