import pytest
from sklearn.svm import LinearSVC

from repatlas.geometry import balanced_dichotomies, decoding_accuracy


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


def test_the_penalty_reaches_the_fit(noisy, rng):
    train, test = two_draws(noisy, rng.standard_normal((4, 20)), sigma=2, per_condition=20)
    dichotomy = [1, 1, -1, -1]
    weak, strong = (decoding_accuracy(train, test, dichotomy, C=C) for C in (1e-3, 10))
    assert weak != strong


def test_conditions_without_a_label_are_refused(noisy, rng):
    train, test = two_draws(noisy, rng.standard_normal((4, 5)), sigma=1)
    with pytest.raises(ValueError, match="train conditions runs from 0 to 3"):
        decoding_accuracy(train, test, [1, -1])


def test_test_samples_with_other_features_are_refused(noisy, rng):
    train, _ = two_draws(noisy, rng.standard_normal((2, 5)), sigma=1)
    _, test = two_draws(noisy, rng.standard_normal((2, 6)), sigma=1)
    with pytest.raises(ValueError, match="train samples have 5 features and test samples have 6"):
        decoding_accuracy(train, test, [1, -1])
