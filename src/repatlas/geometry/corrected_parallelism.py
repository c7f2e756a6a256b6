"""Parallelism score from repeated noisy trials, without the noise of the condition means."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.design import ByPair, as_trials
from repatlas.geometry.parallelism import have_direction
from repatlas.geometry.trials import means_and_noise, squared_noise

Form = Literal["cosines", "ratio"] | None

DEVIATIONS = 1.645
"""A squared length is significant above this number of standard deviations: 5 % of a normal
distribution lie beyond it."""
COSINES = "mean of noise-corrected cosines"
RATIO = "ratio of sums of noise-corrected products and squared lengths"


def corrected_parallelism_score(
    samples: ArrayLike, labels: ArrayLike, variable: int, form: Form = None
) -> ByPair:
    """Return the parallelism score of a variable, from single trials, corrected for their noise.

    samples: (m, n), one row for each trial; labels: (m, k), the values that k variables had in each
    trial, numbers or strings; variable: the column of labels to score. A condition is a combination
    of values, a context c a setting of the other variables. Each condition needs two trials or
    more, also a condition that no score uses; numbers of trials may be unequal. A variable may have
    more than two values: each pair of values (a, b) has a score, over the contexts that have both,
    where these are two or more.

    The coding vector v_c = mu(a, c) - mu(b, c) is known as w_c = v_c + e_c, from means over trials.
    The noise e_c is independent between contexts, which share no trial. Its squared length has the
    mean s(a, c) + s(b, c). For a condition with m trials x_t, s = sum_t |x_t - mean|^2 / (m (m -
    1)) is an unbiased estimate from these trials alone. Therefore

        E[w_c . w_c'] = v_c . v_c'  for c != c',     E[L_c] = |v_c|^2,
        L_c = |w_c|^2 - s(a, c) - s(b, c).

    Products need no correction. Plain squared lengths |w_c|^2 are too long by the noise, which is
    why the plain score of condition means falls with fewer trials, and this one does not.
    form="cosines": the mean over pairs of contexts of w_c . w_c' / sqrt(L_c L_c'); without noise
    this is parallelism_score.
    form="ratio": the mean of w_c . w_c' over pairs of contexts, divided by the mean of L_c. Long
    coding vectors weigh more in it. It equals "cosines" if all have one length, and it has no root
    of a small number.
    form=None: "cosines" if, for each pair of values, each L_c is significant and at least s(a, c) +
    s(b, c), so that signal exceeds noise; otherwise "ratio". The result names the form.
    value is the mean over the pairs of values. For the ratio, products and lengths are summed over
    all pairs of values before they are divided, so value can be finite where by_pair has a nan.

    nan if the denominator of a score is not significantly above 0, at a one-sided level of 5 %:
    each L_c for "cosines", the sum of L_c for "ratio". Directions of coding vectors that may have
    no length mean nothing. A sum D of L_c is significant if it exceeds 1.645 standard deviations of
    it without any signal, where noise has the same covariance S in all conditions:

        Var(D) = 2 Tr(S S) (sum_i Q_ii^2 / (m_i (m_i - 1)) + sum_{i != j} Q_ij^2 / (m_i m_j)),

    D = sum_ij Q_ij mu_i . mu_j, m_i trials of condition i, and Tr(S S) from the residuals (Bai &
    Saranadasa 1996, and Chen & Qin 2010 for the test). With "cosines", value is nan if one pair of
    values has nan. The estimates have no unit. They may be above 1 or below -1 by chance, and
    aren't cut off there.
    Raises ValueError for a condition with a single trial, no pair of values in two contexts, an
    unknown form, or malformed input.
    The corrected score is not published as far as we know. The lengths L_c are crossnobis distances
    without a noise covariance (Walther et al. 2016). Bernardi et al. 2020 define the plain score.

    Two contexts, whose coding vectors (2, 0) and (2, 2) are at 45 degrees:

    >>> labels = [(a, b) for a in "xy" for b in "uv" for trial in range(100)]
    >>> means = {"xu": (0, 0), "yu": (2, 0), "xv": (0, 5), "yv": (2, 7)}
    >>> noise = np.random.default_rng(0).standard_normal((400, 2))
    >>> score = corrected_parallelism_score([means[a + b] for a, b in labels] + noise, labels, 0)
    >>> round(score.value, 2), score.pairs, score.estimator
    (0.72, [('x', 'y')], 'mean of noise-corrected cosines')
    """
    return score_of_trials(samples, labels, variable, form, tested=True)


def score_of_trials(
    samples: ArrayLike, labels: ArrayLike, variable: int, form: Form, tested: bool
) -> ByPair:
    """Return corrected_parallelism_score, or its value without the test if not `tested`.

    The lengths then need to be above 0 only. A jackknife needs this, which leaves out trials of a
    known score: a test would select among its values.
    """
    if form not in ("cosines", "ratio", None):
        raise ValueError(f'form is {form!r}; allowed are "cosines", "ratio" and None.')
    patterns, design = as_trials(samples, labels)
    contexts = design.contexts(variable, fewest=2)
    counts = design.counts
    if counts.min() < 2:
        raise ValueError(
            f"labels has only one trial of condition ({design.name(int(counts.argmin()))}); its "
            f"noise can be estimated from 2 or more: leave the condition out."
        )
    means, noise = means_and_noise(patterns, design.conditions)
    spread = squared_noise(patterns, means, design.conditions) if tested else 0.0
    coding = [Coding(means, noise, pairs, counts, spread) for pairs in contexts.values()]
    if form is None:
        form = "cosines" if all(of.is_mostly_signal for of in coding) else "ratio"
    if form == "cosines":
        by_pair = np.array([of.cosines for of in coding])
        return ByPair(float(by_pair.mean()), list(contexts), by_pair, COSINES)
    by_pair = np.array([_ratio([of], counts, spread) for of in coding])
    return ByPair(_ratio(coding, counts, spread), list(contexts), by_pair, RATIO)


class Coding:
    """The coding vectors of one pair of values in its contexts, (contexts, n)."""

    def __init__(
        self,
        means: NDArray[np.float64],
        noise: NDArray[np.float64],
        pairs: NDArray[np.intp],
        counts: NDArray[np.intp],
        spread: float,
    ):
        """Compute the vectors. counts: (P,), of trials; spread: Tr(S S) of the noise, or 0 for no
        test."""
        self.pairs = pairs
        self.vectors = means[pairs[:, 1]] - means[pairs[:, 0]]
        self.noise = noise[pairs].sum(axis=1)
        plain = np.einsum("ij,ij->i", self.vectors, self.vectors)
        self.squared = plain - self.noise
        self.squared[~have_direction(self.vectors, means)] = 0
        # Over ordered pairs of contexts: sums of products, and of (L_c + L_c') / 2.
        resultant = self.vectors.sum(axis=0)
        self.products = float(resultant @ resultant - plain.sum())
        self.squares = float((len(pairs) - 1) * self.squared.sum())
        deviations = [_deviation([pair[None]], [1.0], counts, spread) for pair in pairs]
        self.is_long = (self.squared > 0) & (self.squared > DEVIATIONS * np.array(deviations))

    @property
    def is_mostly_signal(self) -> bool:
        return bool(np.all(self.squared >= self.noise) and np.all(self.is_long))

    @property
    def cosines(self) -> float:
        if not np.all(self.is_long):
            return float("nan")
        units = self.vectors / np.sqrt(self.squared)[:, None]
        resultant, number = units.sum(axis=0), len(units)
        return float((resultant @ resultant - np.vdot(units, units)) / (number * (number - 1)))


def _ratio(coding: list[Coding], counts: NDArray[np.intp], spread: float) -> float:
    squares = sum(of.squares for of in coding)
    weights = [len(of.pairs) - 1.0 for of in coding]
    least = DEVIATIONS * _deviation([of.pairs for of in coding], weights, counts, spread)
    return sum(of.products for of in coding) / squares if squares > max(least, 0) else float("nan")


def _deviation(
    pairs: list[NDArray[np.intp]], weights: list[float], counts: NDArray[np.intp], spread: float
) -> float:
    """Return the standard deviation of a weighted sum of squared lengths L_c without any signal.

    pairs: of conditions, (contexts, 2) each, with a weight for each; counts: (P,), of trials.
    """
    form = np.zeros((len(counts), len(counts)))
    for of, weight in zip(pairs, weights, strict=True):
        for sign, (i, j) in ((1, (0, 0)), (1, (1, 1)), (-1, (0, 1)), (-1, (1, 0))):
            np.add.at(form, (of[:, i], of[:, j]), sign * weight)
    products = np.outer(counts, counts) - np.diag(counts)
    return float(np.sqrt(2 * spread * np.sum(form**2 / products)))
