"""Ten classes in five pairs, and what parallelism and CCGP are for them."""

import numpy as np
import pytest

from repatlas.experiments.images.task import class_labels, one_hot
from repatlas.geometry.paired import paired_ccgp, paired_parallelism_score

FIXED = class_labels("fixed", 0)


def test_fixed_pairs_are_neighbouring_classes():
    assert FIXED.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_random_pairs_are_the_seeds_own():
    draws = {tuple(class_labels("random", seed)) for seed in range(20)}
    assert len(draws) == 20
    np.testing.assert_array_equal(class_labels("random", 3), class_labels("random", 3))


def test_the_score_is_that_of_the_pairs_by_hand(rng):
    z = rng.standard_normal((10, 7))

    def cosine(u, v):
        return u @ v / np.linalg.norm(u) / np.linalg.norm(v)

    expected = np.mean(
        [
            max(
                cosine(z[a] - z[c], z[a + 1] - z[c + 1]),
                cosine(z[a] - z[c + 1], z[a + 1] - z[c]),
            )
            for a in range(0, 10, 2)
            for c in range(a + 2, 10, 2)
        ]
    )
    assert paired_parallelism_score(z, FIXED) == pytest.approx(expected)


def samples_of(patterns, rng, each=20, noise=0.01):
    classes = np.repeat(np.arange(10), each)
    return patterns[classes] + noise * rng.standard_normal((len(classes), patterns.shape[1])), (
        classes
    )


def test_parallelograms_generalise_to_the_classes_held_out(rng):
    samples, classes = samples_of(10 * one_hot(FIXED), rng)
    assert paired_ccgp(samples, classes, FIXED, C=1.0) == 1


def test_equidistant_classes_do_not_generalise(rng):
    """A decoder of two classes has no direction in which two others differ, except for noise."""
    samples, classes = samples_of(10 * np.eye(10), rng, noise=1.0)
    assert paired_ccgp(samples, classes, FIXED, C=1.0) == pytest.approx(0.5, abs=0.1)
