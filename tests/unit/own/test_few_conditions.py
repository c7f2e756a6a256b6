"""Few conditions with many features: a value and the chance level that it has there."""

from itertools import permutations, product

import numpy as np
import pytest

from repatlas.own import compare, measure
from repatlas.own.similarities.alignment import plain_alignment


@pytest.mark.parametrize("items", [3, 5, 7])
def test_chance_is_the_mean_over_all_orders(items):
    x, y = np.random.default_rng(0).standard_normal((2, items, 300))
    [found] = compare(x, y, draws=19).itertuples()
    every = [plain_alignment(x, y[list(order)]) for order in permutations(range(items))]
    assert found.value == pytest.approx(plain_alignment(x, y))
    assert found.chance == pytest.approx(np.mean(every), abs=1e-9)
    assert found.reason == f"no interval: {items} items, 8 needed"
    assert found.how.startswith("plain kernel alignment")


@pytest.mark.slow
@pytest.mark.parametrize(("items", "features"), [(4, 10), (4, 1000), (6, 100)])
def test_of_unrelated_data_the_value_is_chance_on_average_however_many_features(items, features):
    """A cosine of kernels, and so near 1 of many features: only chance says that it means
    nothing."""
    rng = np.random.default_rng(0)
    found = np.array([
        compare(*rng.standard_normal((2, items, features)), draws=0)[["value"]].iloc[0, 0]
        for _ in range(100)
    ])  # fmt: skip
    chance = np.array([
        compare(*rng.standard_normal((2, items, features)), draws=0)[["chance"]].iloc[0, 0]
        for _ in range(100)
    ])  # fmt: skip
    error = np.hypot(found.std(), chance.std()) / 10
    print(f"| {items} | {features} | {found.mean():.3f} | {chance.mean():.3f} |")
    assert found.mean() == pytest.approx(chance.mean(), abs=4 * error)


def test_p_of_few_items_is_that_of_their_orders():
    """Five items have 120 orders."""
    rng = np.random.default_rng(0)
    p = [compare(*rng.standard_normal((2, 5, 40)), draws=59, seed=seed).p[0] for seed in range(150)]
    assert np.mean(np.array(p) <= 0.1) == pytest.approx(0.1, abs=0.1)
    assert np.mean(p) == pytest.approx(0.5, abs=0.1)
    x = rng.standard_normal((5, 40))
    assert compare(x, x, draws=199).p[0] < 0.03


def test_the_means_of_few_conditions_are_aligned_with_their_variables():
    rng = np.random.default_rng(0)
    side, place = np.tile(["left", "right"], 40), np.repeat(["a", "b"], 40)
    rates = 3 * np.outer(side == "right", rng.standard_normal(30)) + rng.standard_normal((80, 30))
    labels = {"side": side, "place": place}
    found = measure(rates, labels, "trials", None, ["alignment"], draws=99).set_index("about")
    assert found.value["side"] > 0.9
    assert found.value["side"] > found.chance["side"] + 0.3
    assert found.value["place"] < found.chance["place"]
    assert found.reason["side"] == "no interval: 4 conditions, 8 needed"
    assert found.p["side"] > 1 / 24  # no fewer than the orders of four conditions allow
    one = measure(rates, {"side": side}, "trials", None, ["alignment"], draws=9)
    assert one.reason[0] == "2 conditions, 3 or more needed"


def test_ccgp_and_parallelism_take_variables_of_three_values():
    rng = np.random.default_rng(0)
    place, side = np.tile(["a", "b", "c"], 40), np.repeat(["left", "right"], 60)
    codes = np.column_stack([place == "b", place == "c", side == "right"])
    rates = 2 * codes @ rng.standard_normal((3, 20)) + rng.standard_normal((120, 20))
    found = measure(
        rates, {"place": place, "side": side}, "trials", None, ["ccgp", "parallelism"], draws=39
    )
    assert (found.value > 0.85).all()
    assert (found.p == 1 / 40).all()


@pytest.mark.parametrize("variables", [2, 3])
@pytest.mark.parametrize("neurons", [10, 60])
def test_a_design_has_as_many_dimensions_as_orthogonal_variables(variables, neurons):
    design = np.array(list(product([0, 1], repeat=variables)))
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        condition = np.repeat(np.arange(len(design)), 12)
        rates = (design @ rng.standard_normal((variables, neurons)))[condition]
        rates += rng.standard_normal(rates.shape)
        [row] = measure(
            rates, design[condition], "trials", measures="dimensionality", draws=1
        ).itertuples()
        assert row.how == "participation ratio of means, conditions all, features sample"
        assert row.value <= len(design) - 1 or np.isnan(row.value)
        found.append(row.value)
    assert np.nanmean(found) == pytest.approx(variables, abs=0.25)


def test_trials_that_code_nothing_have_no_dimensionality_and_say_so():
    rng = np.random.default_rng(0)
    values = []
    for _ in range(40):
        [row] = measure(
            rng.standard_normal((48, 20)), np.arange(48) % 4, "trials", measures="dimensionality"
        ).itertuples()
        values.append(row.value)
        assert np.isfinite(row.value) or "differ by no more than shuffled trials" in row.reason
    assert np.isfinite(values).sum() <= 6
