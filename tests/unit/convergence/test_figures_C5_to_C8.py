"""The sweeps and comparisons of Figures C5 to C8 in config/convergence.yaml."""

from pathlib import Path

import pytest
import yaml

from repatlas.claims.ledger import read_ledger
from repatlas.claims.settings import grids_of, other_settings
from repatlas.config.config import ConfigError, read_config
from repatlas.plan.plan import Plan

CONFIG = Path(__file__).parents[3] / "config/convergence.yaml"
FIGURES = ("figC5", "figC6", "figC7", "figC8")


@pytest.fixture
def values():
    return yaml.safe_load(CONFIG.read_text())


def test_every_claim_is_about_networks_that_its_figure_draws(values):
    plan = Plan(read_config(values))
    ledger = read_ledger("convergence")
    jobs = {f.name: plan.tabulate_job(f).model_dump(mode="json") for f in plan.figures}
    for claim in ledger.claims:
        if claim.figure in FIGURES:
            wanted = [ledger.settings[name] for name in claim.settings]
            assert other_settings(wanted, grids_of(jobs[claim.figure])) == [], claim.id


def test_a_preview_compares_networks_of_two_seeds_and_two_widths(values):
    plan = Plan(read_config(values | {"preview": True}))
    tiles = {f.name: plan.tiles_of(f) for f in plan.figures}
    assert len(tiles["figC7"]) == 3
    assert len(tiles["figC8"]) == 2  # ReLU alone
    assert {plan.compare_job(tile).seeds for tile in tiles["figC8"]} == {2}


def test_memorising_networks_are_those_that_generalise_but_for_their_labels(values):
    values["sweeps"]["memorising"]["task"]["images"] = 500
    with pytest.raises(ConfigError, match=r"found task.images 500, allowed: as in figures.figC7"):
        read_config(values)


def test_distances_that_a_figure_draws_are_measured(values):
    [widths] = [each for each in values["compare"] if each["between"] == ["widths"]]
    widths["similarities"] = ["together"]
    with pytest.raises(ConfigError, match=r"figC8.*lacks 'subsets'"):
        read_config(values)


CLOTHES = {"data_set": "fashion_mnist", "steps": [0, 4680]}
CLOTHES |= {"network": {"kind": "mlp", "activation": "relu", "width": 32, "depth": 4}}
CLOTHES |= {"more_measures": {4680: ["class_correlations"]}}


def test_classes_of_two_data_sets_are_shown_beside_each_other(values):
    values["sweeps"]["clothes"] = values["sweeps"]["narrow"] | CLOTHES
    values["image_sets"] = {"fashion_mnist": {"folder": "data/fashion-mnist"}}
    values["figures"]["figC6"] = {"narrow": ["narrow", "clothes"]}
    figures = {f.name: f for f in Plan(read_config(values)).figures}
    assert "figC6" in figures


def test_classes_of_two_kinds_of_networks_are_not_pooled(values):
    values["sweeps"]["narrow"]["network"]["width"] = [16, 32]
    with pytest.raises(ConfigError, match="found 2 kinds of networks on digits, allowed: one"):
        read_config(values)


@pytest.mark.parametrize("sweeps", ["unfrozen", "frozen", "generalising memorising", "corrupted"])
def test_medians_are_not_over_networks_of_two_activations(values, sweeps):
    for sweep in sweeps.split():
        network = values["sweeps"][sweep]["network"]
        values["sweeps"][sweep]["network"] = network | {"activation": ["relu", "tanh"]}
    with pytest.raises(ConfigError, match=r"network\.activation relu, tanh, allowed: one value"):
        read_config(values)


def test_one_figure_alone_compares_the_networks_that_it_draws_and_no_others(values):
    whole = Plan(read_config(values))
    (figC8,) = [figure for figure in whole.figures if figure.name == "figC8"]
    alone = Plan(read_config(values | {"only": "figC8"}))
    assert alone.tiles == whole.tiles_of(figC8)
