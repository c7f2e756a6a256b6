"""The symmetric contextual task in closed form: n objects in C contexts with one structure H.

Inputs are the object and the context, both one-hot; N = n C items. Targets are C + 1 blocks: H in
every context, and H of each context, which is 0 elsewhere. H = sum_a s_a u_a v_a^T, and v_0 is
constant. All C + 1 blocks have one structure, so the singular values of H determine the singular
values of everything that drives learning. The task is from section 5 of Jarvis, Klein, Rosman and
Saxe (2025); these formulas are ours.

In all functions s holds singular values of H, as an array. The numbers of objects, of contexts, and
of contexts of a pathway are n, C and m.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class CommonModes(NamedTuple):
    """Modes of the pathway that sees all items and all inputs: one value for each mode."""

    s: Array
    """Singular values of Sigma_yx"""
    d: Array
    """The values of Sigma_xx, in the basis of Sigma_yx"""


def common_modes(singular_values: ArrayLike, objects: int, contexts: int) -> CommonModes:
    """Return the modes of the common pathway: one of constant object and context, C - 1 contrasts
    between contexts, and n - 1 of objects.

        top:       s = s_0 sqrt((n + C)(C + 1)) / (n C)    d = 1/n + 1/C
        contrasts: s = s_0 / (sqrt(n) C)                   d = 1/C
        objects:   s = s_a sqrt(C^2 + C) / (n C)           d = 1/n

    singular_values: (n,), the singular values of H, with the constant mode first. Returns modes in
    this order.

    >>> tree = np.sqrt([15, 7, 3, 3, 1, 1, 1, 1])
    >>> common_modes(tree, objects=8, contexts=3).s.round(4)
    array([1.0704, 0.4564, 0.4564, 0.3819, 0.25  , 0.25  , 0.1443, 0.1443,
           0.1443, 0.1443])
    """
    h, n, c = np.asarray(singular_values, dtype=np.float64), objects, contexts
    top = h[0] * np.sqrt((n + c) * (c + 1)) / (n * c)
    contrasts = np.full(c - 1, h[0] / (np.sqrt(n) * c))
    of_objects = h[1:] * np.sqrt(c**2 + c) / (n * c)
    return CommonModes(
        np.concatenate([[top], contrasts, of_objects]),
        np.concatenate([[1 / n + 1 / c], np.full(c - 1, 1 / c), np.full(len(h) - 1, 1 / n)]),
    )


def late_strength(s: ArrayLike, objects: int, contexts: int, size: ArrayLike) -> Array:
    """Return S_m = s / (n C) sqrt(m (C - m) / C). These singular values drive a pathway of m
    contexts and object inputs alone, after the common pathway has learned the linear part.

    >>> float(late_strength(24.0, objects=8, contexts=3, size=1).round(4))
    0.8165
    """
    m, c = np.asarray(size, dtype=np.float64), contexts
    return np.asarray(s, dtype=np.float64) / (objects * c) * np.sqrt(m * (c - m) / c)


def early_strength(s: ArrayLike, objects: int, contexts: int, size: ArrayLike) -> Array:
    """Return s^e_m = s / (n C) sqrt(m^2 + m), the same while the common pathway still learns.

    >>> float(early_strength(24.0, objects=8, contexts=3, size=1).round(4))
    1.4142
    """
    m = np.asarray(size, dtype=np.float64)
    return np.asarray(s, dtype=np.float64) / (objects * contexts) * np.sqrt(m**2 + m)


def context_asymptote(s: ArrayLike, contexts: int) -> Array:
    """Return s sqrt((C - 1) / C), the final singular value of each pathway, of one or of all but
    one context, where all pathways of that size are equal.

    >>> float(context_asymptote(1.0, contexts=4).round(4))
    0.866
    """
    return np.asarray(s, dtype=np.float64) * np.sqrt((contexts - 1) / contexts)


def common_asymptote(s: ArrayLike, contexts: int) -> Array:
    """Return s sqrt((C + 1) / C), the final singular value of an object mode of the common pathway.

    >>> float(common_asymptote(1.0, contexts=3).round(4))
    1.1547
    """
    return np.asarray(s, dtype=np.float64) * np.sqrt((contexts + 1) / contexts)


def effective_decay(objects: int, contexts: int) -> float:
    """Return D = 1 / (n C), which replaces d for pathways of one context, or of all contexts except
    one. Pathways overlap by -1/(C - 1), so the sum over pathways reduces d = m / (n C) to this
    value.

    >>> effective_decay(objects=8, contexts=3) == 1 / 24
    True
    """
    return 1 / (objects * contexts)
