"""The nulls of parallelism and CCGP from trials: what they keep, and how p is distributed."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from repatlas.geometry import (
    balanced_ccgp,
    balanced_decoding,
    condition_means,
    parallelism_score,
)
from repatlas.inference.nulls import geometric_null, moved_means, shuffle_null

SQUARE = np.array(list(product([0, 1], repeat=2)))


def parallelism(samples, labels):
    return parallelism_score(condition_means(samples, labels @ [2, 1]), SQUARE, 0)


def generalisation(samples, labels):
    return balanced_ccgp(samples, labels, 0).value


def decoding(samples, labels):
    return balanced_decoding(samples, labels, 0, resamples=1).value


def test_shuffling_keeps_the_trials_and_the_number_of_each_condition(rng):
    seen = []

    def remember(samples, labels):
        seen.append((samples, labels))
        return 0.0

    samples, labels = rng.standard_normal((30, 3)), SQUARE[rng.integers(0, 4, 30)]
    shuffle_null(remember, samples, labels, draws=5)
    assert len(seen) == 6
    for given, shuffled in seen:
        assert np.array_equal(given, samples)
        assert np.array_equal(np.sort(shuffled @ [2, 1]), np.sort(labels @ [2, 1]))
    assert np.array_equal(seen[0][1], labels)
    assert not any(np.array_equal(shuffled, labels) for _, shuffled in seen[1:])


def test_moving_means_keeps_their_distances_from_the_grand_mean_and_the_residuals(rng):
    samples, conditions = rng.standard_normal((40, 6)) + 50, np.arange(40) % 4
    means = condition_means(samples, conditions)
    directions = []
    for moved in moved_means(samples, conditions, draws=3):
        new = condition_means(moved, conditions)
        apart = new - means.mean(axis=0)
        assert np.linalg.norm(apart, axis=1) == pytest.approx(
            np.linalg.norm(means - means.mean(axis=0), axis=1)
        )
        assert moved - new[conditions] == pytest.approx(samples - means[conditions])
        directions.append(apart[0] / np.linalg.norm(apart[0]))
    assert abs(directions[0] @ directions[1]) < 0.999


def test_the_seed_says_the_draws(rng):
    samples, labels = rng.standard_normal((24, 5)), np.tile(SQUARE, (6, 1))
    for null in (shuffle_null, geometric_null):
        first, again, other = (
            null(parallelism, samples, labels, draws=5, seed=seed).draws for seed in (0, 0, 1)
        )
        assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_an_abstract_geometry_is_beyond_both_nulls(rng):
    labels = np.tile(SQUARE, (10, 1))
    samples = labels @ rng.standard_normal((2, 30)) + 0.8 * rng.standard_normal((40, 30))
    for null in (shuffle_null, geometric_null):
        for statistic in (parallelism, generalisation):
            assert null(statistic, samples, labels, draws=39).p <= 0.05


def test_a_coded_variable_without_geometry_is_beyond_the_shuffle_alone(rng):
    """Four means in random directions are decoded perfectly, and are no more parallel than by
    chance."""
    labels = np.tile(SQUARE, (20, 1))
    places = np.random.default_rng(1).standard_normal((4, 30))
    samples = 2 * places[labels @ [2, 1]] + rng.standard_normal((80, 30))
    assert shuffle_null(decoding, samples, labels, draws=39).p == 1 / 40
    moved = geometric_null(decoding, samples, labels, draws=39)
    assert moved.chance > 0.95  # decodability is kept
    assert moved.p > 0.05
    assert geometric_null(parallelism, samples, labels, draws=39).p > 0.05


@pytest.mark.parametrize("null", [shuffle_null, geometric_null])
def test_trials_without_labels_are_refused(null):
    with pytest.raises(ValueError, match=r"labels has shape \(3, 2\); allowed is \(m, k\)"):
        null(parallelism, np.eye(4), SQUARE[:3])


def uniform_enough(found, draws):
    """Check that p values of `draws` draws are 1 / (draws + 1) ... 1, each as probable, and that
    neither 5 % nor 50 % come too often."""
    counts = np.bincount(np.round(np.array(found) * (draws + 1)).astype(int), minlength=draws + 2)
    assert stats.chisquare(counts[1:]).pvalue > 0.001
    for level in (0.05, 0.5):
        below = int(np.sum(np.array(found) <= level + 1e-12))
        print(f"p <= {level}: {below} of {len(found)}")
        assert stats.binomtest(below, len(found), level).pvalue > 0.001


@pytest.mark.slow
def test_p_of_the_shuffle_is_uniform_where_nothing_is_coded(rng):
    labels = np.tile(SQUARE, (4, 1))
    found = [
        shuffle_null(parallelism, rng.standard_normal((16, 6)), labels, draws=19, seed=seed).p
        for seed in range(600)
    ]
    uniform_enough(found, 19)


@pytest.mark.slow
def test_p_of_moved_means_is_uniform_where_means_have_no_geometry(rng):
    """Means from a normal distribution, which has no preferred direction; they have no noise."""
    found = [
        geometric_null(parallelism, rng.standard_normal((4, 6)), SQUARE, draws=19, seed=seed).p
        for seed in range(600)
    ]
    uniform_enough(found, 19)


@pytest.mark.slow
def test_p_of_ccgp_is_never_too_small_by_either_null(rng):
    """Accuracies have ties, which can only raise p."""
    labels, shuffled, moved = np.tile(SQUARE, (6, 1)), [], []
    for seed in range(300):
        noise = rng.standard_normal((24, 8))
        shuffled.append(shuffle_null(generalisation, noise, labels, draws=19, seed=seed).p)
        places = 2 * rng.standard_normal((4, 8))
        samples = places[labels @ [2, 1]] + noise
        moved.append(geometric_null(generalisation, samples, labels, draws=19, seed=seed).p)
    for name, found in (("shuffle", shuffled), ("moved", moved)):
        for level in (0.05, 0.5):
            below = int(np.sum(np.array(found) <= level + 1e-12))
            print(f"{name}: p <= {level} in {below} of {len(found)}")
            assert stats.binomtest(below, len(found), level, alternative="greater").pvalue > 0.001
