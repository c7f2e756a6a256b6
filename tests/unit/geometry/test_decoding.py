import numpy as np
import pytest
from sklearn.svm import LinearSVC

from repatlas.geometry import balanced_dichotomies, decoding_accuracies, decoding_accuracy


def two_draws(noisy, centres, sigma, per_condition=100):
    return (noisy(centres, sigma, per_condition, seed) for seed in (1, 2))


def test_decoding_is_the_test_score_of_a_converged_linear_svc(noisy, rng):
    train, test = two_draws(noisy, rng.standard_normal((8, 10)), sigma=1)
    for dichotomy in balanced_dichotomies(8)[:5]:
        reference = LinearSVC(tol=1e-12, dual=False, max_iter=10**6)
        reference.fit(train[0], dichotomy[train[1]])
        score = reference.score(test[0], dichotomy[test[1]])
        unscaled = decoding_accuracy(train, test, dichotomy, scale=None)
        assert unscaled == pytest.approx(score, abs=1e-12)


def test_every_dichotomy_of_a_tetrahedron_is_decoded(noisy, separable):
    train, test = two_draws(noisy, separable(1), sigma=0.3)
    assert decoding_accuracies(train, test, balanced_dichotomies(4)).min() > 0.99


def test_xor_of_a_square_is_not_decoded(noisy, separable):
    train, test = two_draws(noisy, separable(0), sigma=0.3)
    accuracy = decoding_accuracy(train, test, separable.target)
    assert accuracy == pytest.approx(0.5, abs=0.1)


def test_several_dichotomies_together_are_each_decoded_alone(noisy, rng):
    train, test = two_draws(noisy, rng.standard_normal((4, 5)), sigma=1)
    dichotomies = balanced_dichotomies(4)
    alone = [decoding_accuracy(train, test, dichotomy) for dichotomy in dichotomies]
    assert decoding_accuracies(train, test, dichotomies).tolist() == alone


def test_swapping_the_sides_of_a_dichotomy_changes_nothing(noisy, rng):
    train, test = two_draws(noisy, rng.standard_normal((4, 5)), sigma=1)
    accuracy = decoding_accuracy(train, test, [1, 1, -1, -1])
    assert decoding_accuracy(train, test, [0, 0, 1, 1]) == accuracy


def test_the_penalty_reaches_the_fit(noisy, rng):
    train, test = two_draws(noisy, rng.standard_normal((4, 20)), sigma=2, per_condition=20)
    dichotomy = [1, 1, -1, -1]
    weak, strong = (decoding_accuracy(train, test, dichotomy, C=C) for C in (1e-3, 10))
    assert weak != strong


def test_a_class_without_training_samples_is_refused(noisy, rng):
    train, test = two_draws(noisy, rng.standard_normal((2, 5)), sigma=1)
    with pytest.raises(ValueError, match="both classes are needed"):
        decoding_accuracy(train, test, [1, 1, -1, -1])


def test_conditions_without_a_label_are_refused(noisy, rng):
    train, test = two_draws(noisy, rng.standard_normal((4, 5)), sigma=1)
    with pytest.raises(ValueError, match="train conditions runs from 0 to 3"):
        decoding_accuracy(train, test, [1, -1])


def test_labels_that_are_not_binary_are_refused(noisy, rng):
    train, test = two_draws(noisy, rng.standard_normal((3, 5)), sigma=1)
    with pytest.raises(ValueError, match="dichotomy holds the values"):
        decoding_accuracy(train, test, [0, 1, 2])


def test_test_samples_with_other_features_are_refused(noisy, rng):
    train, _ = two_draws(noisy, rng.standard_normal((2, 5)), sigma=1)
    _, test = two_draws(noisy, rng.standard_normal((2, 6)), sigma=1)
    with pytest.raises(ValueError, match="train samples have 5 features and test samples have 6"):
        decoding_accuracy(train, test, [1, -1])


def test_a_single_dichotomy_passed_as_several_is_refused():
    samples = (np.eye(2), [0, 1])
    with pytest.raises(ValueError, match="dichotomies has shape"):
        decoding_accuracies(samples, samples, [1, -1])
