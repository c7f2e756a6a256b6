"""Alignment of few items with many features: the bias, the warning and the form without it."""

import warnings
from itertools import permutations

import numpy as np
import pytest

from repatlas.geometry import (
    alignment_of_kernels,
    centred_kernel,
    kernel_alignment,
    participation_ratio,
)


def test_debiased_alignment_is_that_of_google_research(cka_case, answer, vector_inputs):
    inputs = vector_inputs("cka")
    x, y = inputs[f"{cka_case}_x"], inputs[f"{cka_case}_y"]
    expected = answer["gr_linear_cka_debiased"]
    assert kernel_alignment(x, y, debiased=True) == pytest.approx(expected, abs=1e-9)


def test_debiased_alignment_is_its_definition(rng):
    x, y = rng.standard_normal((7, 3)), rng.standard_normal((7, 20))
    k, q = x @ x.T, y @ y.T  # not centred: the estimator does that
    np.fill_diagonal(k, 0)
    np.fill_diagonal(q, 0)
    ones, n = np.ones(7), 7

    def unbiased(k, q):
        """Compute equation 5 of Song et al. 2012."""
        both = (ones @ k @ ones) * (ones @ q @ ones) / ((n - 1) * (n - 2))
        return (np.trace(k @ q) + both - 2 / (n - 2) * ones @ k @ q @ ones) / (n * (n - 3))

    expected = unbiased(k, q) / np.sqrt(unbiased(k, k) * unbiased(q, q))
    assert kernel_alignment(x, y, debiased=True) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("features", [5, 2000])
def test_unrelated_noise_has_a_debiased_alignment_of_zero_on_average(rng, features):
    found = [
        kernel_alignment(*rng.standard_normal((2, 20, features)), debiased=True) for _ in range(200)
    ]
    assert abs(np.mean(found)) < 3 * np.std(found) / np.sqrt(len(found))


def test_a_representation_has_a_debiased_alignment_of_one_with_itself(rng):
    x = rng.standard_normal((12, 40))
    assert kernel_alignment(x, 3 * x + 1, debiased=True) == pytest.approx(1, abs=1e-12)


def test_plain_alignment_over_all_orders_of_the_items_has_the_mean_that_the_warning_tells(rng):
    kernel_x, kernel_y = (centred_kernel(rng.standard_normal((5, n))) for n in (3, 8))
    orders = [list(order) for order in permutations(range(5))]
    found = [alignment_of_kernels(kernel_x, kernel_y[np.ix_(order, order)]) for order in orders]
    dimensions = participation_ratio(kernel_x) * participation_ratio(kernel_y)
    assert np.mean(found) == pytest.approx(np.sqrt(dimensions) / 4, rel=1e-12)


def test_few_items_with_many_features_are_warned_of(rng):
    x, y = rng.standard_normal((2, 20, 2000))
    with pytest.warns(UserWarning, match=r"few items \(20\) .* of 0.99 on average") as caught:
        found = kernel_alignment(x, y)
    assert found == pytest.approx(0.99, abs=0.005)
    assert [w.filename for w in caught] == [__file__]


@pytest.mark.parametrize(
    "align",
    [
        lambda x, y: kernel_alignment(x, y, debiased=True),
        lambda x, y: alignment_of_kernels(centred_kernel(x), centred_kernel(y)),
        lambda x, y: kernel_alignment(np.tile(x[:, :5], (30, 1)), np.tile(y[:, :5], (30, 1))),
    ],
    ids=["debiased", "of kernels", "many items"],
)
def test_otherwise_there_is_no_warning(rng, align):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        align(*rng.standard_normal((2, 20, 2000)))


def test_three_items_have_no_debiased_alignment():
    with pytest.raises(ValueError, match="x has 3 items; debiased alignment needs 4 or more"):
        kernel_alignment(np.eye(3), np.eye(3), debiased=True)


@pytest.mark.parametrize(
    "same", [np.full((6, 3), 0.1), np.eye(6)], ids=["one place", "equidistant"]
)
def test_items_that_no_kernel_tells_apart_have_no_debiased_alignment(rng, same):
    assert np.isnan(kernel_alignment(same, rng.standard_normal((6, 2)), debiased=True))


def test_kernels_of_different_items_are_refused():
    with pytest.raises(ValueError, match="kernel_x has 2 items and kernel_y has 3"):
        alignment_of_kernels(*(centred_kernel(np.eye(n)) for n in (2, 3)))
