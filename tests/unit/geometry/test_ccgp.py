from itertools import product

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from repatlas.geometry import ccgp, condition_means, matched_ccgp, nearest_pairing, svm
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


@pytest.mark.parametrize("variable", [0, 1, 2])
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


def test_the_split_is_one_context_unless_said(noisy, rng):
    samples, conditions = noisy(rng.standard_normal((8, 12)), sigma=1, per_condition=25)
    default = ccgp(samples, CUBE[conditions], 0)
    assert default == ccgp(samples, CUBE[conditions], 0, split="one-context")
    assert default != ccgp(samples, CUBE[conditions], 0, split="leave-one-pair-out")


@pytest.mark.parametrize("variable", [0, 1])
def test_both_splits_are_the_same_for_two_variables(noisy, separable, variable):
    samples, conditions = noisy(separable(1), sigma=2, per_condition=30)
    one, rest = (
        ccgp(samples, separable.labels[conditions], variable, split=split)
        for split in ("one-context", "leave-one-pair-out")
    )
    assert one == rest


@pytest.mark.parametrize("split", ["one-context", "leave-one-pair-out"])
@pytest.mark.parametrize("variable", [0, 1, 2])
def test_a_cube_generalises_in_every_variable(noisy, rng, variable, split):
    axes = 4 * np.linalg.qr(rng.standard_normal((10, 3)))[0].T
    samples, conditions = noisy((2 * CUBE - 1) @ axes, sigma=0.5, per_condition=20)
    assert ccgp(samples, CUBE[conditions], variable, split=split) > 0.99


def test_a_tetrahedron_generalises_at_chance(noisy, separable):
    measured = [
        ccgp(samples, separable.labels[conditions], 0)
        for samples, conditions in (noisy(separable(1, seed), 0.5, 50, seed) for seed in range(20))
    ]
    assert np.mean(measured) == pytest.approx(0.5, abs=0.05)


def test_xor_of_a_square_generalises_to_the_wrong_side(noisy, separable):
    samples, conditions = noisy(separable(0), sigma=0.5, per_condition=50)
    assert matched_ccgp(samples, conditions, separable.target) < 0.01


def test_an_axis_of_a_square_generalises_along_one_pairing_and_not_the_other(noisy, separable):
    # Fitted across the diagonal, the decoder has the two other corners on its boundary: chance.
    # One pairing at 1 and the other near 1/2 show that matched_ccgp is a mean over both.
    samples, conditions = noisy(separable(0), sigma=0.3, per_condition=100)
    measured = matched_ccgp(samples, conditions, separable.labels[:, 0])
    assert measured == pytest.approx(0.75, abs=0.08)


def test_matched_ccgp_of_four_conditions_is_the_mean_of_four_fits(noisy, rng):
    samples, conditions = noisy(rng.standard_normal((4, 6)), sigma=1, per_condition=40)
    dichotomy = np.array([1, -1, -1, 1])
    fits = [((0, 1), (2, 3)), ((2, 3), (0, 1)), ((0, 2), (1, 3)), ((1, 3), (0, 2))]
    naive = [naive_test(samples, conditions, dichotomy, *fit) for fit in fits]
    measured = matched_ccgp(samples, conditions, dichotomy, scale=None)
    assert measured == pytest.approx(np.mean(naive), abs=1e-12)


@pytest.mark.parametrize("size", [6, 8, 16])
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


def test_a_pair_that_several_dichotomies_tell_apart_is_fitted_once(noisy, rng, monkeypatch):
    fits = []
    choose = svm._minimise()
    monkeypatch.setattr(svm, "_minimise", lambda: lambda *a: fits.append(a) or choose(*a))
    # The conditions come in four pairs, far from one another: 7 labels, and 4 or more pairs.
    centres = np.repeat(10 * rng.standard_normal((4, 10)), 2, axis=0)
    samples, conditions = noisy(centres, sigma=0.1, per_condition=20)
    labels = parities(3)
    generalisation_of_columns(samples, conditions, labels).scores()
    pairs = {
        frozenset(pair)
        for column in labels.T
        for pair in nearest_pairing(condition_means(samples, conditions), column).tolist()
    }
    assert len(fits) == len(pairs) < 7 * 4


@pytest.mark.parametrize("size", [1e-3, 0.3, 7.0, 1e6])
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


@pytest.mark.parametrize("low", [-1, 0])
def test_labels_may_be_zero_or_minus_one(noisy, rng, low):
    samples, conditions = noisy(rng.standard_normal((8, 6)), sigma=1, per_condition=20)
    labels = np.where(CUBE == 1, 1, low)
    assert ccgp(samples, labels[conditions], 1) == ccgp(samples, CUBE[conditions], 1)


def test_swapping_the_sides_of_a_dichotomy_changes_nothing(noisy, rng):
    samples, conditions = noisy(rng.standard_normal((8, 6)), sigma=1, per_condition=20)
    dichotomy = rng.permutation([1, -1] * 4)
    swapped = matched_ccgp(samples, conditions, -dichotomy)
    assert matched_ccgp(samples, conditions, dichotomy) == pytest.approx(swapped, abs=1e-12)


def test_the_order_of_the_samples_does_not_matter(noisy, rng):
    samples, conditions = noisy(rng.standard_normal((8, 6)), sigma=1, per_condition=20)
    order = rng.permutation(len(samples))
    shuffled = ccgp(samples[order], CUBE[conditions[order]], 1)
    assert shuffled == pytest.approx(ccgp(samples, CUBE[conditions], 1), abs=1e-12)


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


def test_an_unknown_split_is_refused():
    with pytest.raises(ValueError, match="split is 'OneOut'; allowed are"):
        ccgp(np.eye(8), CUBE, 0, split="OneOut")


def test_a_single_variable_has_no_other_context():
    with pytest.raises(ValueError, match="CCGP needs two variables"):
        ccgp(np.eye(2), [[0], [1]], 0)


def test_two_conditions_leave_none_to_test():
    with pytest.raises(ValueError, match="2 conditions; CCGP needs 4"):
        matched_ccgp(np.eye(2), [0, 1], [1, -1])


def test_a_condition_without_samples_is_refused():
    with pytest.raises(ValueError, match="has 7 of the 8 combinations of its 3 variables; ccgp"):
        ccgp(np.eye(7), CUBE[:7], 0)


def test_an_unbalanced_dichotomy_is_refused():
    with pytest.raises(ValueError, match="3 positive and 1 negative"):
        matched_ccgp(np.eye(4), np.arange(4), [1, 1, 1, -1])


def test_labels_that_are_not_factorial_are_refused():
    with pytest.raises(ValueError, match="has 2 of the 4 combinations"):
        ccgp(np.eye(4), [[0, 0], [0, 0], [1, 1], [1, 1]], 0)


def test_a_table_of_conditions_and_their_numbers_are_refused_with_what_to_do():
    with pytest.raises(ValueError, match=r"labels has shape \(16,\); .*: table\[conditions\]"):
        ccgp(np.zeros((16, 3)), np.repeat(np.arange(8), 2), 0)
