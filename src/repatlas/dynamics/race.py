"""The race reduction: pathways with fixed singular vectors whose strengths compete.

Each pathway p has modes a with fixed directions u, v, and strengths pi (Saxe, Sodhani and Lewallen
2022, section 4):

    tau dpi_pa/dt = 2 pi_pa (s_pa - sum_jb (u_pa . u_jb) (v_jb^T Sigma_xx(j, p) v_pa) pi_jb)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.dynamics.correlations import Modes

Array = NDArray[np.float64]

FIRST_OVERLAP = -0.49
"""The overlap of two context pathways in the authors' script, for the first mode."""
OVERLAPS: dict[tuple[tuple[int, ...], tuple[int, ...]], float] = {
    ((0, 1), (1, 2)): -0.45,
    ((0, 1), (0, 2)): -0.465,
    ((0, 2), (1, 2)): -0.465,
}
"""The overlaps for all other modes, by the contexts of the two pathways, counted from 0."""


def patterns(modes: Modes, gated: ArrayLike) -> Array:
    """Return the outputs that each mode adds for strength 1, u (v^T G).

    gated: G, (n_in, N), what the pathway sees. Returns (k, n_out, N).

    >>> one = Modes(*map(np.array, ([[1.0, 0.0]], [[0.0, 2.0]], [1.0], [1.0])))
    >>> patterns(one, [[5.0], [3.0]])[0]
    array([[6.],
           [0.]])
    """
    return modes.left[:, :, None] * (modes.right @ np.asarray(gated))[:, None, :]


def interaction(modes: Sequence[Modes], gated: ArrayLike) -> Array:
    """Return (u_pa . u_jb) (v_jb^T Sigma_xx(j, p) v_pa) for all modes of all pathways.

    modes: of P pathways; gated: (P, n_in, N). Returns (K, K), K modes in all, in the order of
    pathways; a row is what slows a mode. It needs no common basis of the pathways: where singular
    values coincide and strengths do, sums over those modes are the same in any basis.

    >>> one = Modes(*map(np.array, ([[1.0]], [[1.0]], [1.0], [0.5])))
    >>> interaction([one], [[[1.0, 0.0]]])
    array([[0.5]])
    """
    g = np.asarray(gated, dtype=np.float64)
    left = np.concatenate([each.left for each in modes])
    along = np.concatenate([each.right @ seen for each, seen in zip(modes, g, strict=True)])
    return (left @ left.T) * (along @ along.T) / g.shape[2]


def authors_interaction(
    modes: Sequence[Modes], contexts: Sequence[tuple[int, ...]], items: int
) -> Array:
    """Return the interaction of the authors' script: between modes of one number alone, with
    overlaps that are set by hand.

    modes: of the three pathways of two contexts each; contexts: theirs; items: N. Two pathways
    share one context, and with it 1 / N of Sigma_xx of each object. Raises ValueError for other
    pathways, which the script does not have.

    >>> one = Modes(*map(np.array, ([[1.0]], [[1.0]], [1.0], [1 / 12])))
    >>> (24 * authors_interaction([one] * 3, [(0, 1), (1, 2), (0, 2)], items=24)).round(2)
    array([[ 2.  , -0.49, -0.49],
           [-0.49,  2.  , -0.49],
           [-0.49, -0.49,  2.  ]])
    """
    if sorted(contexts) != [(0, 1), (0, 2), (1, 2)]:
        raise ValueError(
            f"contexts has {list(contexts)}; the authors' constants are for the three pairs of 3."
        )
    sizes = [len(each.s) for each in modes]
    starts = np.cumsum([0, *sizes])
    found = np.zeros((starts[-1], starts[-1]))
    for p, each in enumerate(modes):
        for j in range(len(modes)):
            number = min(sizes[p], sizes[j])
            index = np.arange(number)
            if p == j:
                values = each.d
            else:
                pair = (min(contexts[p], contexts[j]), max(contexts[p], contexts[j]))
                values = np.full(number, OVERLAPS[pair])
                values[:1] = FIRST_OVERLAP
                values /= items
            found[starts[p] + index, starts[j] + index] = values
    return found


def race_step(strengths: Array, s: Array, interaction: Array, tau: float) -> Array:
    """Return one Euler step of one epoch. strengths, s: (K,); interaction: (K, K); tau: epochs.

    >>> race_step(np.array([0.5]), np.array([1.0]), np.array([[1.0]]), tau=10.0)
    array([0.55])
    """
    return strengths + 2 / tau * strengths * (s - interaction @ strengths)
