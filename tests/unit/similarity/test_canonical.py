"""Canonical correlations, SVCCA and PWCCA: what changes them, and what does not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group

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
    return settings(max_examples=20, deadline=None)(given(pairs, seeds)(test))


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


@pytest.mark.parametrize("keep", [0.07, 0.28, 0.55, 0.56, 0.99])
def test_rounding_does_not_decide_how_many_equal_directions_are_kept(rng, keep):
    """The number kept of 100 is the percentage, though 0.55 * 100 is rounded to above 55."""
    white = np.linalg.svd(rng.standard_normal((250, 100)), full_matrices=False)[0]
    equal = ThinSVD(left=white, values=np.ones(100), right=np.eye(100))
    assert svcca(equal, equal, keep=keep).kept == 2 * (round(100 * keep),)


@drawn
def test_pwcca_by_fewer_takes_the_smaller_rank_and_x_of_equal_ones(pair, seed):
    x, y = pair
    expected = "x" if x.shape[1] <= y.shape[1] else "y"
    assert pwcca(with_sums(with_sums(x)), y) == pwcca(with_sums(with_sums(x)), y, expected)


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


def test_a_layer_after_one_of_five_units_has_five_directions_in_single_precision(rng):
    narrow = rng.standard_normal((300, 5), dtype=np.float32)
    x = narrow @ rng.standard_normal((5, 20), dtype=np.float32)
    assert len(thin_svd(x).values) == 5
    assert len(thin_svd(x, rcond=1e-12).values) == 20


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


@drawn
def test_affine_maps_of_either_side_do_not_change_them(pair, seed):
    x, y = pair
    (a, shift_a), (b, shift_b) = affine(x.shape[1], seed), affine(y.shape[1], seed)
    mapped = canonical_correlations(x @ a + shift_a, y @ b + shift_b)
    assert mapped == pytest.approx(canonical_correlations(x, y), abs=1e-9)
