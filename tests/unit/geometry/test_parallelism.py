from itertools import combinations, product

import numpy as np
import pytest

from repatlas.geometry import (
    balanced_dichotomies,
    matched_parallelism_score,
    nearest_pairing,
    pairings,
    parallelism_score,
)


def naive_score(vectors):
    cosines = [a @ b / (np.linalg.norm(a) * np.linalg.norm(b)) for a, b in combinations(vectors, 2)]
    return np.mean(cosines)


def test_a_context_that_does_not_code_the_variable_is_left_out(rng):
    labels = np.array(list(product([0, 1], repeat=3)))
    patterns = labels @ rng.standard_normal((3, 9))
    patterns[7] = patterns[3]  # context (1, 1): no coding vector of variable 0
    assert parallelism_score(patterns, labels, 0) == pytest.approx(1)


def test_a_single_context_has_no_parallelism():
    assert np.isnan(parallelism_score([[0.0], [1.0]], [[0], [1]], 0))


@pytest.mark.parametrize("delta", [0, 0.5, 1, 2])
def test_matched_parallelism_of_the_separable_target(separable, delta):
    score = matched_parallelism_score(separable(delta), separable.target)
    assert score == pytest.approx((delta**2 - 1) / (delta**2 + 1), abs=1e-12)


@pytest.mark.parametrize("size", [4, 6])
def test_the_best_pairing_is_the_maximum_over_all(rng, size):
    patterns = rng.standard_normal((size, 5))
    for dichotomy in balanced_dichotomies(size):
        scores = [
            naive_score(patterns[pairs[:, 0]] - patterns[pairs[:, 1]])
            for pairs in pairings(dichotomy)
        ]
        best = matched_parallelism_score(patterns, dichotomy)
        assert best == pytest.approx(max(scores), abs=1e-12)


def test_the_best_pairing_passes_over_pairings_without_a_score(separable):
    # With points 0 and 2 the same, the pairing 0-2, 1-3 has one coding vector and no score.
    patterns = separable(0.5)
    patterns[2] = patterns[0]
    vectors = patterns[[0, 1]] - patterns[[3, 2]]
    score = matched_parallelism_score(patterns, separable.target)
    assert score == pytest.approx(naive_score(vectors), abs=1e-12)
    assert np.isnan(matched_parallelism_score(np.ones((4, 3)), [1, 1, -1, -1]))


@pytest.mark.parametrize("size", [4, 32])
def test_the_nearest_pairing_gives_the_score_of_that_pairing(rng, size):
    patterns, dichotomy = rng.standard_normal((size, 5)), rng.permutation([1, -1] * (size // 2))
    pairs = nearest_pairing(patterns, dichotomy)
    score = matched_parallelism_score(patterns, dichotomy, pairing="nearest")
    vectors = patterns[pairs[:, 0]] - patterns[pairs[:, 1]]
    assert score == pytest.approx(naive_score(vectors), abs=1e-12)


def test_the_best_pairing_of_more_than_eight_conditions_is_refused(rng):
    with pytest.raises(ValueError, match="at most 8, use the nearest pairing"):
        matched_parallelism_score(rng.standard_normal((16, 5)), [1, -1] * 8)


def test_an_unknown_pairing_is_refused():
    with pytest.raises(ValueError, match="pairing is 'closest'; allowed are \"best\""):
        matched_parallelism_score(np.eye(4), [1, 1, -1, -1], pairing="closest")


def test_labels_of_other_conditions_are_refused(separable):
    with pytest.raises(ValueError, match="labels has 4 rows; patterns has 8 conditions"):
        parallelism_score(np.eye(8), separable.labels, 0)
