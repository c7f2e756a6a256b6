"""95 % means 95 %: intervals of simulated data whose truth is known, for each estimator."""

from itertools import combinations, product

import numpy as np
import pytest
from selections import some

from repatlas.geometry import (
    corrected_parallelism_score,
    corrected_participation_ratio,
    crossnobis_distances,
    halves_of_trials,
    participation_ratio_of_halves,
)
from repatlas.inference.alignment_pairs import aligned_pairs
from repatlas.inference.jackknife import crossed_jackknife_interval, jackknife_interval

pytestmark = pytest.mark.slow

CUBE = np.array(list(product([0, 1], repeat=3)))


def covered(intervals, truth, name):
    low, high = np.transpose([(found[-2], found[-1]) for found in intervals])
    assert some(np.isfinite(low)).all() and some(np.isfinite(high)).all()
    share = np.mean((low <= truth) & (truth <= high))
    print(f"{name}: {100 * share:.1f} % of {len(low)}")
    return share


def is_95_percent(share, number):
    """Check that a share is 95 %, within four standard errors."""
    return abs(share - 0.95) < 4 * np.sqrt(0.95 * 0.05 / number)


def representations(rng, shared, features, common):
    """Return two mixings of latent variables; some of the variables are common to both."""
    x = rng.standard_normal((2 * shared, features))
    y = rng.standard_normal((2 * shared, features))
    x[shared:] = 0
    y[:shared] *= common
    y[shared:] *= np.sqrt(1 - common**2)
    return x, y


def alignment_of_all_items(x, y):
    norms = np.linalg.norm(x.T @ x) * np.linalg.norm(y.T @ y)
    return np.linalg.norm(x.T @ y) ** 2 / norms


LATENTS = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "heavy tails": lambda rng, shape: rng.standard_t(8, shape) * np.sqrt(6 / 8),
    "skewed": lambda rng, shape: rng.gamma(4, size=shape) / 2 - 2,
}


@pytest.mark.parametrize("latents", LATENTS)
@pytest.mark.parametrize(
    ("items", "shared", "features", "common"),
    [(60, 5, 10, 0.7), (200, 5, 10, 0.7), (200, 20, 100, 0.9), (1000, 5, 10, 0.4)],
)
def test_of_debiased_alignment(items, shared, features, common, latents):
    rng, number = np.random.default_rng(1), 1000
    x, y = representations(rng, shared, features, common)
    truth, found = alignment_of_all_items(x, y), []
    for _ in range(number):
        items_of = LATENTS[latents](rng, (items, 2 * shared))
        pairs = aligned_pairs([items_of @ x], [items_of @ y])
        found.append((pairs.low[0, 0], pairs.high[0, 0]))
    name = f"{items} items, {features} features, {latents}, alignment {truth:.2f}"
    assert is_95_percent(covered(found, truth, name), number)


def test_of_unrelated_representations_it_is_more():
    """The estimate of an alignment of 0 is a degenerate statistic: its terms of first order vanish,
    and the jackknife finds more variance than there is."""
    rng, found = np.random.default_rng(2), []
    for _ in range(1000):
        pairs = aligned_pairs([rng.standard_normal((200, 10))], [rng.standard_normal((200, 10))])
        found.append((pairs.low[0, 0], pairs.high[0, 0]))
    assert 0.95 < covered(found, 0.0, "unrelated") < 0.995


@pytest.mark.parametrize(
    ("trials", "sigma", "form"),
    [(20, 1, "cosines"), (20, 1, "ratio"), (40, 3, "ratio"), (10, 1, "cosines"), (10, 2, "ratio")],
)
def test_of_the_corrected_parallelism_score(trials, sigma, form):
    rng, number = np.random.default_rng(4), 600
    means = np.outer(CUBE[:, 0], rng.standard_normal(30)) + 0.7 * rng.standard_normal((8, 30))
    vectors = means[4:] - means[:4]
    products = [a @ b for a, b in combinations(vectors, 2)]
    lengths = np.linalg.norm(vectors, axis=1)
    truth = np.mean(products) / np.mean(lengths**2)
    if form == "cosines":
        truth = np.mean([p / np.prod(b) for p, b in zip(products, combinations(lengths, 2),
                                                        strict=True)])  # fmt: skip
    conditions = np.repeat(np.arange(8), trials + np.arange(8) * trials // 8)  # unequal numbers
    mixing = np.eye(30) + 0.3 * rng.standard_normal((30, 30)) / np.sqrt(30)
    found = []
    for _ in range(number):
        noise = sigma * rng.standard_normal((len(conditions), 30)) @ mixing
        samples = means[conditions] + noise

        def score(rows, samples=samples):
            labels = CUBE[conditions[rows]]
            return corrected_parallelism_score(samples[rows], labels, 0, form=form).value

        found.append(jackknife_interval(score, len(samples), strata=conditions))
    share = covered(found, truth, f"{form}, {trials} trials or more, noise {sigma}: {truth:.2f}")
    assert is_95_percent(share, number)


SPECTRUM = np.exp(-np.arange(10) / 5)


@pytest.mark.parametrize(("items", "features"), [(60, 50), (200, 20), (200, 300)])
def test_of_the_participation_ratio_of_these_features(items, features):
    rng, number = np.random.default_rng(5), 600
    mixing = rng.standard_normal((10, features)) * np.sqrt(SPECTRUM)[:, None]
    covariance = mixing.T @ mixing
    truth = np.trace(covariance) ** 2 / (covariance**2).sum()
    found = []
    for _ in range(number):
        x = rng.standard_normal((items, 10)) @ mixing
        found.append(
            jackknife_interval(
                lambda rows, x=x: corrected_participation_ratio(x[rows], features="all"), items
            )
        )
    share = covered(found, truth, f"{items} items, these {features} features")
    assert is_95_percent(share, number)


@pytest.mark.parametrize(("items", "features"), [(60, 60), (400, 50), (100, 400)])
def test_of_the_participation_ratio_of_features_that_are_a_sample(items, features):
    """Over items alone it would be 66 % with 400 items and 50 features. The sum of two variances is
    a little too large, so that it is more than 95 %, too."""
    rng, number, found = np.random.default_rng(6), 400, []
    truth = SPECTRUM.sum() ** 2 / (SPECTRUM**2).sum()
    for _ in range(number):
        mixing = rng.standard_normal((10, features)) * np.sqrt(SPECTRUM)[:, None]
        x = rng.standard_normal((items, 10)) @ mixing
        found.append(
            crossed_jackknife_interval(
                lambda rows, columns, x=x: corrected_participation_ratio(x[rows][:, columns]),
                items,
                features,
            )
        )
    share = covered(found, truth, f"{items} items x {features} features, both a sample")
    assert is_95_percent(share, number) or 0.95 < share < 0.995


def test_of_the_participation_ratio_of_halves():
    rng, number, found = np.random.default_rng(7), 400, []
    mixing = rng.standard_normal((10, 40)) * np.sqrt(SPECTRUM)[:, None]
    covariance = mixing.T @ mixing
    truth = np.trace(covariance) ** 2 / (covariance**2).sum()
    conditions = np.repeat(np.arange(100), 6)
    for _ in range(number):
        patterns = rng.standard_normal((100, 10)) @ mixing
        samples = patterns[conditions] + 2 * rng.standard_normal((600, 40))
        x, y = halves_of_trials(samples, conditions)
        found.append(
            jackknife_interval(
                lambda rows, x=x, y=y: participation_ratio_of_halves(x[rows], y[rows], "all"), 100
            )
        )
    assert is_95_percent(covered(found, truth, "two halves of six noisy trials"), number)


@pytest.mark.parametrize(("trials", "separation"), [(12, 0.8), (40, 0.8), (40, 0.0)])
def test_of_crossnobis_distances(trials, separation):
    """At a distance of 0 the estimate is degenerate, as an alignment of 0 is."""
    rng, number, found = np.random.default_rng(8), 600, []
    difference = separation * rng.standard_normal(10)
    conditions = np.repeat([0, 1], [trials, 2 * trials])
    for _ in range(number):
        samples = rng.standard_normal((len(conditions), 10))
        samples[conditions == 1] += difference

        def distance(rows, samples=samples):
            return crossnobis_distances(samples[rows], conditions[rows], noise=None)[0, 1]

        found.append(jackknife_interval(distance, len(samples), strata=conditions))
    share = covered(found, difference @ difference / 10, f"{trials} trials, {separation} apart")
    assert is_95_percent(share, number) if separation else 0.95 < share < 0.995
