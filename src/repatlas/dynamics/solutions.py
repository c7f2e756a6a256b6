"""The geometry of solutions of the symmetric contextual task: parallelism and alignment.

A balanced pathway has hidden squared norm pi along a mode of strength pi. Objects n, contexts C, as
in symmetric.py. These formulas are ours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from repatlas.dynamics.symmetric import common_asymptote, context_asymptote


def parallelism_of_all_but_one(contexts: int) -> float:
    """Return the parallelism score over contexts of a split of the objects, if pathways are of C -
    1.

        PS = (a + (C - 2) q) / (a + (C - 1) q),   a = sqrt((C + 1) / C),  q = sqrt((C - 1) / C)

    >>> [round(parallelism_of_all_but_one(c), 4) for c in (3, 4, 5)]
    [0.7071, 0.767, 0.8086]
    """
    a, q = float(common_asymptote(1.0, contexts)), float(context_asymptote(1.0, contexts))
    return (a + (contexts - 2) * q) / (a + (contexts - 1) * q)


def parallelism_of_single(contexts: int) -> float:
    """Return the parallelism score over contexts if each context has a separate pathway: PS = a /
    (a + q).

    >>> [round(parallelism_of_single(c), 4) for c in (3, 4, 5)]
    [0.5858, 0.5635, 0.5505]
    """
    a, q = float(common_asymptote(1.0, contexts)), float(context_asymptote(1.0, contexts))
    return a / (a + q)


def input_target_alignment(contexts: int) -> float:
    """Return centred kernel alignment of inputs and targets, of the tree of 8 objects in each of C
    contexts.

    >>> [round(input_target_alignment(c), 4) for c in (3, 4, 5)]
    [0.7728, 0.778, 0.7798]
    """
    c, n = contexts, 8
    both = 17 * c * (c + 1) + (c - 1) * n * 15
    inputs = np.sqrt(c**2 * (n - 1) + n**2 * (c - 1))
    targets = np.sqrt(71 * (c**2 + 3 * c) + 225 * (c - 1))
    return float(both / (inputs * targets))


def parallelism_over_contexts(
    kernel: ArrayLike, split: Sequence[Sequence[int]], contexts: int
) -> float:
    """Return the mean cosine, over pairs of contexts, of the coding vectors of a split of the
    objects. A coding vector is the difference between the means of two sets of objects in one
    context.

    kernel: (N, N), inner products of the patterns of N = n C items, contexts one after the other;
    split: the two sets of objects. nan if a coding vector is 0. Raises ValueError for a number of
    items that is no multiple of the contexts.

    Patterns that don't differ between contexts have parallel coding vectors:

    >>> patterns = np.tile([[0.0], [1.0]], (3, 1))
    >>> parallelism_over_contexts(patterns @ patterns.T, ([0], [1]), contexts=3)
    1.0
    """
    k = np.asarray(kernel, dtype=np.float64)
    if k.ndim != 2 or k.shape[0] != k.shape[1] or len(k) % contexts:
        raise ValueError(
            f"kernel has shape {k.shape}; allowed is (N, N), N a multiple of contexts."
        )
    weights = np.zeros(len(k) // contexts)
    for sign, chosen in zip((1, -1), split, strict=True):
        weights[list(chosen)] = sign / len(chosen)
    coding = np.kron(np.eye(contexts), weights)  # (C, N)
    products = coding @ k @ coding.T
    norms = np.sqrt(np.diag(products))
    if not norms.all():
        return float("nan")
    cosines = products / np.outer(norms, norms)
    return float(cosines[np.triu_indices(contexts, 1)].mean())
