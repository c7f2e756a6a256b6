from itertools import product

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from repatlas.geometry import ccgp, condition_means, matched_ccgp, nearest_pairing
from repatlas.geometry.ccgp import generalisation_of_columns

CUBE = np.array(list(product([0, 1], repeat=3)))


def naive_test(samples, conditions, label_of, fitted, tested):
    """Return the accuracy of a converged LinearSVC, mean over the tested conditions."""
    rows = np.isin(conditions, fitted)
    reference = LinearSVC(tol=1e-12, dual=False, max_iter=10**6)
    reference.fit(samples[rows], label_of[conditions[rows]])
    return np.mean(
        [
            reference.score(samples[at], label_of[conditions[at]])
            for at in (conditions == condition for condition in tested)
        ]
    )


def contexts(labels, variable):
    """Return each context's two conditions and all others, by comparing the labels word for
    word."""
    rest = np.delete(labels, variable, axis=1).tolist()
    everywhere = range(len(labels))
    for word in np.unique(rest, axis=0).tolist():
        inside = [c for c in everywhere if rest[c] == word]
        yield inside, [c for c in everywhere if c not in inside]


@pytest.mark.parametrize("variable", [0, 2])
@pytest.mark.parametrize("split", ["one-context", "leave-one-pair-out"])
def test_ccgp_is_its_definition_over_contexts(noisy, rng, variable, split):
    labels = rng.permutation(CUBE)
    centres = 0.7 * rng.standard_normal((8, 12)) + labels @ rng.standard_normal((3, 12))
    samples, conditions = noisy(centres, sigma=1, per_condition=25)
    naive = []
    for inside, outside in contexts(labels, variable):
        fitted, tested = (inside, outside) if split == "one-context" else (outside, inside)
        naive.append(naive_test(samples, conditions, labels[:, variable], fitted, tested))
    measured = ccgp(samples, labels[conditions], variable, split=split, scale=None)
    assert measured == pytest.approx(np.mean(naive), abs=1e-12)


def test_matched_ccgp_of_four_conditions_is_the_mean_of_four_fits(noisy, rng):
    samples, conditions = noisy(rng.standard_normal((4, 6)), sigma=1, per_condition=40)
    dichotomy = np.array([1, -1, -1, 1])
    fits = [((0, 1), (2, 3)), ((2, 3), (0, 1)), ((0, 2), (1, 3)), ((1, 3), (0, 2))]
    naive = [naive_test(samples, conditions, dichotomy, *fit) for fit in fits]
    measured = matched_ccgp(samples, conditions, dichotomy, scale=None)
    assert measured == pytest.approx(np.mean(naive), abs=1e-12)


@pytest.mark.parametrize("size", [6, 8])
def test_matched_ccgp_of_more_conditions_runs_over_the_nearest_pairs(noisy, rng, size):
    samples, conditions = noisy(rng.standard_normal((size, 10)), sigma=1, per_condition=30)
    dichotomy = rng.permutation([1, -1] * (size // 2))
    pairs = nearest_pairing(condition_means(samples, conditions, size), dichotomy)
    naive = [
        naive_test(samples, conditions, dichotomy, pair, np.setdiff1d(range(size), pair))
        for pair in pairs
    ]
    measured = matched_ccgp(samples, conditions, dichotomy, scale=None)
    assert measured == pytest.approx(np.mean(naive), abs=1e-12)


def parities(bits):
    """Return labels (2^bits, 2^bits - 1): a balanced label for each set of bits."""
    numbers = np.arange(2**bits)
    return np.array([[(n & m).bit_count() % 2 for m in numbers[1:]] for n in numbers.tolist()])


@pytest.mark.parametrize("labels", [CUBE, parities(3), parities(2), parities(4)[:, :5]])
def test_the_columns_of_labels_have_the_scores_of_each_alone(noisy, rng, labels):
    centres = rng.standard_normal((len(labels), 10))
    samples, conditions = noisy(centres, sigma=1, per_condition=30)
    if labels is CUBE:
        alone = [ccgp(samples, labels[conditions], column, scale=None) for column in range(3)]
    else:
        alone = [matched_ccgp(samples, conditions, column, scale=None) for column in labels.T]
    found = generalisation_of_columns(samples, conditions, labels).scores()
    assert found.tolist() == alone


@pytest.mark.parametrize("size", [1e-3, 7.0])
def test_scores_in_another_unit_are_those_of_samples_in_it(noisy, rng, size):
    """Scores are the same, though each fit starts from the fit before."""
    samples, conditions = noisy(rng.standard_normal((8, 10)), sigma=1, per_condition=30)
    fits = generalisation_of_columns(samples, conditions, parities(3))
    fits.scores()
    alone = generalisation_of_columns(samples / size, conditions, parities(3)).scores()
    assert fits.scores(unit=size).tolist() == alone.tolist()


def test_decoders_of_samples_that_are_all_the_same_are_at_chance():
    labels, conditions = parities(3), np.repeat(np.arange(8), 5)
    fits = generalisation_of_columns(np.zeros((40, 3)), conditions, labels)
    assert fits.scores().tolist() == [0.5] * 7
    assert fits.scores(unit=2.0).tolist() == [0.5] * 7


def test_tested_conditions_weigh_equally_however_many_samples_they_have():
    # Fitted in context 0 the boundary is at 0: condition 2 (1 sample) is right, condition 3
    # (3 samples) is wrong. Fitted in context 1 the boundary turns round: the same for 0 and 1.
    samples = np.array([[-1.0, 0], [1, 0], [-1, 0], [-2, 0], [-2, 0], [-2, 0]])
    labels = [[0, 0], [1, 0], [0, 1], [1, 1], [1, 1], [1, 1]]
    fitted_in_context_0 = np.mean([1, 0])
    svm = LinearSVC(tol=1e-12, dual=False).fit(samples[2:], [-1, 1, 1, 1])
    fitted_in_context_1 = np.mean(svm.predict(samples[:2]) == [-1, 1])
    expected = (fitted_in_context_0 + fitted_in_context_1) / 2
    assert ccgp(samples, labels, 0, scale=None) == pytest.approx(expected)


@pytest.mark.parametrize("measure", ["ccgp", "matched_ccgp"])
def test_the_penalty_reaches_the_fit(noisy, rng, measure):
    samples, conditions = noisy(rng.standard_normal((8, 20)), sigma=1, per_condition=10)
    weak, strong = (
        ccgp(samples, CUBE[conditions], 0, C=C)
        if measure == "ccgp"
        else matched_ccgp(samples, conditions, CUBE[:, 0], C=C)
        for C in (1e-3, 10)
    )
    assert weak != strong


def test_what_has_no_ccgp_is_refused():
    with pytest.raises(ValueError, match="split is 'OneOut'; allowed are"):
        ccgp(np.eye(8), CUBE, 0, split="OneOut")
    with pytest.raises(ValueError, match="CCGP needs two variables"):
        ccgp(np.eye(2), [[0], [1]], 0)
    with pytest.raises(ValueError, match="2 conditions; CCGP needs 4"):
        matched_ccgp(np.eye(2), [0, 1], [1, -1])
    with pytest.raises(ValueError, match="3 positive and 1 negative"):
        matched_ccgp(np.eye(4), np.arange(4), [1, 1, 1, -1])
    with pytest.raises(ValueError, match="has 7 of the 8 combinations of its 3 variables; ccgp"):
        ccgp(np.eye(7), CUBE[:7], 0)
    with pytest.raises(ValueError, match=r"labels has shape \(16,\); .*: table\[conditions\]"):
        ccgp(np.zeros((16, 3)), np.repeat(np.arange(8), 2), 0)
