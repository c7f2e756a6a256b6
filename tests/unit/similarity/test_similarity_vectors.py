"""What other people's implementations computed from the same numbers (tests/vectors)."""

import numpy as np
import pytest
from vectors import expected, inputs

from repatlas.similarity import (
    canonical_correlations,
    canonical_variates,
    gaussian_kernel_alignment,
    matching,
    minibatch_kernel_alignment,
    pwcca,
    semi_matching,
    sparse_prediction,
    svcca,
    thin_svd,
)


def pair(name, case):
    """Return x and y, items x features; arrays of CCA are stored transposed, as its tools take
    them."""
    with inputs(name) as arrays:
        x, y = arrays[f"{case}_x"], arrays[f"{case}_y"]
    return (x.T, y.T) if name == "cca" else (x, y)


def each(name, where=lambda case, answer: True):
    """Make a test of the cases of these vectors, or of the cases that fulfil a condition."""
    chosen = {case: answer for case, answer in expected(name).items() if where(case, answer)}
    return pytest.mark.parametrize(("case", "answer"), chosen.items(), ids=list(chosen))


def enough_items(case, answer):
    return not case.startswith("c11")


def full_rank(case, answer):
    ranks = [answer["shape_x"][0], answer["shape_y"][0]]
    return enough_items(case, answer) and answer["scipy_numerical_ranks"] == ranks


def unique(case, answer):
    """Return True if the weights from x are unique; the correlations 1, 1, 0 of c15 leave them
    open."""
    return enough_items(case, answer) and not case.startswith("c15")


@each("cca", enough_items)
def test_canonical_correlations_are_the_cosines_of_scipys_subspace_angles(case, answer):
    found = canonical_correlations(*pair("cca", case))
    # In c15 an arc cosine of a right angle keeps half of the digits.
    tolerance = 1e-7 if case.startswith("c15") else 1e-8
    assert found == pytest.approx(answer["scipy_subspace_angles_coefs"], abs=tolerance)


@each("cca")
def test_the_ranks_are_those_of_scipys_orth(case, answer):
    ranks = [len(thin_svd(side).values) for side in pair("cca", case)]
    assert ranks == answer["scipy_numerical_ranks"]


@each("cca", full_rank)
def test_mean_cca_is_that_of_sim_metric_at_full_rank(case, answer):
    found = canonical_correlations(*pair("cca", case))
    assert found.mean() == pytest.approx(answer["simmetric_mean_cca"], abs=1e-8)
    assert (found**2).mean() == pytest.approx(answer["simmetric_mean_sq_cca"], abs=1e-8)
    assert (found**2).mean() == pytest.approx(answer["google_research_R2_CCA_centred"], abs=1e-8)


@pytest.mark.parametrize("keep", [5, 10])
@each("cca", lambda case, answer: "svcca_keep10_google" in answer)
def test_svcca_of_some_directions_is_that_of_google(case, answer, keep):
    found = svcca(*pair("cca", case), truncation="directions", keep=keep)
    assert found.similarity == pytest.approx(answer[f"svcca_keep{keep}_google"], abs=1e-7)
    assert found.kept == tuple(min(keep, rank) for rank in answer["scipy_numerical_ranks"])


@pytest.mark.parametrize("percent", [90, 99])
@each("cca")
def test_svcca_of_a_share_of_variance_is_that_of_google(case, answer, percent):
    found = svcca(*pair("cca", case), keep=percent / 100)
    assert list(found.kept) == answer[f"var{percent}_dims"]
    assert found.similarity == pytest.approx(answer[f"svcca_var{percent}_google"], abs=1e-7)


@each("cca", unique)
def test_pwcca_with_weights_from_x_is_the_arithmetic_of_the_paper(case, answer):
    exact = answer["crosscheck_pwcca_weights_from_x_normalised_over_min_rank"]
    assert pwcca(*pair("cca", case), weights_from="x") == pytest.approx(exact, abs=1e-8)


@each("cca", enough_items)
def test_pwcca_with_weights_from_y_is_the_arithmetic_of_the_paper(case, answer):
    exact = answer["crosscheck_pwcca_weights_from_y_normalised_over_min_rank"]
    assert pwcca(*pair("cca", case), weights_from="y") == pytest.approx(exact, abs=1e-8)


@pytest.mark.parametrize("side", ["x", "y"])
@each("cca", lambda case, answer: full_rank(case, answer) and unique(case, answer))
def test_pwcca_is_that_of_sim_metric_with_the_weights_of_the_paper(case, answer, side):
    theirs = answer[f"simmetric_pwcca_renormalised_weights_from_{side}"]
    assert pwcca(*pair("cca", case), weights_from=side) == pytest.approx(theirs, abs=1e-8)


def dead_units_tie(case):
    return case.startswith("m7")


@each("matching")
def test_the_matching_is_that_of_networkx(case, answer):
    found = matching(*pair("matching", case))
    assert found.correlations.mean() == pytest.approx(answer["networkx_mean_correlation"], abs=1e-9)
    assert found.correlations.mean() == pytest.approx(
        answer["resi_hard_correlation_match"], abs=1e-9
    )
    if not dead_units_tie(case):
        assert sorted(found.pairs.tolist()) == answer["networkx_pairs"]


@each("matching")
def test_the_absolute_matching_is_that_of_networkx(case, answer):
    found = matching(*pair("matching", case), sign="absolute")
    expected = answer["networkx_mean_abs_correlation_abs_matching"]
    assert found.correlations.mean() == pytest.approx(expected, abs=1e-9)


@each("matching")
def test_semi_matching_is_the_largest_of_each_row_and_column(case, answer):
    x, y = pair("matching", case)
    found, back = semi_matching(x, y), semi_matching(y, x)
    left_to_right = answer["semi_matching_mean_left_to_right"]
    assert found.correlations.mean() == pytest.approx(left_to_right, abs=1e-9)
    right_to_left = answer["semi_matching_mean_right_to_left"]
    assert back.correlations.mean() == pytest.approx(right_to_left, abs=1e-9)
    living = found.correlations > 0
    expected = np.array(answer["semi_matching_left_to_right"])
    assert np.array_equal(found.partners[living], expected[living])


def sparse(case):
    with inputs("sparse") as arrays:
        x, y = arrays["s1_X"], arrays["s1_Y"]
    penalty = float(case.partition("lambda")[2])
    return sparse_prediction(x, y, (x, y), penalties=[0, penalty])


@each("sparse")
def test_the_lasso_of_an_orthonormal_design_is_the_soft_threshold(case, answer):
    found = sparse(case)
    assert found.weights[1] == pytest.approx(np.array(answer["closed_form_W"]), abs=1e-10)
    half_mse = answer["closed_form_half_mse_per_unit"]
    assert found.training[1] == pytest.approx(half_mse, abs=1e-9)
    assert found.held_out[1] == pytest.approx(half_mse, abs=1e-9)
    assert found.training[1].mean() == pytest.approx(answer["mean_half_mse"], abs=1e-9)
    assert np.count_nonzero(found.weights[1], axis=0).tolist() == answer["nonzeros_per_unit"]


@pytest.mark.parametrize("bandwidth", [1.0, 0.5])
@each("cka")
def test_gaussian_alignment_is_the_rbf_cka_of_google_research(case, answer, bandwidth):
    found = gaussian_kernel_alignment(*pair("cka", case), bandwidth=bandwidth)
    assert found == pytest.approx(answer[f"gr_rbf_cka_sigma{bandwidth}_median"], abs=1e-9)


@each("cka")
def test_minibatch_alignment_of_one_batch_is_the_debiased_cka_of_google_research(case, answer):
    found = minibatch_kernel_alignment([pair("cka", case)])
    assert found == pytest.approx(answer["gr_linear_cka_debiased"], abs=1e-9)
    theirs = answer["torch_cka_unbiased_single_batch_float32"]
    assert found == pytest.approx(theirs, abs=1e-4)


@each("cca", enough_items)
def test_the_variates_have_the_correlations_of_scipy(case, answer):
    x, y = pair("cca", case)
    found = canonical_variates(x, y)
    expected = np.diag(answer["scipy_subspace_angles_coefs"])
    assert found.x.T @ found.y == pytest.approx(expected, abs=1e-7)
    assert (x - x.mean(axis=0)) @ found.x_coefficients == pytest.approx(found.x, abs=1e-10)
