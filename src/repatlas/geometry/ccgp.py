"""Cross-condition generalisation performance (CCGP): does a decoder work where it was not fitted?

The accuracy of one test is the mean over the tested conditions, each weighted equally however many
samples it has. For fits that weigh the conditions equally too, draw as many samples of each.
Chance is 0.5, and values below it mean something: the XOR geometry gives about 0.

Each decoder sees samples on the scale that was made from those it is fitted on (scaling.py), so
that the score has no unit. scale=None gives it the samples as they are, as in the paper: then the
score depends on their unit.
"""

import numpy as np

from repatlas.geometry.dichotomies import (
    as_dichotomy,
    as_variables,
    context_pairs,
    nearest_pairing,
    pairings,
)
from repatlas.geometry.patterns import as_complete_samples, condition_means
from repatlas.geometry.scaling import scaling
from repatlas.geometry.svm import linear_svm


def ccgp(samples, conditions, labels, variable, C=1.0, split="one-context", scale="rms"):
    """Mean accuracy in contexts that the decoder of a variable was not fitted on.

    samples: (m, n); conditions: (m,), the index of each sample's condition, its row in labels;
    labels: (P, k) in {0, 1} or {-1, +1}, or two strings in each column, indexing all P = 2^k
    conditions exactly once, k >= 2; variable: a column of labels. A context is one setting of the
    other variables.
    split="one-context": fit on the two conditions of one context, test on all other contexts, mean
    over the contexts (Alleman et al. 2024, section 3).
    split="leave-one-pair-out": fit on all other contexts, test on the two conditions of one, mean
    over the contexts (Bernardi et al. 2020). For k = 2 the two are the same.
    scale="rms": in each fit, samples minus the mean of those fitted, over the root mean square of
    what is left of these; scale=None: as they are, as in Alleman et al. 2024.
    Raises ValueError for labels that are not factorial, an unknown split or scale, or a condition
    without samples, and NotConverged for samples too large for scale=None.

    >>> labels = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> samples = 1e-13 * np.array([[0, 0], [0, 3], [1, 0], [1, 3]])
    >>> ccgp(samples, [0, 1, 2, 3], labels, variable=0)
    1.0
    """
    if split not in ("one-context", "leave-one-pair-out"):
        raise ValueError(f'split is {split!r}; allowed are "one-context" and "leave-one-pair-out".')
    pairs = context_pairs(labels, variable)
    if len(pairs) < 2:
        raise ValueError("labels has one variable, hence one context; CCGP needs two variables.")
    signs = as_variables(labels)[:, variable]
    train_on_pair = split == "one-context"
    return _mean_generalisation(samples, conditions, signs, pairs, C, scale, train_on_pair)


def matched_ccgp(samples, conditions, dichotomy, C=1.0, scale="rms"):
    """CCGP of a single dichotomy: pairs of a + and a - condition take the place of the contexts.

    samples: (m, n); conditions: (m,), the condition index of each sample; dichotomy: (P,),
    balanced, P >= 4; scale: as in ccgp. Fit on the two conditions of one pair, test on the other
    P - 2, mean over the pairs.
    P = 4: the two pairs of both pairings, 4 fits (a mean over the pairings, where the matched
    parallelism score is a maximum). P > 4: the P/2 pairs of the nearest pairing of the condition
    means. (Alleman et al. 2024, sections 5 and 6; they define it for factorial labels only.)
    Raises ValueError for an unbalanced dichotomy or a condition without samples, and NotConverged
    as ccgp does.

    >>> corners, xor = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [1, -1, -1, 1]
    >>> matched_ccgp(corners, [0, 1, 2, 3], xor)
    0.0
    """
    dichotomy = as_dichotomy(dichotomy)
    if len(dichotomy) < 4:
        raise ValueError(f"dichotomy has {len(dichotomy)} conditions; CCGP needs 4 or more.")
    if len(dichotomy) == 4:
        pairs = np.concatenate(pairings(dichotomy))
    else:
        pairs = nearest_pairing(condition_means(samples, conditions, len(dichotomy)), dichotomy)
    return _mean_generalisation(samples, conditions, dichotomy, pairs, C, scale, True)


def _mean_generalisation(samples, conditions, signs, pairs, C, scale, train_on_pair):
    """Mean accuracy over the pairs: fitted on each and tested on the rest, or the other way."""
    samples, conditions = as_complete_samples(samples, conditions, len(signs))
    counts = np.bincount(conditions)
    accuracies = []
    for pair in pairs:
        fitted = np.full(len(signs), not train_on_pair)
        fitted[pair] = train_on_pair
        rows = fitted[conditions]
        scaled = scaling(samples[rows], scale)
        svm = linear_svm(scaled(samples[rows]), signs[conditions[rows]], C)
        hits = svm.predict(scaled(samples)) == signs[conditions]
        per_condition = np.bincount(conditions, weights=hits) / counts
        accuracies.append(per_condition[~fitted].mean())
    return float(np.mean(accuracies))
