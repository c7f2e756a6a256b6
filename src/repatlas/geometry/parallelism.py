"""Parallelism score (PS): does a variable move the representation the same way in every context?"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.dichotomies import as_dichotomy, context_pairs, nearest_pairings, pairings
from repatlas.geometry.patterns import as_patterns

# A coding vector shorter than this has no direction: its two conditions have one pattern. In units
# of the largest distance of a pattern from the mean of all; or of the largest pattern, where it is
# rounding that tells its conditions apart.
SHORTEST = 1e-9
ROUNDING = 1e-15

Pairing = Literal["best", "nearest"]


def parallelism_score(patterns: ArrayLike, labels: ArrayLike, variable: int) -> float:
    """Return the mean cosine of the coding vectors v_c = z(+1, c) - z(-1, c) of pairs of contexts
    c.

        PS = 2 / (m (m - 1)) sum_{c < c'} v_c . v_c' / (|v_c| |v_c'|),  m = 2^(k-1) contexts

    patterns: z, (P, n), the mean pattern of each condition; labels: (P, k) in {0, 1} or {-1, +1},
    or two strings in each column, indexing all P = 2^k conditions exactly once; variable: the
    column of labels to score. The score is from -1 to 1 and has no unit: factors and offsets
    of the patterns don't change it.
    A coding vector is dropped if it is 0 within rounding, or shorter than 1e-9 of the largest
    distance of a pattern from the mean. nan if fewer than two are left.
    Raises ValueError for labels that are not factorial, or of another number of conditions.
    (Bernardi et al. 2020; Alleman et al. 2024, section 3.)

    The first variable moves a rectangle the same way in both contexts. With one corner moved, the
    coding vectors are (1, 0) and (3, 4): their cosine is 3/5.

    >>> square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> parallelism_score([[0.0, 0.0], [0.0, 2.0], [1.0, 0.0], [1.0, 2.0]], square, variable=0)
    1.0
    >>> moved = [[0.0, 0.0], [0.0, 2.0], [1.0, 0.0], [3.0, 6.0]]
    >>> round(parallelism_score(moved, square, variable=0), 4)
    0.6
    """
    means = as_patterns("patterns", patterns)
    pairs = context_pairs(labels, variable)
    if 2 * len(pairs) != len(means):
        raise ValueError(f"labels has {2 * len(pairs)} rows; patterns has {len(means)} conditions.")
    return mean_cosine(means, pairs)


def matched_parallelism_score(
    patterns: ArrayLike, dichotomy: ArrayLike, pairing: Pairing = "best"
) -> float:
    """Return PS of a single dichotomy: pairs of a + and a - condition replace the contexts.

    patterns: (P, n), the mean pattern of each condition; dichotomy: (P,), balanced, in {0, 1} or
    {-1, +1}, or two strings.
    pairing="best": the largest PS over all pairings (Bernardi et al. 2020), for P up to 8.
    pairing="nearest": PS of the pairing of least total squared distance, for any P. Both are above
    0 by chance: compare them with the score before training. The score has no unit, and is nan as
    in parallelism_score.
    Raises ValueError for an unbalanced dichotomy, for an unknown pairing, and for "best" with more
    than 8 conditions.

    On a square the + conditions of XOR are opposite corners. Either way to pair them with the -
    conditions gives opposite coding vectors.

    >>> xor_of_a_square = [1, -1, -1, 1]
    >>> corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> round(matched_parallelism_score(corners, xor_of_a_square), 4)
    -1.0
    """
    means = as_patterns("patterns", patterns)
    signs = as_dichotomy(dichotomy, len(means))
    return float(matched_parallelism_scores(means, signs[None], pairing)[0])


def matched_parallelism_scores(
    patterns: NDArray[np.float64], dichotomies: NDArray[np.int8], pairing: Pairing
) -> NDArray[np.float64]:
    """Return matched_parallelism_score of several dichotomies, (number,). dichotomies: (number, P),
    from as_dichotomy. Common coding vectors are computed once."""
    if pairing == "best":
        pairs = np.concatenate([pairings(signs) for signs in dichotomies])
        scores = mean_cosines(patterns, pairs).reshape(len(dichotomies), -1)
        # fmax passes over the nan of pairings that leave fewer than two coding vectors.
        best: NDArray[np.float64] = np.fmax.reduce(scores, axis=1)
        return best
    if pairing == "nearest":
        return mean_cosines(patterns, nearest_pairings(patterns, dichotomies))
    raise ValueError(f'pairing is {pairing!r}; allowed are "best" and "nearest".')


def mean_cosine(patterns: NDArray[np.float64], pairs: NDArray[np.intp]) -> float:
    """Return the mean cosine over all pairs of coding vectors. Each vector belongs to two
    conditions, (vectors, 2)."""
    return float(mean_cosines(patterns, pairs[None])[0])


def mean_cosines(patterns: NDArray[np.float64], pairs: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return mean_cosine of each of several sets of coding vectors, (sets, vectors, 2): (sets,)."""
    # Sets share vectors: of 8 conditions, 24 pairings have 16 of them.
    codes = pairs[..., 0] * len(patterns) + pairs[..., 1]
    first, places = np.unique(codes, return_index=True, return_inverse=True)[1:]
    distinct = pairs.reshape(-1, 2)[first]
    vectors = patterns[distinct[:, 0]] - patterns[distinct[:, 1]]
    kept = have_direction(vectors, patterns)
    lengths = np.where(kept, np.linalg.norm(vectors, axis=1), np.inf)
    directions = vectors / lengths[:, None]
    scores = np.full(len(pairs), np.nan)
    for number, of_set in enumerate(places.reshape(codes.shape)):
        count = np.count_nonzero(kept[of_set])
        if count >= 2:
            # The cosines of all ordered pairs, with the `count` ones of the diagonal, add up to
            # |sum u|^2.
            resultant = directions[of_set].sum(axis=0)
            scores[number] = (resultant @ resultant - count) / (count * (count - 1))
    return scores


def have_direction(
    vectors: NDArray[np.float64], patterns: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return True for each coding vector, (number, n), that is longer than SHORTEST allows."""
    spread = np.linalg.norm(patterns - patterns.mean(axis=0), axis=1).max()
    size = np.linalg.norm(patterns, axis=1).max()
    longer: NDArray[np.bool_] = np.linalg.norm(vectors, axis=1) > max(
        SHORTEST * spread, ROUNDING * size
    )
    return longer
