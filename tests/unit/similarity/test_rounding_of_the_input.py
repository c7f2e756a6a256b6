"""What counts as equal, and as a direction, follows from the type in which values come."""

import numpy as np
import pytest
import torch
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

from repatlas.own import compare
from repatlas.similarity import Neighbours, thin_svd

TYPES = ["float64", "float32", "float16", "bfloat16"]


def in_type(x, name):
    return torch.as_tensor(np.asarray(x)).to(getattr(torch, name))


@pytest.mark.parametrize("name", TYPES)
def test_equal_dissimilarities_of_a_rating_share_a_rank_in_any_type_and_order_of_rows(name):
    rng = np.random.default_rng(0)
    rating, order = rng.integers(0, 5, (30, 1)), rng.permutation(30)
    rates = rating @ rng.integers(-3, 4, (1, 12)) + rng.integers(-8, 9, (30, 12))
    expected = spearmanr(pdist(rates), pdist(rating)).statistic
    model = in_type(0.1 * rating, name)  # 0.1 has no exact form in any of them
    for rows in (np.arange(30), order):
        found = compare(rates[rows], model[rows], "rsa", draws=0).value[0]
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", TYPES)
def test_features_that_add_up_to_0_have_one_direction_less_in_any_type(name):
    volts = np.random.default_rng(0).standard_normal((300, 8))
    volts -= volts.mean(axis=1, keepdims=True)
    assert thin_svd(in_type(volts, name)).left.shape[1] == 7


@pytest.mark.parametrize("name", TYPES)
def test_items_at_equal_steps_have_equally_near_neighbours_in_any_type(name):
    steps = np.arange(20)[:, None]
    found = Neighbours(in_type(0.1 * steps, name), neighbours=1).weights.toarray()
    assert found[1:-1].max() == 0.5
