"""How well the singular vectors of neighbouring layers are aligned with each other.

Closed forms of deep linear networks assume that the left singular vectors R of one layer are the
right singular vectors of the next one:

    W_1 = R B_1 V^T,    W_2 = U B_2 R^T

(Saxe, McClelland and Ganguli 2019; Jarvis, Klein, Rosman and Saxe 2025, assumption 2.1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def layer_alignment(first: ArrayLike, second: ArrayLike) -> float:
    """Return |W_2 W_1| / sqrt(sum_j s_j(W_2)^2 s_j(W_1)^2), from 0 to 1.

    s_j are singular values in descending order, |.| is the Frobenius norm. The product is at most
    as large as the sum (von Neumann's trace inequality), with equality if the layers share their
    singular vectors in this order.

    first: W_1, (H, n_in); second: W_2, (n_out, H). nan if either is zero.

    >>> layer_alignment([[2.0, 0.0], [0.0, 1.0]], [[3.0, 0.0], [0.0, 1.0]])
    1.0
    >>> layer_alignment([[1.0], [0.0]], [[0.0, 1.0]])
    0.0
    """
    w1, w2 = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    s1, s2 = (np.linalg.svd(w, compute_uv=False) for w in (w1, w2))
    shared = min(len(s1), len(s2))
    most = np.sqrt(np.sum((s1[:shared] * s2[:shared]) ** 2))
    return float(np.linalg.norm(w2 @ w1) / most) if most > 0 else float("nan")


def gated_alignments(weights: Sequence[ArrayLike], on: Sequence[ArrayLike]) -> Array:
    """Return (L,): for each hidden layer the alignment of its incoming with its outgoing weights,
    in the linear network of the units that are on, mean over items.

    weights: L + 1 matrices, (H_1, n_in), (H_2, H_1), ..., (n_out, H_L). on: for each hidden layer
    (N, H) of truth values, whether a unit is on at an item. An item at which no unit is on is left
    out; nan for a layer where no item is left.

    >>> gated_alignments([np.eye(2), np.eye(2)], [[[True, True], [True, False]]])
    array([1.])
    """
    matrices = [np.asarray(each, dtype=np.float64) for each in weights]
    gates = [np.asarray(each, dtype=bool) for each in on]
    items = len(gates[0])
    everywhere = [
        np.ones((items, matrices[0].shape[1]), dtype=bool),
        *gates,
        np.ones((items, len(matrices[-1])), dtype=bool),
    ]
    found = np.full((len(gates), items), np.nan)
    for layer in range(len(gates)):
        for item in range(items):
            before, here, after = (everywhere[layer + k][item] for k in range(3))
            if before.any() and here.any() and after.any():
                incoming = matrices[layer][np.ix_(here, before)]
                outgoing = matrices[layer + 1][np.ix_(after, here)]
                found[layer, item] = layer_alignment(incoming, outgoing)
    defined = ~np.isnan(found)
    sums = np.where(defined, found, 0).sum(axis=1)
    return np.divide(
        sums, defined.sum(axis=1), out=np.full(len(sums), np.nan), where=defined.any(axis=1)
    )
