"""Parallelism score and CCGP for labels of two classes each, as five labels of ten classes.

Each class is one condition. Such labels are not factorial, so the definitions for k binary
variables don't apply. These functions have the closest analogue of the two-by-two case. Two labels
with two classes each are a square of four conditions, and the measures are means over all pairs of
labels.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry.parallelism import matched_parallelism_score
from repatlas.geometry.svm import linear_svm


def paired_parallelism_score(means: NDArray[np.float64], labels: NDArray[np.intp]) -> float:
    """Return the mean over pairs of labels (l, m) of the larger of two cosines.

    The classes a, b of l and a', b' of m can be matched in two ways. Each way has a cosine, between
    z(a) - z(a') and z(b) - z(b').

    means: z, (classes, n), the mean pattern of each class; labels: (classes,), the label of each
    class, two classes for each. The score is from -1 to 1 and has no unit.

    Three labels at the corners of a triangle, with both classes of each moved the same way:

    >>> places, halves = np.array([[0.0, 0], [4, 0], [0, 4]]), np.array([[0.0, 0], [1, 1]])
    >>> means = np.array([place + half for place in places for half in halves])
    >>> round(paired_parallelism_score(means, np.array([0, 0, 1, 1, 2, 2])), 4)
    1.0
    """
    scores = []
    for classes in _squares(labels):
        dichotomy = np.array([1, 1, -1, -1])
        scores.append(matched_parallelism_score(means[classes], dichotomy))
    return float(np.mean(scores))


def paired_ccgp(
    samples: NDArray[np.float64], classes: NDArray[np.intp], labels: NDArray[np.intp], C: float
) -> float:
    """Return the mean accuracy of decoders of two labels.

    Each decoder is fitted on one class of each label and scored on the other class of each. The
    mean is over the four choices of classes and all pairs of labels.

    samples: (m, n), which the decoders see as they are, without a scale; classes: (m,), the class
    of each sample; labels: (classes,), as for paired_parallelism_score; C: of the decoders
    (linear_svm). In scores each class has the same weight; in fits each sample has. Returns a
    fraction from 0 to 1; chance is 0.5.
    Raises NotConverged for samples too large for C.

    On the triangle of paired_parallelism_score, one sample of each class:

    >>> places, halves = np.array([[0.0, 0], [4, 0], [0, 4]]), np.array([[0.0, 0], [1, 1]])
    >>> samples = np.array([place + half for place in places for half in halves])
    >>> paired_ccgp(samples, np.arange(6), np.array([0, 0, 1, 1, 2, 2]), C=1.0)
    1.0
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


def _squares(labels: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Return the four classes of each pair of labels, starting with the classes of the first
    label."""
    members = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    return [np.concatenate(pair) for pair in combinations(members, 2)]
