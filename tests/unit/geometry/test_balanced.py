"""Decoding and CCGP from trials of any number, for variables of two values or more."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from repatlas.geometry import (
    balanced_ccgp,
    balanced_decoding,
    ccgp,
    decoding_accuracy,
)

SQUARE = np.array(list(product([0, 1], repeat=2)))
CUBE = np.array(list(product([0, 1], repeat=3)))


def trials(rng, labels, counts, sigma=1.0, features=12):
    """Return samples with a direction for each value of each variable, and the labels of each."""
    conditions = rng.permutation(np.repeat(np.arange(len(labels)), counts))
    directions = np.random.default_rng(3).standard_normal((labels.shape[1], features))
    noise = sigma * rng.standard_normal((len(conditions), features))
    return labels[conditions] @ directions + noise, labels[conditions], conditions


@pytest.mark.parametrize("split", ["one-context", "leave-one-pair-out"])
@pytest.mark.parametrize("labels", [SQUARE, CUBE], ids=["two variables", "three"])
def test_of_two_values_and_equal_numbers_it_is_ccgp(rng, labels, split):
    samples, table, conditions = trials(rng, labels, 10, sigma=3.0)
    for variable in range(labels.shape[1]):
        expected = ccgp(samples, labels[conditions], variable, split=split)
        found = balanced_ccgp(samples, table, variable, split=split)
        assert found.value == pytest.approx(expected, abs=1e-12)
        assert found.by_pair.tolist() == [found.value]
    assert split in found.estimator


def test_three_values_are_compared_two_at_a_time(rng):
    labels = np.array(list(product([0, 1, 2], [0, 1])))
    samples, table, _ = trials(rng, labels, 8, sigma=3.0)
    found = balanced_ccgp(samples, table, 0)
    assert found.pairs == [(0, 1), (0, 2), (1, 2)]
    for (a, b), value in zip(found.pairs, found.by_pair, strict=True):
        rows = np.isin(table[:, 0], [a, b])
        assert value == balanced_ccgp(samples[rows], table[rows], 0).value
    assert found.value == pytest.approx(found.by_pair.mean())
    assert found.by_pair[1] > found.by_pair[0]  # 0 and 2 are twice as far apart


def test_another_variable_that_goes_with_it_cannot_stand_in_for_it(rng):
    """In the recording as it is, the second variable predicts the first in nine of ten trials."""
    counts = [90, 10, 10, 90]
    samples, table, _ = trials(rng, SQUARE, counts, sigma=0.3)
    noises = 0.3 * rng.standard_normal((16, len(table), 6))
    found = []
    for noise in noises:
        only_second = 4 * table[:, [1]] + noise
        naive = decoding_accuracy((only_second, table[:, 0]), (only_second, table[:, 0]), [0, 1])
        assert naive == pytest.approx(0.9, abs=0.01)
        found.append(balanced_decoding(only_second, table, 0).value)
    # One score has 40 trials and a standard deviation of 0.06 to 0.08; the mean has a quarter of
    # it.
    assert np.std(found) < 0.12
    assert np.mean(found) == pytest.approx(0.5, abs=4 * np.std(found, ddof=1) / np.sqrt(16))
    assert balanced_decoding(samples, table, 0).value > 0.95


def test_what_is_tested_was_not_fitted(rng):
    """Noise has many dimensions: fitted trials are decoded perfectly, others at chance."""
    samples = rng.standard_normal((80, 300))
    found = [
        balanced_decoding(samples, rng.permutation(np.repeat([0, 1], 40)), 0).value
        for _ in range(20)
    ]
    assert np.mean(found) == pytest.approx(0.5, abs=4 * np.std(found) / np.sqrt(20))


def test_tested_conditions_count_alike_however_many_trials_they_have():
    """From the left, a decoder is right about one condition on the right, with 3 trials, and wrong
    about the other, with 30. From the right it is right about both, or about one of two."""
    places = {("a", "left"): 0.0, ("b", "left"): 2.0, ("a", "right"): 3.0, ("b", "right"): 5.0}
    labels = [key for key, number in zip(places, (8, 8, 30, 3), strict=True) for _ in range(number)]
    samples = np.array([[places[key]] for key in labels])
    # Fitted on 0 and 2 the boundary is at 1, on 3 and 5 at 4: half of what is tested is beyond it.
    assert balanced_ccgp(samples, labels, 0).value == 0.5


@pytest.mark.parametrize("measure", [balanced_ccgp, balanced_decoding])
def test_the_seed_alone_says_what_is_drawn(rng, measure):
    samples, table, _ = trials(rng, SQUARE, [7, 9, 12, 15], sigma=5.0)
    values = [measure(samples, table, 0, seed=seed).value for seed in (0, 0, 1)]
    assert values[0] == values[1] != values[2]


@pytest.mark.parametrize("measure", [balanced_ccgp, balanced_decoding])
def test_names_numbers_and_data_frames_are_labels_alike(rng, measure):
    samples, table, _ = trials(rng, SQUARE, [7, 9, 12, 15], sigma=2.0)
    expected = measure(samples, table, 1).value
    names = np.array([["cat", "left"], ["dog", "right"]])
    named = np.column_stack([names[table[:, 0], 0], names[table[:, 1], 1]])
    frame = pd.DataFrame(
        {"animal": named[:, 0], "side": table[:, 1].astype(float)}, index=table[:, 0]
    )
    for labels in (named, named.tolist(), frame, table.astype(np.uint8), table > 0):
        assert measure(samples, labels, 1).value == expected
    assert measure(pd.DataFrame(samples), frame, 1).value == expected
    assert measure(samples, frame.to_numpy().tolist(), 0).pairs == [("cat", "dog")]
    assert measure(samples, frame, 1).pairs == [(0.0, 1.0)]


def test_combinations_that_never_occur_are_passed_over(rng):
    """Value 2 of three never occurs in context 0 of three."""
    labels = np.array([pair for pair in product(range(3), repeat=2) if pair != (2, 0)])
    samples, table, _ = trials(rng, labels, 6, sigma=2.0)
    found = balanced_ccgp(samples, table, 0)
    rows = np.isin(table[:, 0], [0, 2]) & (table[:, 1] > 0)
    assert found.by_pair[1] == balanced_ccgp(samples[rows], table[rows], 0).value
    assert found.pairs == [(0, 1), (0, 2), (1, 2)]


def test_pairs_of_values_that_share_one_context_have_no_ccgp(rng):
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 1]])
    samples, table, _ = trials(rng, labels, 6)
    assert balanced_ccgp(samples, table, 0).pairs == [(0, 1)]
    assert balanced_decoding(samples, table, 0).pairs == [(0, 1), (0, 2), (1, 2)]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1] * 10, "column 0 of labels is the only variable, so that there is one context"),
        ([[0, 0], [1, 1]] * 10, "column 0 of labels has no two values in 2 of the same contexts"),
        (np.zeros((20, 2)), "column 0 of labels has the value 0.0 alone; a variable needs two"),
        (np.zeros((19, 2)), r"labels has shape \(19, 2\); allowed is \(m, k\), one row for each"),
        ([["a", np.nan]] * 20, "column 1 of labels holds NaN; leave out the trials"),
        ([["a", "b"]] * 19 + [[np.nan, "b"]], "column 0 of labels holds nan"),
        (pd.DataFrame({"side": [0] * 20}), r"labels\['side'\] has the value 0 alone"),
        (np.linspace(0, 1, 20), "column 0 of labels has 20 different numbers in 20 trials, so it"),
    ],
)
def test_labels_that_are_no_design_are_refused(rng, labels, message):
    with pytest.raises(ValueError, match=message):
        balanced_ccgp(rng.standard_normal((20, 3)), labels, 0)


@pytest.mark.parametrize(
    ("measure", "options", "message"),
    [
        (balanced_decoding, {"folds": 1}, "folds is 1; allowed are whole numbers from 2"),
        (balanced_decoding, {"folds": 6}, r"labels has 5 trials of condition \(0, 0\); 6 folds"),
        (balanced_decoding, {"resamples": 0}, "resamples is 0; allowed are whole numbers from 1"),
        (balanced_ccgp, {"split": "half"}, "split is 'half'; allowed are \"one-context\""),
        (balanced_ccgp, {"variable": 2}, "variable is 2; allowed are the columns 0 to 1"),
    ],
)
def test_options_that_make_no_sense_are_refused(rng, measure, options, message):
    samples, table, _ = trials(rng, SQUARE, 5)
    with pytest.raises(ValueError, match=message):
        measure(samples, table, **({"variable": 0} | options))
