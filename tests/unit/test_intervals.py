import numpy as np
import pytest
from scipy.stats import t

from repgeom.intervals import (
    first_rise_through_zero,
    mean_interval,
    proportion_interval,
    ratio_interval,
    sign_change_interval,
)


def test_the_interval_of_a_mean_of_normal_values_is_about_that_of_student():
    values = np.random.default_rng(0).normal(3, 2, 200)
    found = mean_interval(values)
    half = t.ppf(0.975, 199) * values.std(ddof=1) / np.sqrt(200)
    assert found.value == pytest.approx(values.mean())
    assert found.low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert found.high == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_the_interval_covers_the_mean_about_as_often_as_it_says():
    rng = np.random.default_rng(1)
    intervals = [mean_interval(rng.normal(0, 1, 20)) for _ in range(200)]
    covered = np.mean([low <= 0 <= high for _, low, high in intervals])
    assert 0.88 <= covered <= 0.99  # 95 %, a bit less for so few; 3 standard errors


def test_the_same_values_have_the_same_interval():
    values = np.random.default_rng(2).normal(size=10)
    assert mean_interval(values) == mean_interval(values.copy())


def test_values_that_are_all_alike_have_a_point_as_interval():
    assert mean_interval(np.full(20, 0.3)) == pytest.approx((0.3, 0.3, 0.3))


@pytest.mark.parametrize(("values", "mean"), [([], np.nan), ([2.0], 2.0), ([1.0, 2.0], 1.5)])
def test_fewer_than_three_networks_have_no_interval(values, mean):
    assert mean_interval(values) == pytest.approx((mean, np.nan, np.nan), nan_ok=True)


def test_values_that_are_not_there_are_left_out():
    values = [1.0, 2.0, 4.0, 5.0]
    assert mean_interval([*values, np.nan]) == mean_interval(values)


def test_the_interval_of_a_proportion_is_that_of_clopper_and_pearson():
    # No hit among n: the upper limit solves (1 - p)^n = 0.025.
    assert proportion_interval(0, 50) == pytest.approx((0, 0, 1 - 0.025 ** (1 / 50)))
    assert proportion_interval(50, 50) == pytest.approx((1, 0.025 ** (1 / 50), 1))
    # Their table: 5 of 10.
    assert proportion_interval(5, 10) == pytest.approx((0.5, 0.1871, 0.8129), abs=1e-4)


def test_a_proportion_of_nothing_is_not_defined():
    assert all(np.isnan(proportion_interval(0, 0)))


def test_the_interval_of_a_ratio_is_about_that_of_fieller():
    rng = np.random.default_rng(3)
    second = rng.normal(2, 0.5, 200)
    first = 0.5 * second + rng.normal(0, 0.3, 200)
    found = ratio_interval(first, second)
    # With a denominator that is far from 0, Fieller's interval is that of the paired residuals.
    ratio = first.mean() / second.mean()
    half = 1.96 * (first - ratio * second).std(ddof=1) / np.sqrt(200) / second.mean()
    assert found.value == pytest.approx(ratio)
    assert found.low == pytest.approx(ratio - half, abs=0.1 * half)
    assert found.high == pytest.approx(ratio + half, abs=0.1 * half)


def test_there_is_no_ratio_to_what_may_be_0():
    second = np.array([-1.0, 1.0, -0.5, 0.6, 0.1])
    assert all(np.isnan(ratio_interval(np.ones(5), second)))
    assert all(np.isnan(ratio_interval(np.ones(5), np.zeros(5))))


def test_the_ratio_of_proportional_values_has_a_point_as_interval():
    second = np.array([1.0, 2.0, 3.0, 5.0])
    assert ratio_interval(0.25 * second, second) == pytest.approx((0.25, 0.25, 0.25))


@pytest.mark.parametrize(("second", "ratio"), [([], np.nan), ([2.0], 0.5), ([2.0, 4.0], 1 / 3)])
def test_the_ratio_of_fewer_than_three_networks_has_no_interval(second, ratio):
    found = ratio_interval(np.ones(len(second)), second)
    assert found == pytest.approx((ratio, np.nan, np.nan), nan_ok=True)


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
    places = np.linspace(-2, 2, 9)
    levels = np.random.default_rng(4).normal(0, 0.3, 40)
    found, share = sign_change_interval(places, places + levels[:, None])
    level = mean_interval(-levels)  # where x + level is 0
    assert share == 1
    assert found == pytest.approx(level, abs=0.1 * (level.high - level.low))


def test_a_change_of_sign_that_resamples_do_not_share_has_no_interval():
    curves = np.array([[-1.0, 1.0]] * 2 + [[0.9, 1.0]] * 2)
    found, share = sign_change_interval(np.array([0.0, 1.0]), curves)
    assert found == pytest.approx((0.05 / 1.05, np.nan, np.nan), nan_ok=True)
    assert share == pytest.approx(11 / 16, abs=0.02)  # of 4 draws at least 2 are of the first kind


def test_curves_without_a_change_of_sign_say_so():
    found, share = sign_change_interval(np.arange(3.0), np.ones((5, 3)))
    assert all(np.isnan(found))
    assert share == 0


def test_resamples_may_be_of_networks_that_are_all_0():
    found = ratio_interval(np.arange(6.0), np.array([0.0, 2.0, 3.0, 2.0, 3.0, 2.0]))
    assert found.value == pytest.approx(15 / 12)
    assert 0 < found.low < found.value < found.high < np.inf
