"""Parallelism score from repeated noisy trials, without the noise of the condition means."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.design import ByPair, as_trials
from repatlas.geometry.parallelism import have_direction
from repatlas.geometry.trials import means_and_noise

Form = Literal["cosines", "ratio"] | None

COSINES = "mean of noise-corrected cosines"
RATIO = "ratio of sums of noise-corrected products and squared lengths"


def corrected_parallelism_score(
    samples: ArrayLike, labels: ArrayLike, variable: int, form: Form = None
) -> ByPair:
    """Parallelism score of a variable, from single trials, corrected for their noise.

    samples: (m, n), one row for each trial; labels: (m, k), the values that k variables had in each
    trial, numbers or strings; variable: the column of labels to score. A condition is a combination
    of values, a context c a setting of the other variables. Each condition needs two trials;
    numbers of trials may be unequal. A variable may have more than two values: each pair of values
    (a, b) has a score, over the contexts that have both, where these are two or more.

    The coding vector v_c = mu(a, c) - mu(b, c) is known as w_c = v_c + e_c, from means over trials.
    The noise e_c is independent between contexts, which share no trial, and its squared length has
    the mean s(a, c) + s(b, c), where s = sum_t |x_t - mean|^2 / (m (m - 1)) of a condition with m
    trials x_t is an unbiased estimate from these trials alone. Therefore

        E[w_c . w_c'] = v_c . v_c'  for c != c',     E[L_c] = |v_c|^2,
        L_c = |w_c|^2 - s(a, c) - s(b, c).

    Products need no correction. Plain squared lengths |w_c|^2 are too long by the noise, which is
    why the plain score of condition means falls with fewer trials, and this one does not.
    form="cosines": the mean over pairs of contexts of w_c . w_c' / sqrt(L_c L_c'); without noise
    this is parallelism_score.
    form="ratio": the mean of w_c . w_c' over pairs of contexts, over the mean of L_c. Long coding
    vectors weigh more in it. It is the same as "cosines" where all have one length, and it has no
    root of a small number.
    form=None: "cosines" if no context has more noise than signal, L_c < s(a, c) + s(b, c), in any
    pair of values, and else "ratio". The result names the one used.
    value is the mean over the pairs of values; for the ratio, it is the ratio of their sums.

    The estimates have no unit. They may be above 1 or below -1 by chance, and aren't cut off there.
    nan where the noise is as large as what is measured: some L_c <= 0 for "cosines", the sum of
    L_c <= 0 for "ratio". With "cosines", value is nan if one pair of values has nan.
    Raises ValueError for a condition with a single trial, no pair of values in two contexts, an
    unknown form, or malformed input.
    Not published as far as we know. The lengths L_c are crossnobis distances without a noise
    covariance (Walther et al. 2016); the plain score is that of Bernardi et al. 2020.

    Two contexts, whose coding vectors (2, 0) and (2, 2) are at 45 degrees:

    >>> labels = [(a, b) for a in "xy" for b in "uv" for trial in range(100)]
    >>> means = {"xu": (0, 0), "yu": (2, 0), "xv": (0, 5), "yv": (2, 7)}
    >>> noise = np.random.default_rng(0).standard_normal((400, 2))
    >>> score = corrected_parallelism_score([means[a + b] for a, b in labels] + noise, labels, 0)
    >>> round(score.value, 2), score.pairs, score.estimator
    (0.72, [('x', 'y')], 'mean of noise-corrected cosines')
    """
    if form not in ("cosines", "ratio", None):
        raise ValueError(f'form is {form!r}; allowed are "cosines", "ratio" and None.')
    patterns, design = as_trials(samples, labels)
    contexts = design.contexts(variable, fewest=2)
    counts = design.counts
    if counts.min() < 2:
        raise ValueError(
            f"labels has one trial alone of condition ({design.name(int(counts.argmin()))}); its "
            f"noise can be told from 2 or more: leave it out."
        )
    means, noise = means_and_noise(patterns, design.conditions)
    coding = [Coding(means, noise, pairs) for pairs in contexts.values()]
    if form is None:
        form = "cosines" if all(of.is_mostly_signal for of in coding) else "ratio"
    if form == "cosines":
        by_pair = np.array([of.cosines for of in coding])
        return ByPair(float(by_pair.mean()), list(contexts), by_pair, COSINES)
    by_pair = np.array([_ratio(of.products, of.squares) for of in coding])
    value = _ratio(sum(of.products for of in coding), sum(of.squares for of in coding))
    return ByPair(value, list(contexts), by_pair, RATIO)


class Coding:
    """The coding vectors of one pair of values in its contexts, (contexts, n)."""

    def __init__(
        self, means: NDArray[np.float64], noise: NDArray[np.float64], pairs: NDArray[np.intp]
    ):
        self.vectors = means[pairs[:, 1]] - means[pairs[:, 0]]
        self.noise = noise[pairs].sum(axis=1)
        plain = np.einsum("ij,ij->i", self.vectors, self.vectors)
        self.squared = plain - self.noise
        self.squared[~have_direction(self.vectors, means)] = 0
        # Over ordered pairs of contexts: sums of products, and of (L_c + L_c') / 2.
        resultant = self.vectors.sum(axis=0)
        self.products = float(resultant @ resultant - plain.sum())
        self.squares = float((len(pairs) - 1) * self.squared.sum())

    @property
    def is_mostly_signal(self) -> bool:
        return bool(np.all(self.squared >= self.noise) and np.all(self.squared > 0))

    @property
    def cosines(self) -> float:
        if np.any(self.squared <= 0):
            return float("nan")
        units = self.vectors / np.sqrt(self.squared)[:, None]
        resultant, number = units.sum(axis=0), len(units)
        return float((resultant @ resultant - np.vdot(units, units)) / (number * (number - 1)))


def _ratio(products: float, squares: float) -> float:
    return products / squares if squares > 0 else float("nan")
