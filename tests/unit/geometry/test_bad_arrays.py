"""Arrays that no measure can take, and those that need a word more: one clear sentence each."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from repatlas import geometry
from repatlas.geometry import (
    ccgp,
    centred_kernel,
    condition_means,
    decoding_accuracy,
    kernel_alignment,
    linear_svm,
    parallelism_score,
    participation_ratio,
)

SQUARE = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
SIDES = np.array([0, 0, 1, 1])
ITEMS = np.arange(4)
X = np.random.default_rng(0).standard_normal((4, 3))
DRAW = (X, ITEMS)

BY_ARRAY = {
    "alignment_of_kernels": lambda a: geometry.alignment_of_kernels(a, np.eye(4) - 0.25),
    "balanced_ccgp": lambda a: geometry.balanced_ccgp(a, SQUARE, 0),
    "balanced_decoding": lambda a: geometry.balanced_decoding(a, SQUARE, 0),
    "ccgp": lambda a: ccgp(a, SQUARE, 0),
    "centred_kernel": centred_kernel,
    "chance_alignment": lambda a: geometry.chance_alignment(X, a),
    "condition_means": lambda a: condition_means(a, ITEMS),
    "corrected_parallelism_score": lambda a: geometry.corrected_parallelism_score(a, SQUARE, 0),
    "corrected_participation_ratio": geometry.corrected_participation_ratio,
    "crossnobis_distances": lambda a: geometry.crossnobis_distances(a, SIDES),
    "decoding_accuracies": lambda a: geometry.decoding_accuracies(DRAW, (a, ITEMS), [SIDES]),
    "decoding_accuracy": lambda a: decoding_accuracy((a, ITEMS), DRAW, SIDES),
    "halves_of_trials": lambda a: geometry.halves_of_trials(a, SIDES),
    "kernel_alignment": lambda a: kernel_alignment(X, a),
    "linear_svm": lambda a: linear_svm(a, SIDES),
    "linear_svms": lambda a: geometry.linear_svms(a, [SIDES]),
    "LinearSVM": lambda a: linear_svm(X, SIDES).predict(a),
    "matched_ccgp": lambda a: geometry.matched_ccgp(a, ITEMS, SIDES),
    "matched_parallelism_score": lambda a: geometry.matched_parallelism_score(a, SIDES),
    "neural_collapse": lambda a: geometry.neural_collapse(a, SIDES),
    "nearest_pairing": lambda a: geometry.nearest_pairing(a, SIDES),
    "parallelism_score": lambda a: parallelism_score(a, SQUARE, 0),
    "participation_ratio": participation_ratio,
    "participation_ratio_of_features": geometry.participation_ratio_of_features,
    "participation_ratio_of_conditions": lambda a: geometry.participation_ratio_of_conditions(
        a, np.arange(len(X)) % 2
    ),
    "participation_ratio_of_halves": lambda a: geometry.participation_ratio_of_halves(X, a),
}
BY_LABELS = {
    "balanced_dichotomies": None,  # takes a number
    "context_pairs": lambda a: geometry.context_pairs(np.ma.column_stack([a, [0, 1, 0, 1]]), 1),
    "pairings": geometry.pairings,
}
MORE_LABELS = {
    "labels of balanced_ccgp": lambda a: geometry.balanced_ccgp(
        X, np.ma.column_stack([a, [0, 1, 0, 1]]), 0
    ),
    "labels of balanced_decoding": lambda a: geometry.balanced_decoding(X, a, 0),
    "labels of neural_collapse": lambda a: geometry.neural_collapse(X, a),
    "labels of corrected_parallelism_score": lambda a: geometry.corrected_parallelism_score(
        X, np.ma.column_stack([a, [0, 1, 0, 1]]), 0
    ),
    "conditions of crossnobis_distances": lambda a: geometry.crossnobis_distances(X, a),
    "runs": lambda a: geometry.crossnobis_distances(X, SIDES, runs=a),
    "labels of ccgp": lambda a: ccgp(X, np.ma.column_stack([a, [0, 1, 0, 1]]), 0),
    "labels of parallelism_score": lambda a: parallelism_score(
        X, np.ma.column_stack([a, [0, 1, 0, 1]]), 0
    ),
    "dichotomy": lambda a: decoding_accuracy(DRAW, DRAW, a),
    "dichotomies": lambda a: geometry.decoding_accuracies(DRAW, DRAW, a[None]),
    "conditions": lambda a: condition_means(X, a),
    "y": lambda a: linear_svm(X, a),
    "labelings": lambda a: geometry.linear_svms(X, a[None]),
    "y of accuracy": lambda a: linear_svm(X, SIDES).accuracy(X, a),
}
labels = {k: v for k, v in (BY_LABELS | MORE_LABELS).items() if v}


def test_every_public_function_is_tried_here():
    tried = BY_ARRAY.keys() | BY_LABELS.keys() | {"ByPair", "NeuralCollapse", "NotConverged"}
    assert tried == set(geometry.__all__)


@pytest.mark.parametrize("function", BY_ARRAY)
def test_masked_values_are_refused(function):
    mask = np.eye(4, dtype=bool) if "kernel" in function else np.eye(4, 3, dtype=bool)
    array = np.ma.array(np.ones(mask.shape), mask=mask)
    with pytest.raises(ValueError, match=f"has {mask.sum()} masked values; allowed is an array w"):
        BY_ARRAY[function](array)


@pytest.mark.parametrize("function", labels)
def test_masked_labels_are_refused(function):
    with pytest.raises(ValueError, match="has 1 masked values"):
        labels[function](np.ma.array([0, 0, 1, 1], mask=[False, False, False, True]))


def test_missing_values_among_objects_are_refused():
    with pytest.raises(ValueError, match="dichotomy holds nan; allowed are numbers, or strings"):
        decoding_accuracy(DRAW, DRAW, np.array(["a", "a", "b", np.nan], dtype=object))
    with pytest.raises(ValueError, match=r"dichotomy holds the strings \['a', 'nan'\]"):
        decoding_accuracy(DRAW, DRAW, ["a", "a", "a", np.nan])
    with pytest.raises(ValueError, match="samples holds None"):
        condition_means([[1.0, None]], [0])


NO_MATRIX = {
    "is complex; allowed are real numbers": X + 1j,
    "holds strings; allowed are numbers": X.astype(str),
    "holds NaN or infinite values": X + np.diag([np.nan, 0, 0, 0])[:, :3],
    r"has shape \(3,\)": X[0],
    r"\(patterns.reshape\(len\(patterns\), -1\) makes one": X[:, :, None],
    r"patterns is a sparse matrix; allowed is a dense one: patterns.toarray\(\)": csr_array(X),
}


@pytest.mark.parametrize("message", NO_MATRIX)
def test_what_is_no_matrix_of_finite_numbers_is_refused_with_what_makes_one(message):
    with pytest.raises(ValueError, match=message):
        centred_kernel(NO_MATRIX[message])


def test_dates_are_refused():
    with pytest.raises(ValueError, match=r"conditions is of type datetime64\[D\]"):
        condition_means(X, np.full(4, "2024-01-01", dtype="datetime64[D]"))


@pytest.mark.parametrize("kind", [bool, float, str, object, np.uint8])
def test_variables_may_be_of_any_kind(kind):
    table = SQUARE.astype(kind)
    assert ccgp(X, table, 1) == ccgp(X, SQUARE, 1)
    assert parallelism_score(X, table, 1) == parallelism_score(X, SQUARE, 1)
    assert decoding_accuracy(DRAW, DRAW, table[:, 1]) == decoding_accuracy(DRAW, DRAW, [0, 1, 0, 1])


@pytest.mark.parametrize("kind", [bool, float, np.uint8, object])
def test_conditions_may_be_of_any_kind_of_number(kind):
    assert np.array_equal(condition_means(X, SIDES.astype(kind)), condition_means(X, SIDES))


def test_samples_and_labels_in_the_order_of_sklearn_are_refused():
    with pytest.raises(ValueError, match=r"train is ndarray; allowed is a pair \(samples, cond"):
        decoding_accuracy(X, SIDES, SIDES)


def test_targets_in_a_vector_are_refused():
    with pytest.raises(ValueError, match=r"y has shape \(4,\).*y\[:, None\] makes one of a vector"):
        kernel_alignment(X, SIDES)


@pytest.mark.parametrize("variable", [True, 1.0, "left", -1, 2])
def test_a_variable_that_is_no_column_is_refused(variable):
    with pytest.raises(ValueError, match=r"variable is .*; allowed are the columns 0 to 1"):
        ccgp(X, SQUARE, variable)
