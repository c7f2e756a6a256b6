"""Kernel alignment from batches of items, and with Gaussian kernels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, pdist
from scipy.stats import ortho_group

from repatlas.geometry import alignment_of_kernels, centred_kernel, kernel_alignment
from repatlas.similarity import gaussian, gaussian_kernel_alignment, minibatch_kernel_alignment


def draw(items, h1, h2, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((items, h1))
    return x, np.tanh(x @ rng.standard_normal((h1, h2))) + 0.5 * rng.standard_normal((items, h2))


def drawn(test):
    widths = st.integers(1, 12)
    pairs = st.builds(draw, st.integers(13, 30), widths, widths, st.integers(0, 2**32 - 1))
    return settings(max_examples=30, deadline=None)(given(pairs)(test))


def turned(x, seed=0):
    size = x.shape[1]
    return 30 * x @ (ortho_group.rvs(size, random_state=seed) if size > 1 else np.eye(1)) - 4


def batches_of(x, y):
    """Return two batches of 4 and 5 items, and one with the remaining items."""
    return list(zip(np.split(x, [4, 9]), np.split(y, [4, 9]), strict=True))


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


@drawn
def test_one_batch_has_the_debiased_alignment(pair):
    expected = kernel_alignment(*pair, debiased=True)
    assert minibatch_kernel_alignment([pair]) == pytest.approx(expected, abs=1e-12)


@drawn
def test_a_representation_has_1_with_itself_in_batches(pair):
    x, _ = pair
    assert minibatch_kernel_alignment(batches_of(x, turned(x))) == pytest.approx(1, abs=1e-9)


@drawn
def test_sides_may_be_exchanged_and_turned_scaled_and_shifted(pair):
    x, y = pair
    expected = minibatch_kernel_alignment(batches_of(x, y))
    assert minibatch_kernel_alignment(batches_of(y, x)) == pytest.approx(expected, abs=1e-12)
    assert minibatch_kernel_alignment(batches_of(turned(x), y)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("unit", [1e-60, 1e60])
def test_batches_of_other_sizes_of_values_count_in_one_unit(unit):
    """The second batch has values four times as large, and so 4^4 times the weight."""
    x, y = draw(20, 3, 4, 0)
    x[8:] *= 4
    batches = [(x[:8], y[:8]), (x[8:], y[8:])]
    in_unit = [(unit * x, y) for x, y in batches]
    expected = minibatch_kernel_alignment(batches)
    assert minibatch_kernel_alignment(in_unit) == pytest.approx(expected, rel=1e-12)


def test_batches_estimate_the_alignment_of_all_items(rng):
    """The estimate from 500 batches of 8 items is right; the plain form would be about 0.5 too
    high."""
    x = rng.standard_normal((4000, 20))
    y = x @ rng.standard_normal((20, 20)) + 8 * rng.standard_normal((4000, 20))
    batches = zip(np.split(x, 500), np.split(y, 500), strict=True)
    expected = kernel_alignment(x, y, debiased=True)
    assert minibatch_kernel_alignment(batches) == pytest.approx(expected, abs=0.02)


def test_an_iterator_is_read_once_batch_by_batch(rng):
    asked = []

    def batches():
        for number in range(3):
            asked.append(number)
            yield rng.standard_normal((2, 6, 3))[0], rng.standard_normal((6, 2))

    minibatch_kernel_alignment(batches())
    assert asked == [0, 1, 2]


def test_items_that_are_all_the_same_have_no_alignment(rng):
    x = rng.standard_normal((8, 3))
    same = np.full((8, 2), 0.1)
    assert np.isnan(minibatch_kernel_alignment([(x, same), (x, same)]))
    alone = minibatch_kernel_alignment([(x, x[:, :2])])
    assert minibatch_kernel_alignment([(x, same), (x, x[:, :2])]) == pytest.approx(
        alone * np.sqrt(0.5), rel=1e-12
    )


def test_items_equally_far_from_one_another_have_no_alignment(rng):
    """Without bias nothing is left of their kernel, but rounding."""
    apart, x = np.eye(6) + 0.1, rng.standard_normal((6, 2))
    with np.errstate(all="raise"):
        assert np.isnan(minibatch_kernel_alignment([(apart, x), (2 * apart, x)]))


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


# Gaussian kernels


@pytest.mark.parametrize(
    ("batch", "found"),
    [
        (lambda x: (x, x, x), "tuple"),
        (lambda x: (x,), "tuple"),
        (lambda x: {"x": x, "y": x}, "dict"),
        (lambda x: np.stack([x, x]), "ndarray"),
        (lambda x: "xy", "str"),
    ],
    ids=["three arrays", "one array", "a dictionary", "an array of two", "a text"],
)
def test_a_batch_that_is_no_pair_is_refused(rng, batch, found):
    wrong = batch(rng.standard_normal((8, 3)))
    with pytest.raises(ValueError, match=rf"batch 1 is {found}; allowed is a pair \(x, y\)"):
        minibatch_kernel_alignment([wrong])


def test_batches_of_few_items_or_of_other_features_are_refused(rng):
    x = rng.standard_normal((8, 3))
    with pytest.raises(ValueError, match="batch 2 has 3 items; allowed are 4 or more"):
        minibatch_kernel_alignment([(x, x), (x[:3], x[:3])])
    with pytest.raises(ValueError, match=r"batch 2 has \(2, 3\) features in x and y, batch 1 has"):
        minibatch_kernel_alignment([(x, x), (x[:, :2], x)])
    with pytest.raises(ValueError, match="x of batch 1 has 8 items"):
        minibatch_kernel_alignment([(x, x[:6])])


@drawn
@pytest.mark.parametrize("bandwidth", [0.3, 1.0, 2.0])
def test_gaussian_alignment_is_its_definition(bandwidth, pair):
    kernels = []
    for side in pair:
        squares = cdist(side, side, "sqeuclidean")
        kernel = np.exp(-squares / (2 * bandwidth**2 * np.median(squares)))
        centring = np.eye(len(side)) - 1 / len(side)
        kernels.append(centring @ kernel @ centring)
    expected = np.vdot(*kernels) / np.prod([np.linalg.norm(kernel) for kernel in kernels])
    found = gaussian_kernel_alignment(*pair, bandwidth)
    assert found == pytest.approx(expected, abs=1e-12)
    assert 0 <= found <= 1


@pytest.mark.parametrize("items", [1, 2, 3, 4, 5, 6, 7, 30])
def test_the_median_is_that_of_all_distances(rng, items):
    x = rng.standard_normal((items, 3))
    expected = np.median(cdist(x, x, "sqeuclidean"))
    found = gaussian._median(pdist(x, "sqeuclidean"), items)
    assert found == pytest.approx(expected, rel=1e-12)


@drawn
def test_gaussian_alignment_is_the_same_exchanged_turned_scaled_and_shifted(pair):
    x, y = pair
    expected = gaussian_kernel_alignment(x, y)
    assert gaussian_kernel_alignment(y, x) == pytest.approx(expected, abs=1e-12)
    assert gaussian_kernel_alignment(turned(x), 1e-80 * y) == pytest.approx(expected, abs=1e-9)
    assert gaussian_kernel_alignment(x, turned(x)) == pytest.approx(1, abs=1e-9)


@drawn
def test_a_dead_unit_changes_no_alignment(pair):
    x, y = pair
    more = np.insert(x, 1, 0.1, axis=1)
    expected = gaussian_kernel_alignment(x, y)
    assert gaussian_kernel_alignment(more, y) == pytest.approx(expected, abs=1e-12)
    expected = minibatch_kernel_alignment([(x, y)])
    assert minibatch_kernel_alignment([(more, y)]) == pytest.approx(expected, abs=1e-12)


def test_a_wide_gaussian_kernel_is_the_linear_one():
    x, y = draw(30, 4, 5, 0)
    linear = alignment_of_kernels(centred_kernel(x), centred_kernel(y))
    assert gaussian_kernel_alignment(x, y, bandwidth=300) == pytest.approx(linear, abs=1e-4)


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
