"""What a config says of a user's own representations, and what is refused in a sentence."""

import csv
from pathlib import Path

import numpy as np
import pytest
from stages import groups_of

from repatlas.config.config import ConfigError, read_config
from repatlas.record import Refused
from repatlas.workflow.plan import Plan


def planned(values):
    return Plan(read_config(values, "mine.yaml"))


def identities(values):
    return {name: result.identity for name, result in planned(values).results.items()}


OF_FIGURES = {f"own/tables/{figure}.parquet" for figure in ("over_layers", "pairs")}
OF_FIGURES |= {"own/report.html"}
OF_FIGURES |= {
    f"own/figures/{figure}.{suffix}"
    for figure in ("over_layers", "pairs")
    for suffix in ("pdf", "png")
}


def test_a_seed_is_a_job_and_pairs_are_a_job_for_each_seed_with_those_before_it(arrays, values):
    plan = planned(values)
    assert [group.label for group in groups_of(plan)] == [f"network-seed-{n}" for n in range(3)]
    pairs = [each for each in plan.results.values() if each.stage == "compare_files"]
    assert [len(each.inputs["data"]) for each in pairs] == [1, 2, 3]


def test_one_more_seed_changes_no_job_of_another(arrays, values):
    before = identities(values)
    Path("acts/3").mkdir()
    for layer in ("conv", "fc"):
        np.save(f"acts/3/{layer}.npy", np.load(f"acts/0/{layer}.npy") + 1)
    after = identities(values)
    assert {name for name in before if before[name] != after[name]} == OF_FIGURES
    assert len(after.keys() - before.keys()) == 3, "data, metrics and pairs"


def test_the_same_numbers_in_another_file_are_the_same_data(arrays, values):
    before = identities(values)
    np.save("acts/1/fc.npy", np.load("acts/1/fc.npy"))
    assert identities(values) == before
    changed = np.load("acts/1/fc.npy")
    changed[3, 2] += 1e-9
    np.save("acts/1/fc.npy", changed)
    after = identities(values)
    changed = {name for name in before if before[name] != after[name]} - OF_FIGURES
    assert {name.rpartition("/")[2].partition(".")[0] for name in changed} == {
        "network-seed-1",
        "network-seed-2",  # whose pairs are with networks before it
    }
    assert "metrics/own/network/network-seed-2.parquet" not in changed


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
        identities(values)


def test_files_are_compared_with_the_config_once_for_each_content(arrays, values, monkeypatch):
    identities(values)
    monkeypatch.setattr("repatlas.experiments.files.prepare.read_table", _no_table)
    identities(values)
    lines(lambda rows: [rows[0], *rows[:0:-1]])
    with pytest.raises(AssertionError, match="read again"):
        identities(values)


def _no_table(*_):
    raise AssertionError("read again")
