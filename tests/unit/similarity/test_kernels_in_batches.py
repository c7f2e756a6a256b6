"""Kernel alignment from batches of items, and with Gaussian kernels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group

from repatlas.similarity import gaussian_kernel_alignment, minibatch_kernel_alignment


def draw(items, h1, h2, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((items, h1))
    return x, np.tanh(x @ rng.standard_normal((h1, h2))) + 0.5 * rng.standard_normal((items, h2))


def drawn(test):
    widths = st.integers(1, 12)
    pairs = st.builds(draw, st.integers(13, 30), widths, widths, st.integers(0, 2**32 - 1))
    return settings(max_examples=15, deadline=None)(given(pairs)(test))


def turned(x, seed=0):
    size = x.shape[1]
    return 30 * x @ (ortho_group.rvs(size, random_state=seed) if size > 1 else np.eye(1)) - 4


def batches_of(x, y):
    """Return two batches of 4 and 5 items, and one with the remaining items."""
    return list(zip(np.split(x, [4, 9]), np.split(y, [4, 9]), strict=True))


@pytest.mark.parametrize("unit", [1e-60, 1e60])
def test_batches_of_other_sizes_of_values_count_in_one_unit(unit):
    """The second batch has values four times as large, and so 4^4 times the weight."""
    x, y = draw(20, 3, 4, 0)
    x[8:] *= 4
    batches = [(x[:8], y[:8]), (x[8:], y[8:])]
    in_unit = [(unit * x, y) for x, y in batches]
    expected = minibatch_kernel_alignment(batches)
    assert minibatch_kernel_alignment(in_unit) == pytest.approx(expected, rel=1e-12)


def test_items_that_are_all_the_same_have_no_alignment(rng):
    x = rng.standard_normal((8, 3))
    same = np.full((8, 2), 0.1)
    assert np.isnan(minibatch_kernel_alignment([(x, same), (x, same)]))
    alone = minibatch_kernel_alignment([(x, x[:, :2])])
    assert minibatch_kernel_alignment([(x, same), (x, x[:, :2])]) == pytest.approx(
        alone * np.sqrt(0.5), rel=1e-12
    )


def test_batches_that_are_none_are_refused(rng):
    x, y = rng.standard_normal((2, 6, 3))
    for words, batches in {
        "batches is empty": [],
        "batch 1 is ndarray; allowed is a pair": [x],
        "batch 2 has 3 items; allowed are 4 or more": [(x, y), (x[:3], y[:3])],
        "x of batch 2 has 6 items and y of batch 2 has 5": [(x, y), (x, y[1:])],
        r"batch 2 has \(3, 2\) features in x and y, batch 1 has \(3, 3\)": [(x, y), (x, y[:, 1:])],
        "y of batch 1 holds NaN": [(x, y * np.nan)],
    }.items():
        with pytest.raises(ValueError, match=words):
            minibatch_kernel_alignment(batches)


@drawn
def test_gaussian_alignment_is_the_same_exchanged_turned_scaled_and_shifted(pair):
    x, y = pair
    expected = gaussian_kernel_alignment(x, y)
    assert gaussian_kernel_alignment(y, x) == pytest.approx(expected, abs=1e-12)
    assert gaussian_kernel_alignment(turned(x), 1e-80 * y) == pytest.approx(expected, abs=1e-9)
    assert gaussian_kernel_alignment(x, turned(x)) == pytest.approx(1, abs=1e-9)


def test_equal_items_have_no_distance_wherever_they_are():
    """With two thirds of the items in one place, most distances are 0: there is no scale."""
    x = np.concatenate([np.full((20, 3), 1 / 3), np.random.default_rng(0).random((4, 3))]) + 1e3
    with np.errstate(all="raise", under="ignore"):
        assert np.isnan(gaussian_kernel_alignment(x, x))
    assert gaussian_kernel_alignment(x[16:], x[16:]) == pytest.approx(1, abs=1e-12)


def test_bandwidths_and_items_that_do_not_fit_are_refused(rng):
    x, y = rng.standard_normal((2, 10, 3))
    for bandwidth in (0, -1, np.nan, np.inf, "1"):
        with pytest.raises(ValueError, match=r"bandwidth is .*; allowed is a number above 0"):
            gaussian_kernel_alignment(x, y, bandwidth)
    with pytest.raises(ValueError, match="x has 10 items and y has 9"):
        gaussian_kernel_alignment(x, y[1:])


def unbiased_hsic(x, y):
    """Compute the estimator of Song et al. 2012, equation 5, with the kernels as they are."""
    k, q, n, ones = x @ x.T, y @ y.T, len(x), np.ones(len(x))
    np.fill_diagonal(k, 0)
    np.fill_diagonal(q, 0)
    both = (ones @ k @ ones) * (ones @ q @ ones) / ((n - 1) * (n - 2))
    return (np.trace(k @ q) + both - 2 / (n - 2) * ones @ k @ q @ ones) / (n * (n - 3))


@drawn
def test_it_is_the_ratio_of_sums_of_unbiased_estimates_over_batches(pair):
    batches = batches_of(*pair)
    xy, xx, yy = (
        sum(unbiased_hsic(*sides) for sides in chosen)
        for chosen in (batches, [(x, x) for x, _ in batches], [(y, y) for _, y in batches])
    )
    found = minibatch_kernel_alignment(batches)
    assert found == pytest.approx(xy / np.sqrt(xx * yy), abs=1e-10)
    assert -1 <= found <= 1
