"""Parallelism score and CCGP for five labels of two classes each.

Such labels are not factorial, so that the definitions for k binary variables don't apply. Ours are
the closest analogue of those for two by two: any two labels, with the two classes of each, are a
square of four conditions; the measures are means over the ten pairs of labels.
"""

from itertools import combinations

import numpy as np

from repatlas.geometry import linear_svm, matched_parallelism_score


def paired_parallelism_score(means: np.ndarray, labels: np.ndarray) -> float:
    """Mean over pairs of labels (l, m) of the larger cosine, over both ways to match the classes
    a, b of l with a', b' of m, between z(a) - z(a') and z(b) - z(b').

    means: z, (classes, n), the mean pattern of each class; labels: (classes,), two classes each.
    """
    scores = []
    for classes in _squares(labels):
        dichotomy = np.array([1, 1, -1, -1])
        scores.append(matched_parallelism_score(means[classes], dichotomy))
    return float(np.mean(scores))


def paired_ccgp(samples: np.ndarray, classes: np.ndarray, labels: np.ndarray, C: float) -> float:
    """Mean accuracy of decoders that tell two labels apart, fitted on one class of each and scored
    on the other class of each: over the four choices of classes and all pairs of labels.

    samples: (m, n); classes: (m,), the class of each sample; labels: (classes,). In scores a class
    counts the same however many samples it has; in fits each sample does.
    """
    accuracies = []
    of_class = [samples[classes == index] for index in range(len(labels))]
    for a, b, c, d in _squares(labels):
        for first, second, held_first, held_second in (
            (a, c, b, d),
            (a, d, b, c),
            (b, c, a, d),
            (b, d, a, c),
        ):
            fitted = np.concatenate([of_class[first], of_class[second]])
            signs = np.repeat([1, -1], [len(of_class[first]), len(of_class[second])])
            svm = linear_svm(fitted, signs, C)
            accuracies += [
                np.mean(svm.predict(of_class[held_first]) == 1),
                np.mean(svm.predict(of_class[held_second]) == -1),
            ]
    return float(np.mean(accuracies))


def _squares(labels: np.ndarray) -> list[np.ndarray]:
    """For each pair of labels its four classes, those of the first label first."""
    members = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    return [np.concatenate(pair) for pair in combinations(members, 2)]
