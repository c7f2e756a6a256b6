import numpy as np
import pytest
from scipy.stats import t

from repgeom.intervals import mean_interval, proportion_interval


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
