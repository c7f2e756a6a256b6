"""Comparing the networks of a cohort: which pairs, what is kept, and the same bits whatever was
there before."""

import pandas as pd
import pytest
from selections import some
from stages import make, make_runs
from stages import rows_of as rows_in

from repatlas.artifacts.files import NETWORK_PAIRS_SCHEMA
from repatlas.config.config import read_config
from repatlas.experiments.clusters.spec import Spec
from repatlas.similarity import canonical_correlations, matching, thin_svd
from repatlas.workflow.plan import Plan
from repatlas.workflow.stages import compare_networks


@pytest.fixture(autouse=True)
def in_a_folder(shown, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def planned(values):
    return Plan(read_config(values))


def made(values):
    """Return the path of the pairs of the only cohort, after its networks were trained."""
    plan = planned(values)
    return make(plan, *pairs_in(plan).names)


def pairs_in(plan):
    (pairs,) = [result for result in plan.results.values() if result.stage == "compare_networks"]
    return pairs


def rows_of(path):
    rows = rows_in(path, "pairs")
    return rows.reindex(columns=NETWORK_PAIRS_SCHEMA.names)


def pairs_of(rows):
    return sorted(set(zip(rows["a_seed"], rows["b_seed"], strict=True)))


def with_seeds(values, number):
    for sweep in values["sweeps"].values():
        sweep["seeds"] = number
    return values


def the_comparison(values, **changes):
    values["compare"][0] |= changes
    return values


def test_each_pair_of_different_seeds_is_compared_once_in_each_layer_and_step(values):
    rows = rows_of(made(values))
    assert pairs_of(rows) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert sorted(set(zip(rows["a_step"], rows["a_layer"], strict=True))) == [
        *((0, 1), (0, 2), (4, 1), (4, 2)),
    ]
    assert some(rows["a_layer"] == rows["b_layer"]).all()
    assert set(rows["a_name"]) == {"hidden1", "hidden2"}


def test_a_row_is_what_the_similarity_says_of_both_layers(values, shown):
    rows = rows_of(made(values))
    plan, layers = planned(values), {}
    for (_, seed), run in make_runs(plan, "structure/relu/seeds-0").items():
        parameters = {name: each[2] for name, each in run.parameters.items()}
        spec = Spec.model_validate(run.about["spec"])
        layers[seed] = shown(None, seed).layers(spec, parameters, "train")[1].rows
    of_pair = rows.query("a_seed == 0 and b_seed == 1 and a_step == 4 and a_layer == 2")
    x, y = layers[0], layers[1]
    [cca] = of_pair.query("measure == 'cca' and variant == 'mean'").to_dict("records")
    assert cca["value"] == pytest.approx(canonical_correlations(x, y).mean(), abs=1e-12)
    assert (cca["m"], cca["h_a"], cca["h_b"]) == (60, 8, 8)
    assert cca["rank_a"] == cca["kept_a"] == len(thin_svd(x).values)
    assert cca["similarity"]
    [matched] = of_pair.query("measure == 'matching' and variant == 'signed'")["value"]
    assert matched == pytest.approx(matching(x, y).correlations.mean(), abs=1e-12)


def test_the_floor_is_that_of_permuted_items_and_stands_beside_disjoint_pairs(values):
    rows = rows_of(made(values))
    floors = rows[rows["variant"].str.endswith(" floor")]
    assert pairs_of(floors) == [(0, 1), (2, 3)]
    assert some(floors["sd"].notna()).all()
    of_floor = floors.query("measure == 'matching' and variant == 'signed floor'")
    of_pairs = rows.query("measure == 'matching' and variant == 'signed'")
    assert of_floor["value"].mean() < of_pairs["value"].mean()


def test_more_seeds_add_their_pairs_alone_and_change_no_bit_of_the_others(values, count_rows):
    first = rows_of(made(with_seeds(values, 2)))
    count_rows.clear()
    added = rows_of(made(with_seeds(values, 4)))
    assert {group[:2] for group in count_rows} == {(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}
    kept = added.query("a_seed == 0 and b_seed == 1").reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, first, check_exact=True)


def test_another_measure_step_or_set_of_items_is_added_to_what_there_is(values, count_rows):
    made(values)
    count_rows.clear()
    the_comparison(values, similarities=["cca", "matching", "svcca"])
    made(values)
    assert {group[-1] for group in count_rows} == {"svcca"}
    count_rows.clear()
    made(the_comparison(values, steps=[0, 2, 4]))
    assert {step for *_, step, _, _ in count_rows} == {2}
    count_rows.clear()
    made(the_comparison(values, items=["train", "test"]))
    assert {items for *_, items, _ in count_rows} == {"test"}
    count_rows.clear()
    made(the_comparison(values, svcca_k=[2, 3]))
    assert {group[-1] for group in count_rows} == {"svcca"}
    count_rows.clear()
    rows = rows_of(made(values))
    assert not count_rows
    assert {"variance", "k = 2", "k = 3"} <= set(rows.query("measure == 'svcca'")["variant"])


def test_two_sweeps_are_compared_both_ways_round_or_by_seed(values):
    the_comparison(values, between=["relu", "tanh"], similarities=["cca"])
    rows = rows_of(made(with_seeds(values, 3)))
    assert pairs_of(rows) == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    assert set(rows["a_run"]) != set(rows["b_run"])
    rows = rows_of(made(the_comparison(values, pairs="same_seed")))
    assert pairs_of(rows) == [(0, 0), (1, 1), (2, 2)]
    assert pairs_of(rows[rows["variant"].str.endswith(" floor")]) == pairs_of(rows)


def test_a_diverged_network_has_rows_that_say_so(values, monkeypatch):
    at = compare_networks._Comparing._at

    def diverging(comparing, side, step):
        if side[1] == 1:
            comparing.networks[side].about["diverged_step"] = 3
        return at(comparing, side, step)

    monkeypatch.setattr(compare_networks._Comparing, "_at", diverging)
    rows = rows_of(made(with_seeds(values, 3)))
    lost = rows[rows["variant"] == "diverged"]
    assert set(zip(lost["a_seed"], lost["b_seed"], lost["a_step"], strict=True)) == {
        *((0, 1, 4), (1, 2, 4)),
    }
    assert some(lost["value"].isna()).all()
    assert set(lost["reason"]) == {"the network of seed 1 had diverged at step 3"}
    assert set(lost["by"]) == {"cca", "matching"}
