"""Cross-condition generalisation performance (CCGP): does a decoder work where it was not fitted?

The accuracy of one test is the mean over the tested conditions, each weighted equally however many
samples it has. For fits that weigh the conditions equally too, draw as many samples of each.
Chance is 0.5, and values below it mean something: the XOR geometry gives about 0.

Each decoder sees samples on the scale that was made from those it is fitted on (scaling.py), so
that the score has no unit. scale=None gives it the samples as they are, as in the paper: then the
score depends on their unit.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.dichotomies import (
    as_dichotomy,
    as_variables,
    context_pairs,
    nearest_pairing,
    pairings,
)
from repatlas.geometry.patterns import as_complete_samples, condition_means
from repatlas.geometry.scaling import Scale, scaling
from repatlas.geometry.svm import linear_svm

Split = Literal["one-context", "leave-one-pair-out"]


def ccgp(
    samples: ArrayLike,
    conditions: ArrayLike,
    labels: ArrayLike,
    variable: int,
    C: float = 1.0,
    split: Split = "one-context",
    scale: Scale = "rms",
) -> float:
    """CCGP of a variable: the mean accuracy of its decoder in contexts that it was not fitted on.

    samples: (m, n); conditions: (m,), the index of each sample's condition, its row in labels;
    labels: (P, k) in {0, 1} or {-1, +1}, or two strings in each column, indexing all P = 2^k
    conditions exactly once, k >= 2; variable: a column of labels; C: of the decoder (linear_svm).
    A context is one setting of the other variables. Returns a fraction from 0 to 1; chance is 0.5.
    split="one-context": fit on the two conditions of one context, test on all other contexts, mean
    over the contexts (Alleman et al. 2024, section 3).
    split="leave-one-pair-out": fit on all other contexts, test on the two conditions of one, mean
    over the contexts (Bernardi et al. 2020). For k = 2 the two are the same.
    scale="rms": in each fit, samples minus the mean of those fitted, over the root mean square of
    what is left of these; scale=None: as they are, as in Alleman et al. 2024.
    Raises ValueError for labels that are not factorial, an unknown split or scale, or a condition
    without samples, and NotConverged for samples too large for scale=None.

    The corners of a rectangle, in any unit: what tells left from right below does so above. Where
    left and right change places above, it is always wrong there.

    >>> labels = [["left", 0], ["right", 0], ["left", 1], ["right", 1]]
    >>> rectangle = 1e-13 * np.array([[0, 0], [1, 0], [0, 3], [1, 3]])
    >>> ccgp(rectangle, [0, 1, 2, 3], labels, variable=0)
    1.0
    >>> ccgp(rectangle, [0, 1, 3, 2], labels, variable=0)
    0.0
    """
    if split not in ("one-context", "leave-one-pair-out"):
        raise ValueError(f'split is {split!r}; allowed are "one-context" and "leave-one-pair-out".')
    pairs = context_pairs(labels, variable)
    if len(pairs) < 2:
        raise ValueError("labels has one variable, hence one context; CCGP needs two variables.")
    signs = as_variables(labels)[:, variable]
    train_on_pair = split == "one-context"
    return _mean_generalisation(samples, conditions, signs, pairs, C, scale, train_on_pair)


def matched_ccgp(
    samples: ArrayLike,
    conditions: ArrayLike,
    dichotomy: ArrayLike,
    C: float = 1.0,
    scale: Scale = "rms",
) -> float:
    """CCGP of a single dichotomy: pairs of a + and a - condition take the place of the contexts.

    samples: (m, n); conditions: (m,), the condition index of each sample; dichotomy: (P,),
    balanced, P >= 4, in {0, 1} or {-1, +1}, or two strings; C and scale: as in ccgp. Each decoder
    is fitted on the two conditions of one pair and tested on the other P - 2; the mean is over the
    pairs. Returns a fraction from 0 to 1; chance is 0.5.
    P = 4: the two pairs of both pairings, 4 fits (a mean over the pairings, where the matched
    parallelism score is a maximum). P > 4: the P/2 pairs of the nearest pairing of the condition
    means. (Alleman et al. 2024, sections 5 and 6; they define it for factorial labels only.)
    Raises ValueError for an unbalanced dichotomy or a condition without samples, and NotConverged
    as ccgp does.

    On a square the + conditions of XOR are opposite corners. A decoder of two neighbours is wrong
    about the two others.

    >>> corners, xor = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [1, -1, -1, 1]
    >>> matched_ccgp(corners, [0, 1, 2, 3], xor)
    0.0
    """
    signs = as_dichotomy(dichotomy)
    if len(signs) < 4:
        raise ValueError(f"dichotomy has {len(signs)} conditions; CCGP needs 4 or more.")
    if len(signs) == 4:
        pairs = np.concatenate(pairings(signs))
    else:
        pairs = nearest_pairing(condition_means(samples, conditions, len(signs)), signs)
    return _mean_generalisation(samples, conditions, signs, pairs, C, scale, True)


def _mean_generalisation(
    samples: ArrayLike,
    conditions: ArrayLike,
    signs: NDArray[np.int8],
    pairs: NDArray[np.intp],
    C: float,
    scale: Scale,
    train_on_pair: bool,
) -> float:
    """Mean accuracy over the pairs: fitted on each and tested on the rest, or the other way."""
    patterns, indices = as_complete_samples(samples, conditions, len(signs))
    counts = np.bincount(indices)
    accuracies = []
    for pair in pairs:
        fitted = np.full(len(signs), not train_on_pair)
        fitted[pair] = train_on_pair
        rows = fitted[indices]
        scaled = scaling(patterns[rows], scale)
        svm = linear_svm(scaled(patterns[rows]), signs[indices[rows]], C)
        hits = svm.predict(scaled(patterns)) == signs[indices]
        per_condition = np.bincount(indices, weights=hits) / counts
        accuracies.append(per_condition[~fitted].mean())
    return float(np.mean(accuracies))
