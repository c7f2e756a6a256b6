"""Balanced binary targets for P clusters: mutually orthogonal ones, or independent draws.

Labels are (P, k) of 0 and 1, half of each column 1. The paper's section 6 says "random but
balanced"; the first author's public code takes columns of a Hadamard matrix, which are orthogonal.
"""

import numpy as np


def orthogonal_targets(clusters: int, targets: int, generator: np.random.Generator) -> np.ndarray:
    """Return (P, k): k columns of the P x P Hadamard matrix, its rows in random order.

    The first log2 P columns are the bits of a row's number. As targets they give each cluster a
    different word of labels, and no column is a product of others. Columns after them are products
    of two bits, of three and so on. A larger k only adds columns, for the same generator state.
    Centred, all columns have the same length and no overlap: K_Y has k equal eigenvalues. Raises
    ValueError unless P is a power of two and 1 <= k < P.
    """
    if clusters < 2 or clusters.bit_count() != 1:
        raise ValueError(
            f"clusters is {clusters}; allowed is a power of two, since orthogonal targets are "
            f"columns of a Hadamard matrix."
        )
    _check_targets(clusters, targets)
    columns = sorted(range(1, clusters), key=lambda column: (column.bit_count(), column))
    rows = generator.permutation(clusters)
    # Entry (i, j) of the matrix is -1 to the number of bits that i and j have in common.
    common = np.bitwise_count(rows[:, None] & np.array(columns[:targets]))
    return (common % 2 == 0).astype(np.float64)


def independent_targets(clusters: int, targets: int, generator: np.random.Generator) -> np.ndarray:
    """Return (P, k): each column a balanced labelling drawn on its own, none a combination of the
    others.

    All k columns are drawn again until they are linearly independent after centring, so that no
    target repeats or negates another: every independent set is equally likely. The eigenvalues of
    K_Y differ, unlike for orthogonal targets. Raises ValueError for an odd P, or unless 1 <= k < P.
    """
    if clusters % 2:
        raise ValueError(f"clusters is {clusters}; allowed is an even number, to be balanced.")
    _check_targets(clusters, targets)
    half = np.repeat([0.0, 1.0], clusters // 2)
    while True:
        labels = generator.permuted(np.tile(half, (targets, 1)), axis=1).T
        if np.linalg.matrix_rank(labels - 0.5) == targets:
            return labels


def label_kernel(labels: np.ndarray) -> np.ndarray:
    """Return k_Y, (P, P): the centred linear kernel of labels (P, k)."""
    centred = labels - labels.mean(axis=0)
    return centred @ centred.T


def parity_inputs(bits: np.ndarray) -> np.ndarray:
    """Return (P, n) of 0 and 1: the inputs for which n given targets are the hardest parities.

    bits: (P, n), n = log2 P >= 3 targets that index the clusters, as from `orthogonal_targets`. The
    first target is the parity of all n inputs. Target i > 1 is the parity of all inputs except
    input i - 1 (paper, appendix F: no target can be computed from few input bits). Solved for the
    inputs modulo 2, this makes them products of targets, so that inputs and targets are orthogonal.
    """
    bits = bits.astype(bool)
    first = bits[:, :1] ^ bits[:, 1:]
    last = np.logical_xor.reduce(np.column_stack([bits[:, :1], first]), axis=1)
    return np.column_stack([first, last]).astype(np.float64)


def _check_targets(clusters, targets):
    if not 1 <= targets < clusters:
        raise ValueError(
            f"targets is {targets}; allowed is 1 to {clusters - 1}, the dimensions of {clusters} "
            f"centred clusters."
        )
