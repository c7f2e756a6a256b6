"""Canonical correlations, SVCCA and PWCCA: what changes them, and what does not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import subspace_angles
from scipy.stats import ortho_group
from selections import some

from repatlas.geometry import kernel_alignment
from repatlas.similarity import (
    Overlap,
    ThinSVD,
    canonical_correlations,
    canonical_variates,
    pwcca,
    svcca,
    thin_svd,
)

widths = st.integers(1, 8)
seeds = st.integers(0, 2**31)


def related(items, h1, h2, seed):
    """Return two representations; some of their directions are more similar than others."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((items, h1)) * rng.uniform(0.5, 2, h1)
    shared = x @ rng.standard_normal((h1, h2))
    return x, shared + rng.uniform(0.2, 3) * rng.standard_normal((items, h2)) + 5


def drawn(test):
    """Run a test on pairs of many shapes, with more items than directions."""
    pairs = st.builds(related, st.integers(24, 60), widths, widths, seeds)
    return settings(max_examples=40, deadline=None)(given(pairs, seeds)(test))


def rotation(size, seed):
    return ortho_group.rvs(size, random_state=seed) if size > 1 else np.eye(1)


def affine(size, seed):
    """Return an invertible map of condition 100 at most, and a shift."""
    scales = np.random.default_rng(seed).uniform(0.1, 10, size)
    return rotation(size, seed) * scales @ rotation(size, seed + 1), 3 * scales


def with_dead_unit(x):
    return np.insert(x, 1, 0.1, axis=1)


def with_sums(x):
    """Return x with two more units, which are sums of its units."""
    return np.column_stack([x, x.sum(axis=1), x[:, 0] - 7])


@drawn
def test_they_are_the_cosines_of_scipys_angles_between_subspaces(pair, seed):
    x, y = (side - side.mean(axis=0) for side in pair)
    expected = np.cos(subspace_angles(x, y))[::-1]
    assert canonical_correlations(*pair) == pytest.approx(expected, abs=1e-8)


@drawn
def test_they_are_from_0_to_1_in_descending_order_and_as_many_as_the_smaller_rank(pair, seed):
    found = canonical_correlations(*pair)
    assert found.shape == (min(side.shape[1] for side in pair),)
    assert some((found >= 0) & (found <= 1)).all()
    assert (np.diff(found) <= 0).all()  # of one correlation there is no difference


@drawn
def test_they_are_the_same_with_x_and_y_exchanged(pair, seed):
    x, y = pair
    assert canonical_correlations(y, x) == pytest.approx(canonical_correlations(x, y), abs=1e-12)


@drawn
def test_affine_maps_of_either_side_do_not_change_them(pair, seed):
    x, y = pair
    (a, shift_a), (b, shift_b) = affine(x.shape[1], seed), affine(y.shape[1], seed)
    mapped = canonical_correlations(x @ a + shift_a, y @ b + shift_b)
    assert mapped == pytest.approx(canonical_correlations(x, y), abs=1e-9)


@drawn
def test_the_order_of_the_items_does_not_change_them(pair, seed):
    x, y = pair
    order = np.random.default_rng(seed).permutation(len(x))
    found = canonical_correlations(x[order], y[order])
    assert found == pytest.approx(canonical_correlations(x, y), abs=1e-12)


@drawn
def test_a_representation_has_correlations_of_1_with_itself(pair, seed):
    x, _ = pair
    assert canonical_correlations(x, x) == pytest.approx(np.ones(x.shape[1]), abs=1e-12)
    assert canonical_correlations(x, x).max() <= 1
    for weights_from in ("x", "y", "fewer", "both"):
        assert pwcca(x, x, weights_from) == pytest.approx(1, abs=1e-12)
    assert svcca(x, x).similarity == pytest.approx(1, abs=1e-12)


@drawn
@pytest.mark.parametrize("more", [with_dead_unit, with_sums])
def test_units_that_add_no_direction_change_nothing(more, pair, seed):
    x, y = pair
    correlations = canonical_correlations(x, y)
    assert canonical_correlations(more(x), y) == pytest.approx(correlations, abs=1e-9)
    assert canonical_correlations(x, more(y)) == pytest.approx(correlations, abs=1e-9)
    assert canonical_correlations(more(x), more(y)) == pytest.approx(correlations, abs=1e-9)


@drawn
def test_a_dead_unit_changes_neither_svcca_nor_pwcca(pair, seed):
    x, y = pair
    for measure in (pwcca, lambda x, y: svcca(x, y).similarity, lambda x, y: pwcca(x, y, "both")):
        found = measure(with_dead_unit(x), with_dead_unit(y))
        assert found == pytest.approx(measure(x, y), abs=1e-9)


@drawn
def test_an_svd_in_the_place_of_the_array_gives_the_same_bits(pair, seed):
    svds = [thin_svd(side) for side in pair]
    assert np.array_equal(canonical_correlations(*svds), canonical_correlations(*pair))
    assert pwcca(*svds) == pwcca(*pair)
    assert svcca(*svds).similarity == svcca(*pair).similarity


@drawn
def test_the_variates_are_orthonormal_and_their_products_are_the_correlations(pair, seed):
    found = canonical_variates(*pair)
    identity = np.eye(len(found.correlations))
    assert found.x.T @ found.x == pytest.approx(identity, abs=1e-12)
    assert found.y.T @ found.y == pytest.approx(identity, abs=1e-12)
    assert found.x.T @ found.y == pytest.approx(identity * found.correlations, abs=1e-12)
    assert found.correlations == pytest.approx(canonical_correlations(*pair), abs=1e-14)


@drawn
def test_the_coefficients_make_the_variates_of_the_centred_features(pair, seed):
    found = canonical_variates(*pair)
    x, y = (side - side.mean(axis=0) for side in pair)
    assert x @ found.x_coefficients == pytest.approx(found.x, abs=1e-10)
    assert y @ found.y_coefficients == pytest.approx(found.y, abs=1e-10)


def test_dependent_features_have_the_shortest_coefficients(rng):
    x = rng.standard_normal((40, 3))
    found = canonical_variates(np.column_stack([x, x[:, 0]]), x[:, :1])
    assert found.x_coefficients[0] == pytest.approx(found.x_coefficients[3])


# SVCCA


@drawn
@pytest.mark.parametrize("truncation", ["variance", "singular values"])
def test_svcca_that_keeps_everything_is_mean_cca(truncation, pair, seed):
    found = svcca(*pair, truncation=truncation, keep=1)
    assert found.similarity == pytest.approx(canonical_correlations(*pair).mean(), abs=1e-12)
    assert found.kept == tuple(side.shape[1] for side in pair)


@drawn
def test_svcca_of_as_many_directions_as_there_are_is_mean_cca(pair, seed):
    found = svcca(*pair, truncation="directions", keep=100)
    assert found.similarity == pytest.approx(canonical_correlations(*pair).mean(), abs=1e-12)


@drawn
@pytest.mark.parametrize("truncation", ["variance", "singular values"])
def test_svcca_keeps_the_fewest_directions_with_their_share(truncation, pair, seed):
    found = svcca(*pair, truncation=truncation, keep=0.9)
    for side, kept in zip(pair, found.kept, strict=True):
        values = np.linalg.svd(side - side.mean(axis=0), compute_uv=False)
        values **= {"variance": 2, "singular values": 1}[truncation]
        assert values[:kept].sum() >= 0.9 * values.sum() > values[: kept - 1].sum()


@drawn
@pytest.mark.parametrize(
    ("truncation", "keep"), [("variance", 0.95), ("singular values", 0.9), ("directions", 2)]
)
def test_rotation_shift_and_scale_do_not_change_svcca(truncation, keep, pair, seed):
    x, y = pair
    turned = 7 * x @ rotation(x.shape[1], seed) + 3
    expected = svcca(x, y, truncation, keep)
    for found in (svcca(turned, y, truncation, keep), svcca(y, turned, truncation, keep)):
        assert sorted(found.kept) == sorted(expected.kept)
        assert found.similarity == pytest.approx(expected.similarity, abs=1e-9)


def test_other_affine_maps_change_svcca_and_not_cca(rng):
    x = rng.standard_normal((200, 4)) * [10, 10, 1, 1]
    y = x[:, ::-1] * [1, 1, 10, 10] + rng.standard_normal((200, 4))
    stretched = x * [0.1, 0.1, 10, 10]
    first = {"truncation": "directions", "keep": 2}
    change = svcca(stretched, y, **first).similarity - svcca(x, y, **first).similarity
    assert abs(change) > 0.1
    expected = canonical_correlations(x, y)
    assert canonical_correlations(stretched, y) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("keep", [0.07, 0.28, 0.55, 0.56, 0.99])
def test_rounding_does_not_decide_how_many_equal_directions_are_kept(rng, keep):
    """The number kept of 100 is the percentage, though 0.55 * 100 is rounded to above 55."""
    white = np.linalg.svd(rng.standard_normal((250, 100)), full_matrices=False)[0]
    equal = ThinSVD(left=white, values=np.ones(100), right=np.eye(100))
    assert svcca(equal, equal, keep=keep).kept == 2 * (round(100 * keep),)


def test_svcca_that_keeps_everything_keeps_directions_of_hardly_any_variance(rng):
    x = rng.standard_normal((60, 4)) * [1, 1, 1, 1e-9]
    assert svcca(x, x, keep=1).kept == (4, 4)


# PWCCA


def by_definition(x, y, weights_from):
    """Compute PWCCA as in Morcos et al. 2018, section 2.2, with a product over the items."""
    found = canonical_variates(x, y)
    variates, neurons = (found.x, x) if weights_from == "x" else (found.y, y)
    weights = [sum(abs(h @ z) for z in (neurons - neurons.mean(axis=0)).T) for h in variates.T]
    return np.average(found.correlations, weights=weights)


@drawn
@pytest.mark.parametrize("weights_from", ["x", "y"])
def test_pwcca_is_its_definition(weights_from, pair, seed):
    expected = by_definition(*pair, weights_from)
    assert pwcca(*pair, weights_from) == pytest.approx(expected, abs=1e-10)


@drawn
def test_pwcca_by_both_is_the_mean_and_the_same_with_x_and_y_exchanged(pair, seed):
    x, y = pair
    mean = (pwcca(x, y, "x") + pwcca(x, y, "y")) / 2
    assert pwcca(x, y, "both") == pytest.approx(mean, abs=1e-14)
    assert pwcca(y, x, "both") == pytest.approx(mean, abs=1e-10)


@drawn
def test_pwcca_by_fewer_takes_the_smaller_rank_and_x_of_equal_ones(pair, seed):
    x, y = pair
    expected = "x" if x.shape[1] <= y.shape[1] else "y"
    assert pwcca(with_sums(with_sums(x)), y) == pwcca(with_sums(with_sums(x)), y, expected)


@drawn
def test_affine_maps_of_the_other_side_do_not_change_pwcca(pair, seed):
    x, y = pair
    a, shift = affine(y.shape[1], seed)
    assert pwcca(x, y @ a + shift, "x") == pytest.approx(pwcca(x, y, "x"), abs=1e-8)


@drawn
def test_order_shift_and_scale_of_the_weighting_side_do_not_change_pwcca(pair, seed):
    x, y = pair
    order = np.random.default_rng(seed).permutation(x.shape[1])
    assert pwcca(9 * x[:, order] - 4, y, "x") == pytest.approx(pwcca(x, y, "x"), abs=1e-9)


def test_a_rotation_of_the_weighting_side_changes_pwcca(rng):
    """The shared direction, on one neuron of four, is spread over all four: it weighs more."""
    x = rng.standard_normal((500, 4))
    y = np.column_stack([x[:, 0], rng.standard_normal((500, 3))])
    spread = np.array([[1, 1, 1, 1], [1, -1, 0, 0], [0, 0, 1, -1], [1, 1, -1, -1]])
    spread = spread / np.linalg.norm(spread, axis=1, keepdims=True)
    assert pwcca(x @ spread, y, "x") > pwcca(x, y, "x") + 0.03


@drawn
def test_pwcca_is_between_the_smallest_and_the_largest_correlation(pair, seed):
    found = canonical_correlations(*pair)
    for weights_from in ("x", "y"):
        value = pwcca(*pair, weights_from)
        assert found[-1] - 1e-12 <= value <= min(1, found[0] + 1e-12)


# What is refused, and what is undefined


@pytest.mark.parametrize("measure", [canonical_correlations, canonical_variates, pwcca, svcca])
def test_other_items_are_refused(rng, measure):
    with pytest.raises(ValueError, match="x has 20 items and y has 21; both must describe the sa"):
        measure(rng.standard_normal((20, 3)), rng.standard_normal((21, 3)))


@pytest.mark.parametrize("measure", [canonical_correlations, canonical_variates, pwcca])
def test_more_features_than_items_are_refused_with_the_ways_out(rng, measure):
    ways_out = (
        r"x has shape \(50, 3\) and y has shape \(50, 51\), items x features: with more features "
        r"than items canonical correlations are 1 whatever the data are; transpose arrays of "
        r"features x items, or use more items, features pooled over positions, or svcca with few"
    )
    x, y = rng.standard_normal((50, 3)), rng.standard_normal((50, 51))
    with pytest.raises(ValueError, match=ways_out):
        measure(x, y)
    with pytest.raises(ValueError, match=ways_out):
        measure(thin_svd(x), thin_svd(y))


@pytest.mark.parametrize("measure", [canonical_correlations, canonical_variates, pwcca])
def test_ranks_that_must_meet_are_refused(rng, measure):
    x, y = rng.standard_normal((20, 11)), rng.standard_normal((20, 10))
    found = (
        r"x has 11 directions and y has 10, of 20 items: they may add up to 19 \(items - 1\), or"
    )
    with pytest.raises(ValueError, match=f"{found} canonical correlations, here 2, are 1 whatever"):
        measure(x, y)
    assert canonical_correlations(x[:, :9], y).max() < 1 - 1e-9


def test_as_many_correlations_are_1_for_geometry_alone_as_the_refusal_says(rng):
    x, y = rng.standard_normal((20, 11)), rng.standard_normal((20, 10))
    found = np.cos(subspace_angles(x - x.mean(axis=0), y - y.mean(axis=0)))
    assert np.count_nonzero(found > 1 - 1e-9) == 2


def test_svcca_takes_more_features_than_items_and_refuses_too_many_directions(rng):
    x, y = rng.standard_normal((2, 20, 30))
    assert svcca(x, y, "directions", 9).kept == (9, 9)
    with pytest.raises(
        ValueError, match=r"of 20 items: .* keep fewer directions or use more items"
    ):
        svcca(x, y, "directions", 10)


@pytest.mark.parametrize("keep", [0, -1, 1.1, np.nan, np.inf])
def test_a_share_that_is_none_is_refused(rng, keep):
    with pytest.raises(ValueError, match=r"keep is .*; with truncation=\"variance\" allowed are 0"):
        svcca(*rng.standard_normal((2, 20, 3)), keep=keep)


@pytest.mark.parametrize("keep", [0, 0.99, 2.5, np.nan, np.inf])
def test_a_number_of_directions_that_is_none_is_refused(rng, keep):
    with pytest.raises(ValueError, match="allowed are whole numbers of directions, 1 or more"):
        svcca(*rng.standard_normal((2, 20, 3)), truncation="directions", keep=keep)


def test_unknown_options_are_refused(rng):
    x, y = rng.standard_normal((2, 20, 3))
    with pytest.raises(ValueError, match='truncation is \'all\'; allowed are "variance", "singul'):
        svcca(x, y, truncation="all")
    with pytest.raises(ValueError, match='weights_from is \'z\'; allowed are "x", "y", "fewer"'):
        pwcca(x, y, weights_from="z")


def test_items_that_are_all_the_same_have_no_correlation(rng):
    same, x = np.full((20, 3), 0.1), rng.standard_normal((20, 4))
    assert canonical_correlations(same, x).shape == (0,)
    assert canonical_variates(x, same).x.shape == (20, 0)
    assert np.isnan(svcca(same, x).similarity) and svcca(same, x).kept[0] == 0
    assert all(np.isnan(pwcca(x, same, by)) for by in ("x", "y", "fewer", "both"))


# Thin SVDs


@drawn
def test_a_thin_svd_makes_the_centred_matrix(pair, seed):
    x, _ = pair
    found = thin_svd(1e-30 * x)
    made = found.left * found.values @ found.right.T
    assert made == pytest.approx(1e-30 * (x - x.mean(axis=0)), abs=1e-42)
    assert found.left.sum(axis=0) == pytest.approx(np.zeros(x.shape[1]), abs=1e-12)


def test_rounding_of_single_precision_counts_as_directions_unless_rcond_leaves_it_out(rng):
    narrow = rng.standard_normal((300, 5), dtype=np.float32)
    x = narrow @ rng.standard_normal((5, 20), dtype=np.float32)  # a layer after one of 5 units
    assert len(thin_svd(x).values) == 20
    assert len(thin_svd(x, rcond=1e-6).values) == 5


@pytest.mark.parametrize("rcond", [-1e-3, 1, np.nan])
def test_an_rcond_that_is_no_share_is_refused(rng, rcond):
    with pytest.raises(ValueError, match=r"rcond is .*; allowed are 0 <= rcond < 1"):
        thin_svd(rng.standard_normal((5, 2)), rcond=rcond)


@pytest.mark.filterwarnings("ignore:x and y have few items")
@drawn
def test_alignment_from_the_product_is_kernel_alignment(pair, seed):
    both = Overlap(*map(thin_svd, pair))
    for debiased in (False, True):
        expected = kernel_alignment(*pair, debiased=debiased)
        assert both.alignment(debiased) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("size", [1e-150, 1e150])
@pytest.mark.parametrize("debiased", [False, True])
def test_alignment_from_the_product_has_no_unit(rng, size, debiased):
    x, y = rng.standard_normal((2, 60, 4)) + rng.standard_normal((60, 4))
    found = Overlap(size * x, y).alignment(debiased)
    assert found == pytest.approx(Overlap(x, y).alignment(debiased), rel=1e-12)


@pytest.mark.parametrize("debiased", [False, True])
def test_alignment_from_the_product_is_undefined_where_kernel_alignment_is(rng, debiased):
    x, same = rng.standard_normal((30, 3)), np.ones((30, 3))
    assert np.isnan(Overlap(x, same).alignment(debiased))
    assert np.isnan(Overlap(same, x).alignment(debiased))


def test_alignment_from_the_product_takes_more_features_than_items(rng):
    x, y = rng.standard_normal((2, 10, 40))
    found = Overlap(x, y).alignment(debiased=True)
    assert found == pytest.approx(kernel_alignment(x, y, debiased=True), abs=1e-12)
    with pytest.raises(ValueError, match="x has 3 items; debiased alignment needs 4 or more"):
        Overlap(x[:3], y[:3]).alignment(debiased=True)


@pytest.mark.parametrize("items", [50, 200])
def test_unrelated_data_have_the_mean_square_that_the_docstring_says(rng, items):
    x, y = rng.standard_normal((items, 10)), rng.standard_normal((400, items, 6))
    found = [np.mean(canonical_correlations(x, other) ** 2) for other in y]
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - 10 / (items - 1)) < 4 * error
