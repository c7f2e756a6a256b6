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


def factorial_design(k, rng):
    return rng.permutation(list(product([0, 1], repeat=k)))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_parallelism_is_its_definition_over_contexts(rng, k):
    labels = factorial_design(k, rng)
    patterns = rng.standard_normal((2**k, 20)) + labels @ rng.standard_normal((k, 20))
    row = {tuple(word): index for index, word in enumerate(labels.tolist())}
    for variable in range(k):
        vectors = []
        for context in product([0, 1], repeat=k - 1):
            plus = (*context[:variable], 1, *context[variable:])
            minus = (*context[:variable], 0, *context[variable:])
            vectors.append(patterns[row[plus]] - patterns[row[minus]])
        score = parallelism_score(patterns, labels, variable)
        assert score == pytest.approx(naive_score(vectors), abs=1e-12)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_a_hypercube_is_parallel_in_every_variable(rng, k):
    labels = factorial_design(k, rng)
    patterns = labels @ rng.standard_normal((k, 9)) + rng.standard_normal(9)
    assert [parallelism_score(patterns, labels, i) for i in range(k)] == pytest.approx([1] * k)


@pytest.mark.parametrize("variable", [0, 1])
def test_the_tetrahedron_is_parallel_in_no_variable(separable, variable):
    score = parallelism_score(separable(1), separable.labels, variable)
    assert score == pytest.approx(0, abs=1e-12)


def test_an_interaction_alone_is_antiparallel(separable, rng):
    labels = separable.labels
    patterns = np.outer(labels.prod(axis=1), rng.standard_normal(5))
    assert parallelism_score(patterns, labels, 0) == pytest.approx(-1)


def test_coding_vectors_at_an_angle_score_its_cosine():
    angle = np.deg2rad(75)
    patterns = [[0, 0], [1, 0], [0, 3], [np.cos(angle), 3 + np.sin(angle)]]
    labels = [[0, 0], [1, 0], [0, 1], [1, 1]]
    assert parallelism_score(patterns, labels, 0) == pytest.approx(np.cos(angle))


@pytest.mark.parametrize("change", ["scale", "shift", "rotate", "swap the labels"])
def test_parallelism_ignores(rng, change):
    labels, patterns = factorial_design(3, rng), rng.standard_normal((8, 6))
    rotation = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    changed, changed_labels = {
        "scale": (1e3 * patterns, labels),
        "shift": (patterns + rng.standard_normal(6), labels),
        "rotate": (patterns @ rotation, labels),
        "swap the labels": (patterns, 1 - labels),
    }[change]
    before, after = (
        parallelism_score(patterns, labels, 1),
        parallelism_score(changed, changed_labels, 1),
    )
    assert after == pytest.approx(before, abs=1e-12)


def test_a_context_that_does_not_code_the_variable_is_left_out(rng):
    labels = np.array(list(product([0, 1], repeat=3)))
    patterns = labels @ rng.standard_normal((3, 9))
    patterns[7] = patterns[3]  # context (1, 1): no coding vector of variable 0
    assert parallelism_score(patterns, labels, 0) == pytest.approx(1)


def test_one_coding_vector_has_no_parallelism(separable):
    patterns = separable(0)
    patterns[1] = patterns[2]
    assert np.isnan(parallelism_score(patterns, separable.labels, 0))


def test_a_single_context_has_no_parallelism():
    assert np.isnan(parallelism_score([[0.0], [1.0]], [[0], [1]], 0))


@pytest.mark.parametrize("delta", [0, 0.5, 1, 2])
def test_matched_parallelism_of_the_separable_target(separable, delta):
    score = matched_parallelism_score(separable(delta), separable.target)
    assert score == pytest.approx((delta**2 - 1) / (delta**2 + 1), abs=1e-12)


@pytest.mark.parametrize("size", [4, 6, 8])
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


def test_conditions_that_are_all_the_same_have_no_matched_parallelism():
    assert np.isnan(matched_parallelism_score(np.ones((4, 3)), [1, 1, -1, -1]))


@pytest.mark.parametrize("size", [4, 8, 32])
def test_the_nearest_pairing_gives_the_score_of_that_pairing(rng, size):
    patterns, dichotomy = rng.standard_normal((size, 5)), rng.permutation([1, -1] * (size // 2))
    pairs = nearest_pairing(patterns, dichotomy)
    score = matched_parallelism_score(patterns, dichotomy, pairing="nearest")
    vectors = patterns[pairs[:, 0]] - patterns[pairs[:, 1]]
    assert score == pytest.approx(naive_score(vectors), abs=1e-12)


def test_the_nearest_pairing_finds_the_short_side_of_a_prism(rng):
    # Sixteen corners, and each again a small step aside: the pairs run along that step.
    corners = rng.standard_normal((16, 6))
    patterns = np.concatenate([corners, corners + 0.1])
    score = matched_parallelism_score(patterns, [1] * 16 + [-1] * 16, pairing="nearest")
    assert score == pytest.approx(1)


def test_the_best_pairing_of_more_than_eight_conditions_is_refused(rng):
    with pytest.raises(ValueError, match="at most 8, use the nearest pairing"):
        matched_parallelism_score(rng.standard_normal((16, 5)), [1, -1] * 8)


def test_an_unknown_pairing_is_refused():
    with pytest.raises(ValueError, match="pairing is 'closest'; allowed are \"best\""):
        matched_parallelism_score(np.eye(4), [1, 1, -1, -1], pairing="closest")


def test_an_unbalanced_dichotomy_is_refused():
    with pytest.raises(ValueError, match="1 positive and 3 negative"):
        matched_parallelism_score(np.eye(4), [1, -1, -1, -1])


def test_labels_of_other_conditions_are_refused(separable):
    with pytest.raises(ValueError, match="labels has 4 rows; patterns has 8 conditions"):
        parallelism_score(np.eye(8), separable.labels, 0)
