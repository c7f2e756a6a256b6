from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from selections import some

from repatlas.inference.intervals import (
    FEWEST,
    first_rise_through_zero,
    median_interval,
    networks_needed,
    proportion_interval,
    ratio_interval,
    sign_change_interval,
    sign_probability,
)

DISTRIBUTIONS = {  # each with its median
    "normal": (lambda rng, shape: rng.normal(size=shape), 0.0),
    "skewed": (lambda rng, shape: rng.exponential(size=shape), np.log(2)),
    "very skewed": (lambda rng, shape: rng.lognormal(sigma=2, size=shape), 1.0),
    "heavy tails": (lambda rng, shape: rng.standard_cauchy(size=shape), 0.0),
    "at a ceiling": (lambda rng, shape: np.minimum(rng.normal(1.02, 0.02, shape), 1), 1.0),
    "two kinds": (lambda rng, shape: rng.choice([0.0, 1.0, 1.01], shape, p=[0.3, 0.6, 0.1]), 1.0),
}


def probability_of_the_interval(number):
    """Return the probability of the order statistics at the interval's ends.

    It counts all outcomes of `number` tosses."""
    low = median_interval(np.arange(number, dtype=float)).low
    outside = sum(comb(number, k) for k in range(int(low) + 1))
    return 1 - Fraction(2 * outside, 2**number)


@pytest.mark.parametrize(
    ("number", "ends"), [(6, (0, 5)), (9, (1, 7)), (10, (1, 8)), (17, (4, 12)), (20, (5, 14))]
)
def test_the_interval_of_a_median_is_that_of_the_tables_for_the_sign_test(number, ends):
    found = median_interval(np.random.default_rng(0).permutation(number).astype(float))
    assert (found.low, found.high) == ends
    assert found.value == (number - 1) / 2


def test_it_is_the_shortest_that_holds_95_percent():
    for number in range(FEWEST, 200):
        held = probability_of_the_interval(number)
        low = int(median_interval(np.arange(number, dtype=float)).low)
        assert held >= Fraction(95, 100), number
        assert held - Fraction(2 * comb(number, low + 1), 2**number) < Fraction(95, 100), number


@pytest.mark.parametrize("number", [6, 20])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_95_percent_means_95_percent_from_whatever_distribution_networks_come(name, number):
    draw, median = DISTRIBUTIONS[name]
    values, tables = np.random.default_rng(1), 4000
    found = np.array([median_interval(row) for row in draw(values, (tables, number))])
    covered = np.mean((found[:, 1] <= median) & (median <= found[:, 2]))
    promised = float(probability_of_the_interval(number))
    print(f"{name}, {number} networks: {100 * covered:.1f} %, promised {100 * promised:.1f} %")
    # Ties, at a ceiling say, can only make it hold more often. Four standard errors.
    assert covered >= promised - 4 * np.sqrt(promised * (1 - promised) / tables)


@pytest.mark.parametrize(
    ("values", "median"), [([], np.nan), ([2.0], 2.0), ([1.0, 2.0], 1.5), ([3.0, 0, 1, 2, 9], 2.0)]
)
def test_fewer_than_six_networks_have_no_interval(values, median):
    assert median_interval(values) == pytest.approx((median, np.nan, np.nan), nan_ok=True)


def test_values_that_are_not_there_are_left_out_and_infinite_ones_count():
    values = [1.0, 2.0, 4.0, 5.0, 6.0, 8.0]
    assert median_interval([*values, np.nan]) == median_interval(values) == (4.5, 1.0, 8.0)
    assert median_interval([np.inf] * 4 + [1.0, 2.0]) == (np.inf, 1.0, np.inf)


@given(st.lists(st.floats(-1e6, 1e6), min_size=6, max_size=30), st.floats(-1e6, 1e6))
def test_the_interval_lies_beyond_a_limit_where_the_sign_test_says_so(values, limit):
    values = np.array(values)
    found = median_interval(values)
    beyond = 2 * sign_probability(int((values > limit).sum()), len(values)) <= 0.05
    assert beyond == (found.low > limit)


def test_the_probability_of_signs_is_that_of_tosses():
    for number in (1, 5, 10):
        for hits in range(number + 1):
            expected = sum(comb(number, k) for k in range(hits, number + 1)) / 2**number
            assert sign_probability(hits, number) == pytest.approx(expected)


@pytest.mark.parametrize(("alpha", "number"), [(0.05, 6), (0.05 / 46, 11), (0.05 / 192, 13)])
def test_the_networks_that_are_needed_are_the_fewest_that_can_decide_if_all_agree(alpha, number):
    assert networks_needed(alpha) == number
    assert 2 * 0.5**number <= alpha < 2 * 0.5 ** (number - 1)


def test_the_interval_of_a_proportion_is_that_of_clopper_and_pearson():
    # No hit among n: the upper limit solves (1 - p)^n = 0.025.
    assert proportion_interval(0, 50) == pytest.approx((0, 0, 1 - 0.025 ** (1 / 50)))
    assert proportion_interval(50, 50) == pytest.approx((1, 0.025 ** (1 / 50), 1))
    # Clopper and Pearson's table has 5 of 10.
    assert proportion_interval(5, 10) == pytest.approx((0.5, 0.1871, 0.8129), abs=1e-4)


def test_a_ratio_is_the_median_of_the_networks_ratios():
    first, second = np.array([1.0, 4, 2, 9, 5, 6]), np.array([2.0, 2, 2, 3, 5, 4])
    assert ratio_interval(first, second) == median_interval(first / second)


@pytest.mark.parametrize(
    "second", [[-1.0, 1.0, -0.5, 0.6, 0.1, 0.2], [0.0] * 6, [-1.0, 2.0], [0.0, 1.0]]
)
def test_there_is_no_ratio_to_what_may_be_0(second):
    assert all(np.isnan(ratio_interval(np.ones(len(second)), np.array(second))))


def test_a_ratio_to_what_is_0_in_one_network_is_infinite_there():
    found = ratio_interval(np.ones(9), np.array([0.0, 0.0, 2, 2, 2, 2, 2, 2, 2]))
    assert some(np.isnan(found)).all(), "the interval begins at 0"
    found = ratio_interval(np.ones(9), np.array([0.0, 2, 2, 2, 2, 2, 2, 2, 2]))
    assert found == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    ("curve", "place"),
    [
        ([-1, 1, 2, 3], 0.5),
        ([-1, -3, 1, 2], 1.75),
        ([-1, 0, 1, 2], 1.0),
        ([-1, 1, -1, 3], 0.5),
        ([1, -1, -1, 3], 2.25),
        ([1, 2, -1, -2], np.nan),
        ([1, 1, 2, 3], np.nan),
        ([-3, -2, -2, -1], np.nan),
    ],
)
def test_a_curve_rises_through_0_where_its_first_such_line_does(curve, place):
    places = np.arange(4.0)
    found = first_rise_through_zero(places, np.array([curve], float))
    assert found == pytest.approx([place], nan_ok=True)


def test_the_interval_of_a_change_of_sign_is_that_of_the_level_where_curves_are_lines():
    places, levels = np.linspace(-2, 2, 9), np.array([0.1, -0.3, 0.25, 0.7, -0.6, 0.4, 0.05])
    found, share = sign_change_interval(places, places + levels[:, None])
    assert found == pytest.approx(median_interval(-levels))  # where x + level is 0
    assert share == 1


def test_networks_that_change_sign_beyond_the_axis_count_as_beyond_it():
    places = np.arange(3.0)
    rises = [[-1.0, 1.0, 1.0]] * 4
    early, late = [[1.0, 1.0, 1.0]], [[-1.0, -1.0, -1.0]]
    found, share = sign_change_interval(places, np.array(rises + early + 2 * late))
    assert (found.value, share) == (0.5, 4 / 7)
    assert some(np.isnan([found.low, found.high])).all()
    found, share = sign_change_interval(places, np.array(rises + 5 * late))
    assert some(np.isnan(found)).all()
    assert share == 4 / 9
