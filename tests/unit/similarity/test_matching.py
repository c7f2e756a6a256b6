"""Which unit of one network is which of another."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from selections import some

from repatlas.geometry import patterns
from repatlas.similarity import matching, semi_matching, unit_correlations

signs = pytest.mark.parametrize("sign", ["signed", "absolute"])


def draw(items, h1, h2, seed):
    rng = np.random.default_rng(seed)
    x = np.tanh(3 * rng.standard_normal((items, h1)) + rng.uniform(-1, 1, h1))
    return x, x @ rng.standard_normal((h1, h2)) + rng.standard_normal((items, h2))


def drawn(test):
    widths = st.integers(1, 7)
    pairs = st.builds(draw, st.integers(3, 40), widths, widths, st.integers(0, 2**32 - 1))
    return settings(max_examples=40, deadline=None)(given(pairs)(test))


def value(x, y, sign):
    found = unit_correlations(x, y)
    return found if sign == "signed" else abs(found)


@drawn
def test_unit_correlations_are_those_of_numpy(pair):
    x, y = pair
    expected = np.corrcoef(x.T, y.T)[: x.shape[1], x.shape[1] :]
    assert unit_correlations(x, y) == pytest.approx(expected, abs=1e-12)


@drawn
def test_units_have_the_correlation_1_with_themselves_and_none_is_beyond(pair):
    x, _ = pair
    found = unit_correlations(x, x)
    assert np.diag(found) == pytest.approx(np.ones(x.shape[1]), abs=1e-12)
    assert np.abs(found).max() <= 1


@drawn
def test_shift_and_factor_of_a_unit_change_no_more_than_its_sign(pair):
    x, y = pair
    factors = 10.0 ** np.arange(-3, x.shape[1] - 3) * (-1) ** np.arange(x.shape[1])
    found = unit_correlations(x * factors + 7, y)
    assert found == pytest.approx(unit_correlations(x, y) * np.sign(factors)[:, None], abs=1e-8)


@drawn
@signs
def test_the_matching_is_the_best_of_all_assignments(sign, pair):
    found, correlations = matching(*pair, sign), value(*pair, sign)
    rows, columns = linear_sum_assignment(correlations, maximize=True)
    total = correlations[rows, columns].sum()
    assert found.correlations.sum() == pytest.approx(total, abs=1e-12)
    at_pairs = correlations[found.pairs[:, 0], found.pairs[:, 1]]
    assert np.array_equal(found.correlations, at_pairs)
    assert len(found.pairs) == min(correlations.shape)
    assert all(len(set(side)) == len(side) for side in some(found.pairs.T))
    assert (np.diff(found.correlations) <= 0).all()  # of one pair there is no difference


@signs
def test_no_other_order_of_six_units_is_better(rng, sign):
    x = rng.standard_normal((30, 6))
    y = x[:, ::-1] + 2 * rng.standard_normal((30, 6))
    correlations = value(x, y, sign)
    best = max(correlations[range(6), order].sum() for order in permutations(range(6)))
    assert matching(x, y, sign).correlations.sum() == pytest.approx(best, abs=1e-12)


@drawn
@signs
def test_the_matching_is_the_same_with_x_and_y_exchanged(sign, pair):
    x, y = pair
    found, back = matching(x, y, sign), matching(y, x, sign)
    assert back.correlations == pytest.approx(found.correlations, abs=1e-9)
    assert sorted(map(tuple, back.pairs[:, ::-1])) == sorted(map(tuple, found.pairs))


@drawn
@signs
def test_a_representation_is_matched_with_itself(sign, pair):
    x, _ = pair
    found = matching(x, x, sign)
    assert found.correlations == pytest.approx(np.ones(x.shape[1]), abs=1e-12)
    assert semi_matching(x, x, sign).correlations == pytest.approx(np.ones(x.shape[1]), abs=1e-12)


@drawn
@signs
def test_semi_matching_is_the_largest_of_each_row_and_never_below_the_matching(sign, pair):
    found, correlations = semi_matching(*pair, sign), value(*pair, sign)
    assert np.array_equal(found.correlations, correlations.max(axis=1))
    assert np.array_equal(found.partners, correlations.argmax(axis=1))
    full = matching(*pair, sign)
    assert some(found.correlations[full.pairs[:, 0]] >= full.correlations).all()


@drawn
@signs
def test_order_shift_and_positive_factors_of_units_do_not_change_the_values(sign, pair):
    x, y = pair
    other = 3 * x[:, ::-1] - 1
    for measure in (matching, semi_matching):
        expected = np.sort(measure(x, y, sign).correlations)
        assert np.sort(measure(other, y, sign).correlations) == pytest.approx(expected, abs=1e-9)


def test_signs_of_units_change_the_signed_matching_alone(rng):
    x = np.tanh(rng.standard_normal((200, 8)))
    flipped = x * [1, -1, 1, -1, -1, -1, 1, 1]
    assert matching(x, flipped).correlations.mean() < 0.7
    assert matching(x, flipped, sign="absolute").correlations == pytest.approx(np.ones(8))


def test_a_dead_unit_has_the_correlation_0_and_changes_no_other(rng):
    x, y = rng.standard_normal((2, 50, 4))
    with_dead = np.insert(x, 2, 0.1, axis=1)
    found = unit_correlations(with_dead, y)
    assert np.array_equal(found[2], np.zeros(4))
    assert np.delete(found, 2, axis=0) == pytest.approx(unit_correlations(x, y), abs=1e-14)
    expected = matching(x, y, "absolute").correlations
    assert matching(with_dead, y, "absolute").correlations == pytest.approx(expected, abs=1e-14)


def test_rounding_is_no_life(rng):
    """The third unit is a sum that cancels except for rounding."""
    x = rng.standard_normal((50, 2)) + 0.3
    with_rounding = np.column_stack([x, (x[:, 0] + 0.1 - 0.1) - x[:, 0]])
    assert not unit_correlations(with_rounding, x)[2].any()


def test_units_that_are_all_dead_have_no_correlation(rng):
    x = rng.standard_normal((20, 3))
    assert not unit_correlations(np.full((20, 2), 0.1), x).any()
    assert not matching(np.full((20, 2), 0.1), x).correlations.any()


def test_a_large_offset_costs_no_digits(rng):
    x, y = rng.standard_normal((2, 100, 5))
    expected = unit_correlations(x, y)
    assert unit_correlations(x + 1e6, y) == pytest.approx(expected, abs=1e-9)


def test_blocks_of_items_give_the_same_correlations(rng, monkeypatch):
    x, y = 5 + rng.standard_normal((2, 60, 4))
    expected = unit_correlations(x, y)
    monkeypatch.setattr(patterns, "BLOCK", 20)
    assert unit_correlations(x, y) == pytest.approx(expected, abs=1e-14)


def test_other_items_and_unknown_signs_are_refused(rng):
    x = rng.standard_normal((20, 3))
    for measure in (unit_correlations, matching, semi_matching):
        with pytest.raises(ValueError, match="x has 20 items and y has 19; both must describe"):
            measure(x, x[1:])
    for measure in (matching, semi_matching):
        with pytest.raises(ValueError, match=r'sign is \'both\'; allowed are "signed" and "absol'):
            measure(x, x, sign="both")


def test_more_units_than_items_are_allowed(rng):
    x, y = rng.standard_normal((2, 5, 30))
    assert len(matching(x, y).pairs) == 30
