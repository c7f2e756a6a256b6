"""The smaller designs, and what they need: comparisons, factors, and learned tasks."""

import pandas as pd
import pytest
from claim_rows import rows_of

from repatlas.claims.claims_file import Claim
from repatlas.claims.multiverse import FAILS, HOLDS, NOT_APPLICABLE, Seeds, verdict
from repatlas.config.config import ConfigError, read_config
from repatlas.config.load import load
from repatlas.studies.convergence import learned as of_images
from repatlas.studies.gating import learned as of_items
from repatlas.workflow.plan import Plan

DESIGNS = {
    "gating": {"1b", "2b", "3b", "5b", "17", "b3"},
    "convergence": {"C7", "C7b", "C8", "C9", "C9b", "C9c", "C11", "C11c", "C12", "C12b"},
}


def values_of(repository, name):
    return load([repository / f"config/{name}.yaml"])


def config_of(repository, name):
    loaded = values_of(repository, name)
    return read_config(loaded.values, loaded.file, loaded.files)


@pytest.mark.parametrize("study", DESIGNS)
def test_each_design_is_read_and_begins_with_the_values_of_the_study(repository, study):
    config = config_of(repository, f"multiverse-{study}")
    multiverse = config.studies[study].multiverse
    chosen = multiverse.chosen()
    assert len(chosen) == 60
    assert chosen[0] == {key: choice.options[0] for key, choice in multiverse.choices.items()}
    plan = Plan(config.model_copy(update={"preview": True}))
    recipe = plan.results[f"{study}/figures/multiverse.md"].recipe
    assert len(recipe["settings"]) == 4
    assert {claim["id"] for claim in recipe["claims"]} == DESIGNS[study]
    own = config.studies[study].sweeps
    for sweep in [name for name in own if "_setting" not in name]:
        assert own[f"{sweep}_setting000"][0].specs() == own[sweep][0].specs()


@pytest.fixture(scope="module")
def convergence(repository):
    return Plan(config_of(repository, "multiverse-convergence"))


def test_comparisons_are_made_in_each_setting_at_its_own_last_step(convergence):
    study = convergence.studies["convergence"]
    for number, setting in enumerate(study.multiverse.chosen()):
        name = f"mlp_setting{number:03d}"
        [grid] = study.sweeps[name]
        assert grid.steps[-1] == 880 * setting["steps"]
        assert grid.network.width == [64 * setting["width"]]
        comparison = study.comparison(f"directions_setting{number:03d}")
        assert comparison.between == [name]
        assert comparison.steps == [grid.steps[-1]]
        figure = study.tabulated[f"figC3_setting{number:03d}"]
        assert figure.directions == comparison.key


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        (
            {"a": {"values": [1, 2], "factors": [1, 2]}},
            "give exactly one of 'values' and 'factors'",
        ),
        ({"network.kind": {"factors": [1, 2]}}, "no sweep has it"),
        ({"a": {"keys": ["network.width", "network.widht"], "factors": [1, 2]}}, "network.widht"),
        (
            {"network.activation": {"factors": [1, 2]}},
            "factors of 'relu', allowed: .*numbers",
        ),
    ],
)
def test_wrong_factors_and_keys_get_one_sentence(repository, choices, sentence):
    loaded = values_of(repository, "multiverse-convergence")
    [study] = loaded.values["studies"].values()
    study["multiverse"]["choices"] = choices
    with pytest.raises(ConfigError, match=sentence):
        read_config(loaded.values)


def test_a_network_of_items_has_learned_if_five_percent_of_its_loss_are_left():
    rows = pd.DataFrame(
        [
            (run, seed, step, "relu", "", value)
            for run, seed, last in (("a", 0, 0.049), ("a", 1, 0.051), ("b", 0, 0.0))
            for step, value in ((0, 1.0), (10, last))
        ],
        columns=["run", "seed", "step", "network", "variant", "value"],
    )
    theory = rows.assign(network="closed_form", run="c")
    found = of_items.learned(pd.concat([rows, theory]))
    assert found.to_dict() == {("a", 0): True, ("a", 1): False, ("b", 0): True}


def test_a_network_on_digits_has_learned_at_the_accuracy_below_which_tables_leave_it_out():
    rows = pd.DataFrame(
        [
            ("a", 0, 0, 0.1, "none"),
            ("a", 0, 9, 0.99, "none"),
            ("a", 1, 9, 0.98, "none"),
            ("b", 0, 9, 0.5, "linear"),
            ("b", 1, 9, 1.0, "linear"),
        ],
        columns=["run", "seed", "step", "value", "frozen"],
    ).assign(measure="accuracy", variant="training", data_set="digits", contrast=None)
    found = of_images.learned(rows)
    assert found.to_dict() == {
        ("a", 0): True,
        ("a", 1): False,
        ("b", 0): True,
        ("b", 1): False,
    }


CLAIM = {
    "id": "M1",
    "claim": "Alignment is positive.",
    "by": "ours",
    "where": "here",
    "figure": "fig02",
    "settings": [],
    "statistic": "alignment",
    "contradicted_by": "none",
    "checks": [{"statistic": "level", "options": {"of": {"measure": "alignment"}}, "above": 0.0}],
}


@pytest.mark.parametrize(
    ("poor", "outcome"),
    [(set(), HOLDS), ({1}, FAILS), ({1, 2}, NOT_APPLICABLE)],
)
def test_seeds_that_did_not_learn_are_left_out_unless_they_are_most(poor, outcome):
    frame = pd.DataFrame({"seed": [0, 1, 2], "value": [-1.0, 2.0, 0.5]})
    frame = frame.assign(measure="alignment", variant="", run="a", contrast=None, step=1)
    if outcome == FAILS:
        frame["value"] = [-1.0, 2.0, -0.5]
    found = verdict(Claim.model_validate(CLAIM), rows_of(frame), Seeds({0, 1, 2}, poor))
    assert found.outcome == outcome
    if found.checks:
        assert found.checks[0][1].seeds == 3 - len(poor)
