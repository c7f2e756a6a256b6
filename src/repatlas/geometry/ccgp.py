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
    context_pairs,
    nearest_pairings,
    pairings,
)
from repatlas.geometry.labels import as_label_columns, design_of
from repatlas.geometry.patterns import as_complete_samples, as_matrix, condition_means, parts
from repatlas.geometry.scaling import AS_THEY_ARE, Scale, scaling, with_ones
from repatlas.geometry.svm import as_regularisation, weights_of

Split = Literal["one-context", "leave-one-pair-out"]
DECISIONS = 2**18
"""Decisions that are made at a time: 2 MiB, which stay in a core's cache."""


def ccgp(
    samples: ArrayLike,
    labels: ArrayLike,
    variable: int,
    C: float = 1.0,
    split: Split = "one-context",
    scale: Scale = "rms",
) -> float:
    """Return CCGP: the mean accuracy of a variable's decoder in contexts that it was not fitted on.

    samples: (m, n), one row for each trial; labels: (m, k), the values that k variables had in each
    trial, in {0, 1} or {-1, +1}, or two strings in each column, with all 2^k combinations, k >= 2
    (balanced_ccgp takes any design); variable: a column of labels; C: of the decoder (linear_svm).
    With a table of conditions, (2^k, k), and the condition of each trial: labels=table[conditions].
    A context is one setting of the other variables. Returns a fraction from 0 to 1; chance is 0.5.
    split="one-context": fit on the two conditions of one context, test on all other contexts, mean
    over the contexts (Alleman et al. 2024, section 3).
    split="leave-one-pair-out": fit on all other contexts, test on the two conditions of one, mean
    over the contexts (Bernardi et al. 2020). For k = 2 the two are the same.
    scale="rms": each fit subtracts the mean of its samples, and divides by the root mean square of
    the differences. scale=None: samples as they are (Alleman et al. 2024).
    Raises ValueError for labels without some combination, or an unknown split or scale, and
    NotConverged for samples too large for scale=None.

    The corners of a rectangle, in any unit: a decoder of left and right for the lower corners is
    right for the upper corners. If left and right are exchanged above, it is always wrong there.

    >>> labels = [["left", 0], ["right", 0], ["left", 1], ["right", 1]]
    >>> rectangle = 1e-13 * np.array([[0, 0], [1, 0], [0, 3], [1, 3]])
    >>> ccgp(rectangle, labels, variable=0)
    1.0
    >>> ccgp(rectangle[[0, 1, 3, 2]], labels, variable=0)
    0.0
    """
    if split not in ("one-context", "leave-one-pair-out"):
        raise ValueError(f'split is {split!r}; allowed are "one-context" and "leave-one-pair-out".')
    table, conditions = _conditions(samples, labels)
    pairs = context_pairs(table, variable)
    if len(pairs) < 2:
        raise ValueError("labels has one variable, hence one context; CCGP needs two variables.")
    signs = table[:, variable]
    held_out = split == "leave-one-pair-out"
    found = CrossConditionDecoders(samples, conditions, signs[None], pairs[None], C, held_out)
    return float(found.scores(scale)[0])


def _conditions(samples: ArrayLike, labels: ArrayLike) -> tuple[NDArray[np.int8], NDArray[np.intp]]:
    """Return the values of each condition, (2^k, k), in the order in which they first occur, and
    the condition of each trial, (m,)."""
    number, given = len(as_matrix("samples", samples)), np.shape(labels)
    if len(given) != 2 or given[0] != number:
        raise ValueError(
            f"labels has shape {given}; allowed is (m, k), one row for each of the {number} "
            f"samples and one column for each variable. With a table of conditions: "
            f"table[conditions]."
        )
    signs = as_label_columns(labels)
    table, first, codes = np.unique(signs, axis=0, return_index=True, return_inverse=True)
    if len(table) < 2 ** signs.shape[1]:
        raise ValueError(
            f"labels has {len(table)} of the {2 ** signs.shape[1]} combinations of its "
            f"{signs.shape[1]} variables; ccgp needs all, and balanced_ccgp takes any design."
        )
    order = np.argsort(first)
    return table[order], np.argsort(order)[codes.ravel()]


def matched_ccgp(
    samples: ArrayLike,
    conditions: ArrayLike,
    dichotomy: ArrayLike,
    C: float = 1.0,
    scale: Scale = "rms",
) -> float:
    """Return CCGP of a single dichotomy: pairs of a + and a - condition replace the contexts.

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
    pairs = _matched_pairs(samples, conditions, signs[None])
    return float(
        CrossConditionDecoders(samples, conditions, signs[None], pairs, C).scores(scale)[0]
    )


def generalisation_of_columns(
    samples: ArrayLike, conditions: ArrayLike, labels: ArrayLike, C: float = 1.0
) -> CrossConditionDecoders:
    """Return the fits of CCGP of each column of labels: the fits of ccgp if labels are factorial
    (design_of), else of matched_ccgp.

    samples, C: as in ccgp; conditions: (m,), the condition of each row, 0 to P - 1; labels: (P, K),
    P >= 4.

    A square, with a label for each side.

    >>> square = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    >>> generalisation_of_columns(square, [0, 1, 2, 3], [[0, 0], [1, 0], [0, 1], [1, 1]]).scores()
    array([1., 1.])
    """
    signs = np.ascontiguousarray(as_label_columns(labels).T)
    if design_of(labels) == "factorial":
        pairs = np.stack([context_pairs(labels, variable) for variable in range(len(signs))])
    else:
        pairs = _matched_pairs(samples, conditions, np.stack([as_dichotomy(d) for d in signs]))
    return CrossConditionDecoders(samples, conditions, signs, pairs, C)


def _matched_pairs(
    samples: ArrayLike, conditions: ArrayLike, dichotomies: NDArray[np.int8]
) -> NDArray[np.intp]:
    """Return the pairs that replace contexts for each dichotomy, (number, pairs, 2)."""
    if dichotomies.shape[1] == 4:
        return np.stack([np.concatenate(pairings(signs)) for signs in dichotomies])
    return nearest_pairings(condition_means(samples, conditions, dichotomies.shape[1]), dichotomies)


class CrossConditionDecoders:
    """Decoders of several dichotomies, each fitted on some conditions and scored on the others.

    A decoder of two conditions is fitted once. It serves all dichotomies that separate them,
    whichever side is positive.
    """

    def __init__(
        self,
        samples: ArrayLike,
        conditions: ArrayLike,
        signs: NDArray[np.int8],
        pairs: NDArray[np.intp],
        C: float,
        held_out: bool = False,
    ):
        """Store what fits need. samples: (m, n); conditions: (m,); signs: (number, P), the
        dichotomies; pairs: (number, pairs, 2). A decoder is fitted on each pair or, if pairs are
        held out, on all other conditions. C: the C of decoders."""
        self.samples, self.conditions = as_complete_samples(samples, conditions, signs.shape[1])
        self.signs, self.C = signs, as_regularisation(C)
        fitted = np.zeros((*pairs.shape[:2], signs.shape[1]), dtype=bool)
        np.put_along_axis(fitted, pairs, True, axis=2)
        self.tested = fitted if held_out else ~fitted
        sides = np.where(self.tested, 0, signs[:, None])
        first = np.take_along_axis(sides, (sides != 0).argmax(axis=2)[:, :, None], axis=2)
        self.is_flipped = first < 0  # (number, pairs, 1): whether its decoder has the other signs
        unique_fits = (sides * first).reshape(-1, signs.shape[1])
        distinct, decoder = np.unique(unique_fits, axis=0, return_inverse=True)
        self.decoder = decoder.reshape(pairs.shape[:2])
        self.fits = []  # of each decoder the samples, and their labels
        for labels in distinct[:, self.conditions]:
            rows = np.flatnonzero(labels)
            self.fits.append((rows, labels[rows].astype(np.float64)[None]))

    def scores(self, scale: Scale = None, unit: float = 1.0) -> NDArray[np.float64]:
        """Return the mean accuracy over the fits of each dichotomy, (number,). Samples are divided
        by the unit first, and then scaled. Raises NotConverged for samples too large for C."""
        samples = with_ones(self.samples, unit)
        if scale == "rms":  # which takes any offset off: without it decisions keep their digits
            samples[:, :-1] -= samples[0, :-1]
        weights = self._fitted(samples, scale)
        counts = np.bincount(self.conditions)
        above, below = self._decided(samples, weights)
        positive = np.where(self.is_flipped, below[self.decoder], above[self.decoder])
        hits = np.where(self.signs[:, None] > 0, positive, counts - positive) / counts
        # Each fit is tested on equally many conditions.
        of_fits = hits[self.tested].reshape(*self.decoder.shape, -1).mean(axis=2)
        scores: NDArray[np.float64] = of_fits.mean(axis=1)
        return scores

    def _fitted(self, samples: NDArray[np.float64], scale: Scale) -> NDArray[np.float64]:
        """Return the weights of each decoder, (decoders, n + 1), for unscaled samples, (m, n + 1).
        The last feature of samples is ones."""
        weights = np.empty((len(self.fits), samples.shape[1]))
        for number, (rows, labels) in enumerate(self.fits):
            x = samples[rows]
            scaled = scaling(x[:, :-1], scale)
            if scaled is not AS_THEY_ARE:
                x[:, :-1] = scaled(x[:, :-1])
            found = weights_of(x, labels, self.C)[0]
            weights[number] = found if scaled is AS_THEY_ARE else scaled.weights(found)
        return weights

    def _decided(
        self, samples: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how many samples of each condition each decoder puts above and below 0: both
        (decoders, P). Samples exactly on the boundary are neither."""
        number = self.signs.shape[1]
        above, below = np.zeros((2, len(weights), number))
        for rows in parts(len(samples), len(weights), DECISIONS):
            decisions = samples[rows] @ weights.T
            of = (self.conditions[rows] == np.arange(number)[:, None]).astype(np.float32)
            # In single precision these numbers are whole.
            above += (of @ (decisions > 0).astype(np.float32)).T
            below += (of @ (decisions < 0).astype(np.float32)).T
        return above, below
