"""What a config says of a user's own representations, and what is refused in a sentence."""

import csv
import json
import time
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from asked import config_of

from repatlas.config.config import ConfigError, read_config
from repatlas.experiments.files import content
from repatlas.operations import verify
from repatlas.plan.plan import Plan
from repatlas.record import Refused


def planned(values):
    return Plan(read_config(values, "mine.yaml"))


def test_a_seed_is_a_job_and_pairs_are_a_job_for_each_seed_with_those_before_it(arrays, values):
    plan = planned(values)
    assert [shard.family for shard in plan.shards] == [f"network-seed-{n}" for n in range(3)]
    assert {tile.family.family: len(tile.others) for tile in plan.tiles} == {
        "network-seed-0": 0,
        "network-seed-1": 1,
        "network-seed-2": 2,
    }


def test_one_more_seed_changes_no_job_of_another(arrays, values):
    before = planned(values)
    texts = [before.measure_job(shard).text for shard in before.shards]
    tiles = [before.compare_job(tile).text for tile in before.tiles]
    Path("acts/3").mkdir()
    for layer in ("conv", "fc"):
        np.save(f"acts/3/{layer}.npy", np.load(f"acts/0/{layer}.npy") + 1)
    after = planned(values)
    assert [after.measure_job(shard).text for shard in after.shards][:3] == texts
    assert [after.compare_job(tile).text for tile in after.tiles][:3] == tiles
    assert len(after.shards) == len(after.tiles) == 4


def test_a_comparison_of_many_families_is_cut_into_jobs_of_minutes(arrays, values, monkeypatch):
    whole = planned(values)
    assert [len(tile.others) for tile in whole.tiles] == [0, 1, 2]
    # No pair at all is cheap enough: each job has one other family.
    monkeypatch.setattr("repatlas.plan.tiles.MOST_SECONDS", 0.0)
    cut = planned(values)
    assert [(t.place["tile"], len(t.others)) for t in cut.tiles] == [
        ("network-seed-0", 0),
        ("network-seed-1", 1),
        ("network-seed-2", 1),
        ("network-seed-2--2", 1),
    ]
    assert [cut.compare_job(tile).itself for tile in cut.tiles] == [True, True, True, False]
    assert pairs_of(cut) == pairs_of(whole)


def pairs_of(plan):
    """Return the pairs that the jobs compare, by key, with the number of times that each
    occurs."""
    found = Counter()
    for tile in plan.tiles:
        job = plan.compare_job(tile)
        own, *others = [[spec.key for spec in specs] for specs in job.specs()]
        found.update(frozenset(pair) for pair in combinations(own, 2) if job.itself)
        found.update(frozenset((a, b)) for a in own for specs in others for b in specs)
    return found


def test_the_same_numbers_in_another_file_are_the_same_data(arrays, values):
    before = [job.text for job in planned(values).data.values()]
    np.save("acts/1/fc.npy", np.load("acts/1/fc.npy"))
    assert [job.text for job in planned(values).data.values()] == before
    changed = np.load("acts/1/fc.npy")
    changed[3, 2] += 1e-9
    np.save("acts/1/fc.npy", changed)
    after = [job.text for job in planned(values).data.values()]
    assert [a == b for a, b in zip(after, before, strict=True)] == [True, False, True]


def test_layers_are_in_the_order_that_the_config_gives(arrays, values):
    values["representations"]["network"]["order"] = {"layer": ["fc", "conv"]}
    [sweep] = read_config(values).studies["own"].sweeps["network"]
    assert [spec.columns["layer"] for spec in sweep.specs()][:2] == ["fc", "conv"]
    del values["representations"]["network"]["order"]
    [usual] = read_config(values).studies["own"].sweeps["network"]
    assert {spec.key for spec in usual.specs()} == {spec.key for spec in sweep.specs()}


def network(**changes):
    def edit(values):
        chosen = values["representations"]["network"]
        for key, value in changes.items():
            chosen.pop(key) if value is None else chosen.update({key: value})

    return edit


def study(**changes):
    return lambda values: values.update(changes)


def beside_others(names, **changes):
    """Compare the network with arrays; the function writes a table with other names of the
    items."""

    def edit(values):
        lines = Path("items.csv").read_text().splitlines()
        renamed = [lines[0], *(line.replace("i", names, 1) for line in lines[1:])]
        Path("others.csv").write_text("\n".join(renamed) + "\n")
        brain = values["representations"]["network"] | {"rows": "others.csv"} | changes
        values["representations"]["brain"] = brain
        values["compare"] = [{"between": ["network", "brain"], "measures": ["alignment"]}]
        del values["figures"]

    return edit


REFUSED = {
    "sets without a common item": (
        beside_others("image"),
        "compare: network (items.csv) and brain (others.csv) have no item in common:"
        " found 'i0', 'i1', 'i2' and 21 more and 'image0', 'image1', 'image2' and 21 more",
    ),
    "sets that cannot be joined": (
        beside_others("i", item=None),
        "compare: network and brain have rows that cannot be matched; set item (the column with"
        " the names of items) for both, or use one table of rows",
    ),
    "a path without braces that match": (
        network(arrays="acts/{seed}/{layer}.npz"),
        "representations.network: arrays: no array matches 'acts/{seed}/{layer}.npz'",
    ),
    "a brace that is a column of all results": (
        network(arrays="acts/{value}/{layer}.npy", unit=None),
        "arrays: found {value}, a column of all results",
    ),
    "a unit that is no brace": (network(unit="epoch"), "unit: found 'epoch', allowed: seed, layer"),
    "an order that lacks a layer": (
        network(order={"layer": ["fc"]}),
        "order.layer: lacks 'conv'",
    ),
    "an order of no brace": (network(order={"epoch": [1]}), "order: found 'epoch', allowed: seed"),
    "an unknown measure": (study(measures=["cka"]), "measures[0]: found 'cka', allowed"),
    "a measure of variables without them": (
        network(variables=None),
        "measure 'alignment' needs variables",
    ),
    "an unknown similarity": (
        lambda values: values["compare"][0].update(measures=["cosine"]),
        "compare[0].measures[0]: found 'cosine', allowed",
    ),
    "a comparison with an unknown set": (
        study(compare=[{"between": ["network", "brain"], "measures": ["alignment"]}]),
        "compare: found 'brain' in between, allowed: network",
    ),
    "a comparison twice": (
        lambda values: values["compare"].append(values["compare"][0]),
        "compare: found network and network twice, allowed: once, with all measures",
    ),
    "a comparison of three": (
        lambda values: values["compare"][0].update(between=["network"] * 3),
        "between",
    ),
    "a figure of an unknown set": (
        study(figures={"over_layers": {"of": ["brain"]}}),
        "figures.over_layers.of: found 'brain', allowed: network",
    ),
    "a figure of an unknown comparison": (
        study(figures={"pairs": {"of": "network-brain"}}),
        "figures.pairs.of: found 'network-brain', allowed: network-network",
    ),
    "layers of arrays without layers": (
        network(arrays="acts/{seed}/{part}.npy"),
        "found arrays of 'network' without {layer}",
    ),
    "settings where there are none": (
        study(figures={"over_settings": {"of": ["network"]}}),
        "found arrays of 'network' that differ in layer and unit alone",
    ),
    "nulls without a measure that has them": (
        study(measures=["dimensionality"], figures={"nulls": {"of": ["network"]}}),
        "found representations 'network' without alignment and ccgp",
    ),
    "points without coordinates": (
        study(figures={"geometry": {"of": ["network"]}}),
        "found representations 'network' without geometry",
    ),
    "too few draws of nulls": (network(null_draws=5), "null_draws: found 5, allowed: at least 19"),
    "neither arrays nor a model": (network(arrays=None), "found both or neither"),
    "a model that is not recorded": (
        network(arrays=None, unit=None, model="my_models:build", layers=["fc"]),
        "model: found no module 'my_models'; is it here, or on PYTHONPATH?",
    ),
    "a figure of another study": (
        study(figures={"fig01": {}}),
        "found 'fig01', allowed: geometry, nulls, over_layers, over_settings, over_time, pairs",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_in_a_sentence_that_names_the_key(arrays, values, name):
    edit, sentence = REFUSED[name]
    edit(values)
    with pytest.raises(ConfigError) as refused:
        read_config(values, "mine.yaml")
    assert sentence in str(refused.value)
    assert str(refused.value).startswith("mine.yaml: ")


def test_sets_with_some_items_in_common_are_planned(arrays, values):
    beside_others("i")(values)
    planned(values)
    network(item=None)(values)
    values["representations"]["brain"].update(item=None, rows="items.csv")
    planned(values)


def test_a_model_whose_layers_are_not_recorded_says_the_command(arrays, values):
    Path("my_models.py").write_text("def build(): ...\n")
    network(arrays=None, unit=None, rows=None, item=None, variables=None)(values)
    network(model="my_models:build", layers=["fc"], measures=["dimensionality"])(values)
    del values["compare"], values["figures"]
    with pytest.raises(ConfigError, match=r"first run: python -m repatlas record CONFIG"):
        read_config(values, "mine.yaml")


def lines(change):
    """Write the table of rows again, with its lines changed."""
    with open("items.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    with open("items.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(change(rows))


def misspelt(network):
    network["variables"] = {"sidde": None}


def with_other_values(network):
    network["variables"]["side"] = ["left", "up"]


def empty_cell(network):
    lines(lambda rows: [*rows[:3], [rows[3][0], "", rows[3][2]], *rows[4:]])


def one_line_less(network):
    lines(lambda rows: rows[:-1])


def repeated_item(network):
    lines(lambda rows: [*rows[:-1], rows[1]])


def maps(network):
    np.save("acts/1/fc.npy", np.zeros((24, 2, 2, 2)))


def single_value(network):
    network["variables"] = {"item": None, "colour": None}
    lines(lambda rows: [rows[0], *([item, side, "red"] for item, side, _ in rows[1:])])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (misspelt, r"items.csv: has no column 'sidde' \(variables\), found: item, side, colour"),
        (with_other_values, r"variables.side: found no row with 'up' in items.csv"),
        (empty_cell, "items.csv: column 'side' is empty in 1 rows"),
        (one_line_less, "acts/0/conv.npy: has 24 rows and items.csv has 23"),
        (repeated_item, r"items.csv: 1 items are repeated \('i0'\)"),
        (maps, r"acts/1/fc.npy: has 4 axes, \(24, 2, 2, 2\)"),
        (single_value, "variables.colour: found the single value 'red'"),
    ],
)
def test_files_that_do_not_fit_the_config_are_refused_before_any_job(
    arrays, values, change, sentence
):
    change(values["representations"]["network"])
    with pytest.raises(Refused, match=sentence):
        _ = planned(values).data


def test_files_are_compared_with_the_config_once_for_each_content(arrays, values, monkeypatch):
    _ = planned(values).data
    monkeypatch.setattr("repatlas.experiments.files.prepare.read_table", _no_table)
    _ = planned(values).data
    lines(lambda rows: [rows[0], *rows[:0:-1]])
    with pytest.raises(AssertionError, match="read again"):
        _ = planned(values).data


def _no_table(*_):
    raise AssertionError("read again")


def test_verify_reads_all_numbers_again_whatever_is_remembered_of_them(arrays, values, monkeypatch):
    now = time.time
    monkeypatch.setattr(content.time, "time", lambda: now() + 60)
    true = [job.text for job in Plan(read_config(values)).data.values()]
    path = Path("results/data/files/.digests.json")
    known = json.loads(path.read_text())
    path.write_text(json.dumps({name: [state, "0" * 32] for name, (state, _) in known.items()}))
    assert [job.text for job in Plan(read_config(values)).data.values()] != true
    with pytest.raises(SystemExit):
        verify.main([config_of(values)])
    assert [job.text for job in Plan(read_config(values)).data.values()] == true
