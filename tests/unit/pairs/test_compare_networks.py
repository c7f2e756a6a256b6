"""Comparing the networks of a cohort: which pairs, what is kept, and the same bits whatever was
there before."""

import json

import numpy as np
import pandas as pd
import pytest
from selections import some
from stages import make, path_of

from repatlas.artifacts import layout
from repatlas.artifacts.files import NETWORK_PAIRS_SCHEMA, read_table
from repatlas.config.config import read_config
from repatlas.operations.costs import cost
from repatlas.operations.expected import expected_files
from repatlas.operations.freshness import job_of, state
from repatlas.pairs.seen import Seen
from repatlas.plan.plan import Plan
from repatlas.record import Refused
from repatlas.similarity import canonical_correlations, matching, noise_floor, thin_svd
from repatlas.stages import compare_networks


@pytest.fixture(autouse=True)
def in_a_folder(shown, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def planned(values):
    return Plan(read_config(values))


def made(values):
    """Return the path of the pairs of the only cohort, after its networks were trained."""
    plan = planned(values)
    [tile] = plan.tiles
    return make(plan, path_of(plan, layout.PAIRS, tile))


def rows_of(path):
    return read_table(path, "pairs", NETWORK_PAIRS_SCHEMA)[1].to_pandas()


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
    plan = planned(values)
    [tile] = plan.tiles
    [spec, _] = plan.compare_job(tile).parsed()
    layers = {}
    for shard in tile.shards[:2]:
        from repatlas.artifacts.files import Arrays
        from repatlas.artifacts.runs import Parameters, run_arrays

        file = Arrays(path_of(plan, layout.RUNS, shard), "runs")
        parameters = Parameters(file, spec.key, run_arrays(file, spec.key), 2)
        layers[shard.seed] = shown(None, shard.seed).layers(spec, parameters, "train")[1].rows
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


def test_the_same_bits_whichever_pairs_are_there(values, tmp_path, monkeypatch):
    made(with_seeds(values, 2))
    step_by_step = rows_of(made(with_seeds(values, 4)))
    (tmp_path / "at_once").mkdir()
    monkeypatch.chdir(tmp_path / "at_once")
    pd.testing.assert_frame_equal(rows_of(made(values)), step_by_step, check_exact=True)


def test_another_measure_step_or_set_of_items_is_added_to_what_there_is(values, count_rows):
    made(values)
    count_rows.clear()
    the_comparison(values, similarities=["cca", "matching", "svcca"])
    made(values)
    assert {group[-1] for group in count_rows} == {"svcca"}
    count_rows.clear()
    made(the_comparison(values, steps=[0, 2, 4]))
    assert {group[2] for group in count_rows} == {2}
    count_rows.clear()
    made(the_comparison(values, items=["train", "test"]))
    assert {group[3] for group in count_rows} == {"test"}
    count_rows.clear()
    made(the_comparison(values, svcca_k=[2, 3]))
    assert {group[-1] for group in count_rows} == {"svcca"}
    count_rows.clear()
    rows = rows_of(made(values))
    assert not count_rows
    assert {"variance", "k = 2", "k = 3"} <= set(rows.query("measure == 'svcca'")["variant"])


def test_a_network_that_was_trained_anew_is_compared_anew(values, count_rows):
    path = made(values)
    header, table = read_table(path, "pairs", NETWORK_PAIRS_SCHEMA)
    [name] = [each for each in header["basis"]["networks"] if each.endswith("/2")]
    header["basis"]["networks"][name]["basis"] = {"code": "other"}
    from repatlas.artifacts.files import write_table

    other = path.resolve().with_stem("0" * 16)
    path.resolve().unlink()
    write_table(other, "pairs", {k: header[k] for k in ("job", "identity", "basis")}, table)
    count_rows.clear()
    made(values)
    assert {group[:2] for group in count_rows} == {(0, 2), (1, 2), (2, 3)}


def test_a_layer_is_decomposed_once_for_all_its_pairs(values, monkeypatch):
    decomposed = []
    monkeypatch.setattr(
        "repatlas.pairs.seen.thin_svd", lambda x: decomposed.append(x.shape) or thin_svd(x)
    )
    made(the_comparison(values, similarities=["cca"]))
    assert len(decomposed) == 4 * 2 * 2  # networks, layers, steps; none for the floor


def test_two_sweeps_are_compared_both_ways_round_or_by_seed(values):
    the_comparison(values, between=["relu", "tanh"], similarities=["cca"])
    rows = rows_of(made(with_seeds(values, 3)))
    assert pairs_of(rows) == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    assert set(rows["a_run"]) != set(rows["b_run"])
    rows = rows_of(made(the_comparison(values, pairs="same_seed")))
    assert pairs_of(rows) == [(0, 0), (1, 1), (2, 2)]
    assert pairs_of(rows[rows["variant"].str.endswith(" floor")]) == pairs_of(rows)


def test_measures_with_predictions_and_the_rest_of_the_network(values):
    the_comparison(values, pairs="cyclic", items=["train", "test"], steps=[4])
    the_comparison(values, similarities=["cca", "directions", "sparse_prediction"])
    rows = rows_of(made(with_seeds(values, 2)))
    assert set(rows.query("by == 'directions'")["items"]) == {"train"}
    whole = rows.query("measure == 'accuracy' and variant == 'whole' and a_layer == 1")
    all_of_them = rows.query("variant == 'principal' and at == 8 and a_layer == 1")
    if len(all_of_them):
        assert all_of_them["value"].tolist() == whole["value"].tolist()
    losses = rows.query("measure == 'held_out_loss' and at == 1.0")
    assert set(losses["variant"]) >= {"a to b", "b to a"}
    assert set(rows.query("by == 'cca'")["items"]) == {"train", "test"}


def test_a_diverged_network_has_rows_that_say_so(values, monkeypatch):
    about = compare_networks.Run.about.fget
    monkeypatch.setattr(
        compare_networks.Run,
        "about",
        property(lambda run: about(run) | ({"diverged_step": 3} if run.seed == 1 else {})),
    )
    rows = rows_of(made(with_seeds(values, 3)))
    lost = rows[rows["variant"] == "diverged"]
    assert set(zip(lost["a_seed"], lost["b_seed"], lost["a_step"], strict=True)) == {
        *((0, 1, 4), (1, 2, 4)),
    }
    assert some(lost["value"].isna()).all()
    assert set(lost["reason"]) == {"the network of seed 1 had diverged at step 3"}
    assert set(lost["by"]) == {"cca", "matching"}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"items": ["samples"]}, "compare: relu: found items 'samples', allowed: train, test"),
        ({"layers": [1, 4]}, "compare: relu: found layer 4, allowed: 1, 2, 3"),
    ],
)
def test_items_and_layers_that_there_are_not_are_refused(values, changes, sentence):
    with pytest.raises(Refused, match=sentence):
        made(the_comparison(values, **changes))


def test_a_cohort_rests_on_the_runs_of_all_its_seeds_and_is_fresh_once_made(values):
    path = made(values)
    files = expected_files(planned(values))
    wanted = files[path]
    assert wanted.stage == "compare_networks"
    assert sum("runs" in source.parts for source in wanted.inputs) == 4
    assert state(wanted) == ("fresh", "")
    assert job_of(wanted).text == wanted.job
    other = expected_files(planned(the_comparison(values, similarities=["cca"])))[path]
    said, reason = state(other)
    assert said == "missing"
    assert "no more similarities=matching" in reason


def test_what_a_cohort_asks_of_a_cluster_grows_with_its_pairs(values):
    few, many = (planned(with_seeds(values, number)) for number in (2, 4))
    jobs = [plan.compare_job(plan.tiles[0]) for plan in (few, many)]
    assert cost(jobs[0]).work < cost(jobs[1]).work


def test_the_code_of_a_cohort_is_its_similarities_and_not_its_figures(values):
    plan = planned(values)
    modules = plan.compare_job(plan.tiles[0]).modules()
    measures = {"pairs.similarities.cca", "pairs.similarities.matching"}
    assert {*measures, "stages.compare_networks"} <= set(modules)
    assert "experiments.clusters.compared" in modules
    assert not any("represent" in module or "files" in module for module in modules)
    assert json.loads(plan.compare_job(plan.tiles[0]).text)["specs"][0]["network"]["width"] == 8


def test_noise_floor_of_the_library_and_of_a_row_agree(values):
    """The library and the row draw orders in different ways, so they agree within their spread."""
    from repatlas.pairs.floor import floor
    from repatlas.pairs.seen import Settings
    from repatlas.pairs.similarities import cca

    rng, pairs = np.random.default_rng(0), 40
    means, sds = [], []
    for seed in range(pairs):
        x, y = rng.standard_normal((2, 100, 10))
        [row] = [
            row
            for row in floor(cca, Seen(x), Seen(y), Settings(), seed=seed)
            if row.variant == "mean floor"
        ]
        other = noise_floor(
            lambda a, b: float(canonical_correlations(a, b).mean()), x, y, seed=pairs + seed
        )
        means.append((row.value, other.mean))
        sds.append((row.sd, other.sd))
    sd = np.sqrt(np.mean(np.square(sds), axis=0))
    # Each mean has 20 draws of each pair. The error of a mean is sd / sqrt(20 pairs), and the
    # error of a pooled sd is sd / sqrt(2 * 19 pairs). Both sides have an error.
    error = np.linalg.norm(sd) / np.sqrt(20 * pairs)
    assert np.mean(means, axis=0)[0] == pytest.approx(np.mean(means, axis=0)[1], abs=4 * error)
    assert sd[0] == pytest.approx(sd[1], rel=4 * np.sqrt(2 / (2 * 19 * pairs)))
