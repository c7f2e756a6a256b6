"""Units predicted from units: the lasso, code classes and multiple correlations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selections import some
from sklearn.linear_model import Lasso, LinearRegression

from repatlas.similarity import (
    SparsePrediction,
    code_classes,
    multiple_correlations,
    sparse_prediction,
    unit_correlations,
)

TESTED = 25
"""Held-out items."""


def z_scored(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def halves(x, y):
    return x[TESTED:], y[TESTED:], (x[:TESTED], y[:TESTED])


def networks(items, h1, h2, seed):
    """Return layers of units that are correlated within and between layers."""
    rng = np.random.default_rng(seed)
    inputs = rng.standard_normal((items + TESTED, 4))
    x, y = (np.tanh(inputs @ rng.standard_normal((4, h))) for h in (h1, h2))
    return x + 0.1 * rng.standard_normal(x.shape), y + 0.1 * rng.standard_normal(y.shape)


def drawn(test):
    """Run a test on pairs of many shapes, some with more predictors than items."""
    pairs = st.builds(
        networks,
        st.integers(10, 60),
        st.integers(1, 30),
        st.integers(1, 6),
        st.integers(0, 2**32 - 1),
    )
    return settings(max_examples=15, deadline=None)(given(pairs)(test))


every_penalty = pytest.mark.parametrize("penalty", [1e-3, 1e-2, 0.1, 0.3])


@drawn
@every_penalty
def test_the_weights_are_those_of_scikit_learn(penalty, pair):
    x, y, held_out = halves(*pair)
    (weights,) = sparse_prediction(x, y, held_out, penalties=[penalty]).weights
    x, y = z_scored(x), z_scored(y)
    theirs = Lasso(alpha=penalty, fit_intercept=False, tol=1e-12, max_iter=1_000_000).fit(x, y)
    # Weights of dependent predictors are not unique, their predictions are.
    assert x @ weights == pytest.approx(x @ theirs.coef_.T.reshape(weights.shape), abs=1e-4)


@drawn
def test_losses_are_half_the_mean_squared_errors_in_units_of_the_fitted_items(pair):
    x, y, (test_x, test_y) = halves(*pair)
    found = sparse_prediction(x, y, (test_x, test_y), penalties=[0.02, 0.2])
    mean_x, sd_x, mean_y, sd_y = x.mean(axis=0), x.std(axis=0), y.mean(axis=0), y.std(axis=0)
    for i in range(2):
        training = (z_scored(y) - z_scored(x) @ found.weights[i]) ** 2
        assert found.training[i] == pytest.approx(training.mean(axis=0) / 2, abs=1e-10)
        predicted = (test_x - mean_x) / sd_x @ found.weights[i]
        held_out = ((test_y - mean_y) / sd_y - predicted) ** 2
        assert found.held_out[i] == pytest.approx(held_out.mean(axis=0) / 2, abs=1e-10)


def test_weights_above_a_thousandth_are_counted():
    """The design is orthonormal, and the weights before the penalty are 0.8, 0.002, 0.0009 and
    -0.3."""
    design = np.linalg.svd(np.random.default_rng(0).standard_normal((40, 6)))[0][:, :6]
    design = np.linalg.qr(np.column_stack([np.ones(40), design]))[0][:, 1:] * np.sqrt(40)
    w = np.array([0.8, 0.002, 0.0009, -0.3])
    y = design[:, :4] @ w + design[:, 4] * np.sqrt(1 - w @ w)
    x = design[:, [0, 1, 2, 3, 5]]
    found = sparse_prediction(x, y[:, None], (x, y[:, None]), penalties=[1e-5, 0.0012, 0.5])
    assert found.nonzeros.ravel().tolist() == [3, 2, 1]


def test_penalty_0_is_least_squares():
    x, y = networks(80, 10, 4, 0)
    x, y, (test_x, test_y) = halves(x, y)
    found = sparse_prediction(x, y, (test_x, test_y), penalties=[0])
    residual = test_y - LinearRegression().fit(x, y).predict(test_x)
    expected = (residual**2).mean(axis=0) / y.var(axis=0) / 2
    assert found.held_out[0] == pytest.approx(expected, abs=1e-10)


def test_one_to_one_is_the_regression_on_the_unit_of_largest_correlation():
    x, y = networks(80, 10, 4, 0)
    x, y, (test_x, test_y) = halves(x, -y)
    found = sparse_prediction(x, y, (test_x, test_y), penalties=[1])
    correlations = unit_correlations(x, y)
    assert np.array_equal(found.partners, np.abs(correlations).argmax(axis=0))
    for target, partner in enumerate(found.partners):
        line = LinearRegression().fit(x[:, [partner]], y[:, target])
        error = (test_y[:, target] - line.predict(test_x[:, [partner]])) ** 2
        expected = error.mean() / y[:, target].var() / 2
        assert found.one_to_one[target] == pytest.approx(expected, abs=1e-12)


def test_a_dead_predictor_changes_nothing():
    x, y = networks(80, 10, 4, 0)
    expected = sparse_prediction(*halves(x, y))
    found = sparse_prediction(*halves(np.insert(x, 3, 0.1, axis=1), y))
    assert np.flatnonzero(found.dead_predictors).tolist() == [3]
    assert not found.weights[:, 3].any()
    assert found.held_out == pytest.approx(expected.held_out, abs=1e-10)
    assert np.array_equal(found.nonzeros, expected.nonzeros)
    classes, same = code_classes(found), code_classes(expected)
    assert classes.units.tolist() == same.units.tolist() and classes.layer == same.layer


def test_a_dead_target_is_left_out():
    x, y = networks(80, 10, 4, 0)
    expected = sparse_prediction(*halves(x, y))
    found = sparse_prediction(*halves(x, np.insert(y, 2, 0.1, axis=1)))
    assert np.flatnonzero(found.dead_targets).tolist() == [2]
    assert found.partners[2] == -1 and not found.weights[:, :, 2].any()
    assert some(np.isnan([*found.training[:, 2], *found.held_out[:, 2], found.one_to_one[2]])).all()
    rest = np.delete(found.held_out, 2, axis=1)
    assert rest == pytest.approx(expected.held_out, abs=1e-10)
    classes = code_classes(found)
    assert classes.units[2] == "dead" and classes.layer == code_classes(expected).layer


@pytest.mark.parametrize("penalties", [[], [-0.1], [np.nan], [np.inf], 0.1, [[0.1]]])
def test_penalties_that_are_none_are_refused(penalties):
    x, y = networks(30, 4, 4, 0)
    with pytest.raises(
        ValueError, match=r"penalties is .*; allowed are finite numbers, 0 or above"
    ):
        sparse_prediction(*halves(x, y), penalties=penalties)


@pytest.mark.parametrize("predict", [sparse_prediction, multiple_correlations])
def test_least_squares_refuses_more_predictors_than_items(predict):
    x, y = networks(30, 31, 4, 0)
    with pytest.raises(
        ValueError, match=r"x has shape \(30, 31\), items x features: least squares"
    ):
        predict(*halves(x, y))


@pytest.mark.parametrize("predict", [sparse_prediction, multiple_correlations])
def test_held_out_items_must_go_with_the_fitted_ones(predict):
    x, y = networks(30, 3, 4, 0)
    with pytest.raises(ValueError, match="held_out is ndarray; allowed is a pair"):
        predict(x, y, x)
    with pytest.raises(ValueError, match="x has 55 items and y has 54"):
        predict(x, y[1:], (x, y))
    with pytest.raises(ValueError, match="held_out x has 55 items and held_out y has 54"):
        predict(x, y, (x, y[1:]))
    with pytest.raises(ValueError, match="y has 4 features and held_out y has 2; both must have"):
        predict(x, y, (x, y[:, :2]))


def prediction(held_out, nonzeros, one_to_one, predictors=8, dead=()):
    """Return what code_classes reads, for penalties 0, 0.1 and 0.3; each target has a column."""
    held_out, nonzeros = np.array(held_out, dtype=float), np.array(nonzeros)
    targets = held_out.shape[1]
    return SparsePrediction(
        penalties=np.array([0, 0.1, 0.3]),
        weights=np.zeros((3, predictors, targets)),
        training=held_out,
        held_out=held_out,
        nonzeros=nonzeros,
        partners=np.zeros(targets, dtype=int),
        one_to_one=np.array(one_to_one),
        dead_predictors=np.isin(np.arange(predictors), dead),
        dead_targets=np.isnan(held_out[0]),
    )


NAN = float("nan")


@pytest.mark.parametrize(
    ("losses", "nonzeros", "one_to_one", "expected"),
    [
        # Good enough is 0.1 + 0.04.
        ([0.1, 0.12, 0.139], [8, 4, 2], 0.139, ("local", 2)),
        ([0.1, 0.12, 0.139], [8, 4, 2], 0.141, ("slightly distributed", 2)),
        ([0.1, 0.12, 0.141], [8, 2, 1], 0.3, ("slightly distributed", 2)),
        ([0.1, 0.12, 0.141], [8, 3, 2], 0.3, ("fully distributed", 3)),
        ([0.1, 0.15, 0.2], [7, 4, 2], 0.3, ("fully distributed", 7)),
        ([0.1, 0.15, 0.13], [8, 4, 2], 0.3, ("slightly distributed", 2)),
        ([0.5, 0.45, 0.4], [8, 4, 2], 0.4, ("unpredicted", NAN)),
        ([NAN, NAN, NAN], [0, 0, 0], NAN, ("dead", NAN)),
    ],
)
def test_the_class_of_a_unit_is_that_of_the_definition(losses, nonzeros, one_to_one, expected):
    column = [[value] for value in losses], [[value] for value in nonzeros], [one_to_one]
    found = code_classes(prediction(*column))
    assert (found.units[0], found.predictors[0]) == pytest.approx(expected, nan_ok=True)
    assert (found.layer, found.layer_predictors) == pytest.approx(expected, nan_ok=True)


def test_a_quarter_of_the_living_predictors_is_meant():
    columns = [[0.1], [0.12], [0.2]], [[8], [2], [1]], [0.3]
    assert code_classes(prediction(*columns)).layer == "slightly distributed"
    assert code_classes(prediction(*columns, dead=[0])).layer == "fully distributed"


def test_the_class_of_a_layer_is_that_of_the_means_over_living_units():
    """A unit with a partner and one that needs four: on average, three of eight are needed."""
    held_out = [[0.0, 0.1, NAN], [0.01, 0.11, NAN], [0.3, 0.4, NAN]]
    found = code_classes(prediction(held_out, [[8, 8, 0], [2, 4, 0], [1, 1, 0]], [0.0, 0.3, NAN]))
    assert found.units.tolist() == ["local", "fully distributed", "dead"]
    assert (found.layer, found.layer_predictors) == ("fully distributed", 3)


def test_code_classes_need_least_squares():
    x, y = networks(30, 4, 4, 0)
    with pytest.raises(ValueError, match=r"has the penalties \[0\.1\]; code classes need 0, least"):
        code_classes(sparse_prediction(*halves(x, y), penalties=[0.1]))


def test_multiple_correlations_are_those_of_scikit_learns_least_squares():
    x, y = networks(80, 10, 4, 0)
    x, y, (test_x, test_y) = halves(x, y)
    predicted = LinearRegression().fit(x, y).predict(test_x)
    expected = [np.corrcoef(p, t)[0, 1] for p, t in zip(predicted.T, test_y.T, strict=True)]
    assert multiple_correlations(x, y, (test_x, test_y)) == pytest.approx(expected, abs=1e-10)


def test_dead_units_have_no_multiple_correlation_and_dead_predictors_explain_nothing():
    x, y = networks(80, 6, 3, 0)
    y[TESTED:, 1] = 0.1  # the same for all fitted items
    y[:TESTED, 2] = 0.1  # the same for all held-out items
    found = multiple_correlations(*halves(x, y))
    assert np.isnan(found).tolist() == [False, True, True]
    assert multiple_correlations(*halves(np.full_like(x, 0.1), y))[0] == 0
