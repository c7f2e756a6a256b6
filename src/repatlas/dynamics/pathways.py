"""Pathways of a gated deep linear network: which items and which inputs each of them sees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Contexts = tuple[int, ...]
"""Contexts of a pathway, counted from 0, in ascending order."""


def context_gate(contexts: Iterable[int], number: int, objects: int) -> NDArray[np.float64]:
    """Return the gate of a pathway: 1 on all items of its contexts, 0 on the others.

    contexts: counted from 0; number: C, how many there are; objects: n, items of each. Returns (C
    n,), items in the order of contexts. Raises ValueError for a context that there isn't.

    >>> context_gate([0, 2], number=3, objects=2)
    array([1., 1., 0., 0., 1., 1.])
    """
    chosen = sorted(contexts)
    if chosen and not 0 <= chosen[0] <= chosen[-1] < number:
        raise ValueError(f"contexts has {chosen}; allowed are 0 to {number - 1}.")
    gate = np.zeros((number, objects))
    gate[chosen] = 1
    return gate.ravel()


def context_sets(number: int, sizes: Iterable[int]) -> list[Contexts]:
    """Return all sets of contexts of these sizes, in lexicographic order within a size.

    >>> context_sets(3, sizes=[2])
    [(0, 1), (0, 2), (1, 2)]
    """
    return [chosen for size in sizes for chosen in combinations(range(number), size)]


def gated_inputs(inputs: ArrayLike, gates: ArrayLike, masks: ArrayLike) -> NDArray[np.float64]:
    """Return what each pathway sees of the inputs, G_p = (m_p o X) diag(g_p).

    inputs: X, (n_in, N), a column for each item; gates: g, (P, N), and masks: m, (P, n_in), of 0
    and 1. Returns (P, n_in, N). With it the correlations of a pathway are (Saxe, Sodhani and
    Lewallen 2022, section 3)

        Sigma_yx(p) = Y G_p^T / N,    Sigma_xx(j, p) = G_j G_p^T / N.

    Raises ValueError for other shapes.

    >>> gated_inputs(np.ones((2, 3)), gates=[[1, 0, 1]], masks=[[1, 0]])
    array([[[1., 0., 1.],
            [0., 0., 0.]]])
    """
    x, g, m = (np.asarray(array, dtype=np.float64) for array in (inputs, gates, masks))
    if x.ndim != 2 or g.ndim != 2 or m.ndim != 2 or x.shape != (m.shape[1], g.shape[1]):
        raise ValueError(
            f"inputs has shape {x.shape}, gates {g.shape} and masks {m.shape}; allowed are "
            f"(n_in, N), (P, N) and (P, n_in)."
        )
    if len(g) != len(m):
        raise ValueError(f"gates has {len(g)} pathways and masks {len(m)}; both describe the same.")
    return m[:, :, None] * x * g[:, None, :]


class Reduced(NamedTuple):
    """The pathways of a network that stands for a larger one."""

    gated: NDArray[np.float64]
    """G, (P, n_in, N): the inputs that reach each pathway, the common pathway first"""
    masks: NDArray[np.float64]
    """(P, n_in) of 0 and 1"""


def reduced_network(inputs: ArrayLike, gates: Sequence[Contexts], number: int) -> Reduced:
    """Return the gated linear network of a common pathway and of pathways with these gates.

    inputs: X, (n_in, N), of n objects in C contexts, the inputs of the n objects first, items in
    the order of contexts; gates: the contexts of each context pathway, which sees inputs of objects
    alone; number: C. The common pathway sees all. Gates that were found in a network (find_gates)
    give the network that is fitted in its place (fit_recruitment). Raises ValueError for a number
    of items that is no multiple of the contexts.

    >>> x = np.vstack([np.tile(np.eye(2), 3), np.kron(np.eye(3), np.ones(2))])
    >>> found = reduced_network(x, [(0, 1), (1, 2)], number=3)
    >>> found.gated.shape, found.masks[1]
    ((3, 5, 6), array([1., 1., 0., 0., 0.]))
    """
    x = np.asarray(inputs, dtype=np.float64)
    objects, rest = divmod(x.shape[1], number)
    if rest:
        raise ValueError(f"inputs has {x.shape[1]} items; allowed is a multiple of {number}.")
    on = [np.ones(x.shape[1]), *(context_gate(each, number, objects) for each in gates)]
    masks = np.ones((len(on), len(x)))
    masks[1:, objects:] = 0
    return Reduced(gated_inputs(x, np.stack(on), masks), masks)
