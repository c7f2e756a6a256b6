"""From rows of pairs, as they are stored, to one value for each seed."""

import numpy as np
import pandas as pd
import pytest
from selections import some

from repatlas.inference.intervals import median_interval
from repatlas.inference.pseudovalues import pseudo_values
from repatlas.inference.seeds_of_pairs import values_of_seeds
from repatlas.pairs.seed_pairs import seed_pairs


def rows(s, how="all", two=False, **about):
    pairs = seed_pairs(how, len(s), two)
    columns = ["a_seed", "b_seed", "value"]
    return pd.DataFrame([(i, j, s[i, j]) for i, j in pairs], columns=columns).assign(**about)


def symmetric(number, seed=0):
    s = np.random.default_rng(seed).standard_normal((number, number))
    return (s + s.T) / 2


def test_all_pairs_of_one_group_have_the_pseudo_values_of_their_table():
    s = symmetric(6)
    found = values_of_seeds(rows(s, layer=1), ["layer"])
    assert found["seed"].tolist() == [0, 1, 2, 3, 4, 5]
    assert found["value"].to_numpy() == pytest.approx(pseudo_values(s), abs=1e-12)


def test_disjoint_pairs_are_independent_as_they_are():
    s = symmetric(6)
    found = values_of_seeds(rows(s, "disjoint", layer=1), ["layer"])
    assert found["seed"].tolist() == [0, 2, 4]
    assert found["value"].tolist() == [s[0, 1], s[2, 3], s[4, 5]]


def test_each_combination_of_columns_has_its_own_and_null_is_a_value_of_a_column():
    one, other = symmetric(4, 1), symmetric(4, 2)
    both = pd.concat([rows(one, layer=1, unit=np.nan), rows(other, layer=2, unit=3.0)])
    found = values_of_seeds(both, ["layer", "unit"])
    assert list(found.columns) == ["layer", "unit", "seed", "value"]
    assert found.query("layer == 2")["value"].to_numpy() == pytest.approx(pseudo_values(other))
    assert some(found.query("layer == 1")["unit"].isna()).all()


def test_a_diverged_network_has_none_and_the_others_are_as_without_it():
    s = symmetric(6)
    s[2] = s[:, 2] = np.nan
    found = values_of_seeds(rows(s), [])
    rest = np.delete(np.delete(s, 2, 0), 2, 1)
    assert found["value"].isna().tolist() == [False, False, True, False, False, False]
    assert found["value"].dropna().to_numpy() == pytest.approx(pseudo_values(rest), abs=1e-12)


def test_rows_that_by_does_not_tell_apart_are_refused():
    with pytest.raises(ValueError, match="seeds 0 and 1 twice"):
        values_of_seeds(pd.concat([rows(symmetric(4)), rows(symmetric(4))]), [])


@pytest.mark.parametrize("how", ["cyclic"])
def test_pairs_that_are_neither_all_nor_disjoint_are_refused(how):
    with pytest.raises(ValueError, match="pairs lacks the seeds 0 and 2"):
        values_of_seeds(rows(symmetric(5), how), [])


@pytest.mark.slow
@pytest.mark.parametrize("two", [False, True])
def test_95_percent_means_95_percent_through_rows(two):
    """Networks (of one group, or of two with the same seeds) and pairs have additive effects of
    the same size. Coverage is within three standard errors of 600 tables. Intervals of medians are
    exact or wider."""
    rng, tables, number, held = np.random.default_rng(0), 600, 10, 0
    for _ in range(tables):
        a, b = rng.standard_normal((2, number))
        s = a[:, None] + (b if two else a) + rng.standard_normal((number, number))
        values = values_of_seeds(rows(s, two=two), [])["value"].to_numpy()
        _, low, high = median_interval(values)
        held += low <= 0 <= high
    assert held / tables > 0.95 - 3 * np.sqrt(0.05 * 0.95 / tables)
