"""The delete-block jackknife: what it is for a mean, how items are dealt, where it says nothing."""

import numpy as np
import pytest
from scipy import stats
from selections import some

from repatlas.inference.intervals import FEWEST
from repatlas.inference.jackknife import (
    assign_blocks,
    crossed_jackknife_interval,
    jackknife_interval,
)


def test_with_equal_blocks_a_mean_has_the_interval_of_the_blocks_means(rng):
    values = rng.standard_normal(100)
    means = [values[block].mean() for block in assign_blocks(100)]
    found = jackknife_interval(lambda rows: values[rows].mean(), 100)
    expected = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_unequal_blocks_count_by_their_size(rng):
    """103 items: a mean has, of blocks of 5 and 6, the variance that their sizes tell."""
    found = []
    for _ in range(500):
        values = rng.standard_normal(103)
        low, high = jackknife_interval(lambda rows, v=values: v[rows].mean(), 103)[1:]
        found.append(((high - low) / 2 / stats.t.ppf(0.975, 19)) ** 2)
    assert np.mean(found) == pytest.approx(1 / 103, rel=4 * np.std(found) / np.mean(found) / 22)


def test_items_are_dealt_once_to_blocks_of_almost_one_size():
    dealt = assign_blocks(103, seed=1)
    assert len(dealt) == 20
    assert sorted(np.concatenate(dealt)) == list(range(103))
    assert {len(block) for block in dealt} == {5, 6}
    assert all(np.all(np.diff(block) > 0) for block in some(dealt))


def test_blocks_take_the_same_share_of_each_stratum():
    strata = np.repeat(["a", "b", "c"], [40, 60, 21])
    for block in assign_blocks(121, strata=strata):
        counts = [np.count_nonzero(strata[block] == name) for name in "abc"]
        assert counts[0] == 2 and counts[1] == 3 and counts[2] in (1, 2)


def test_rows_of_a_group_are_left_out_together():
    groups = np.tile(np.arange(30), 4)
    dealt = assign_blocks(120, groups=groups)
    assert len(dealt) == 20
    assert sorted(np.concatenate([np.unique(groups[block]) for block in dealt])) == list(range(30))


def test_fewer_than_six_items_features_or_trials_of_a_condition_have_no_interval(rng):
    values, fewer = rng.standard_normal(40), FEWEST - 1
    found = jackknife_interval(lambda rows: values[rows].mean(), fewer)
    assert found == pytest.approx((values[:fewer].mean(), np.nan, np.nan), nan_ok=True)
    found = jackknife_interval(lambda r: values[r].mean(), 40, strata=np.arange(40) % 8)
    assert np.isnan([found.low, found.high]).all()
    found = crossed_jackknife_interval(lambda r, c: values[c].mean() + values[r].mean(), 40, fewer)
    assert np.isnan([found.low, found.high]).all()


def test_a_statistic_that_a_deletion_leaves_undefined_has_no_interval():
    found = jackknife_interval(lambda rows: 1.0 if 3 in rows else np.nan, 40)
    assert found == pytest.approx((1.0, np.nan, np.nan), nan_ok=True)


def test_an_interval_over_items_and_features_adds_their_variances(rng):
    """The mean of row effects and column effects has two variances, which add up."""
    rows, columns = rng.standard_normal(100), 3 * rng.standard_normal(60)
    table = rows[:, None] + columns
    found = crossed_jackknife_interval(lambda r, c: table[np.ix_(r, c)].mean(), 100, 60)
    parts = np.array(
        [
            np.var([values[block].mean() for block in assign_blocks(len(values))], ddof=1) / 20
            for values in (rows, columns)
        ]
    )
    freedom = parts.sum() ** 2 / (parts**2 / 19).sum()
    half = stats.t.ppf(0.975, freedom) * np.sqrt(parts.sum())
    assert found.value == pytest.approx(table.mean())
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"number": 1}, "1 is the number of items, or of groups, .* needs 2 or more"),
        ({"blocks": 1}, "blocks is 1; allowed are whole numbers from 2"),
        ({"blocks": 2.0}, "blocks is 2.0; allowed are whole numbers"),
        ({"strata": [0, 1]}, r"strata has shape \(2,\); allowed is one for each item, 12"),
        ({"groups": [0, 1]}, r"groups has shape \(2,\); allowed is one for each item, 12"),
        ({"strata": [0] * 11 + [1]}, "1 is the number of items, or of groups, or of items of a"),
        ({"strata": [0] * 12, "groups": [0] * 12}, "strata and groups are both given"),
    ],
)
def test_what_cannot_be_dealt_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        assign_blocks(**({"number": 12} | options))
