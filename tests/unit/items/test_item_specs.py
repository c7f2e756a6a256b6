"""The identity of a network on a few items."""

import json

import pytest
from item_networks import spec

from repatlas.experiments.items.prepare import prepare
from repatlas.experiments.items.represent import Source
from repatlas.experiments.items.spec import Grid, Spec
from repatlas.named import names
from repatlas.representation import Decoders

KINDS = names("experiments.items.networks")


def grid(kind="relu", task=None, steps=(0, 10), **network):
    return Grid.model_validate(
        {
            "experiment": "items",
            "task": {"kind": "contexts"} | (task or {}),
            "network": {"kind": kind} | network,
            "steps": list(steps),
        }
    )


def test_the_experiment_has_no_default_so_that_no_other_shares_its_keys():
    values = spec().model_dump(mode="json")
    del values["experiment"]
    with pytest.raises(ValueError, match="experiment"):
        Spec.model_validate(values)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_network_has_a_spec_that_survives_json(kind):
    each = spec(kind)
    assert Spec.model_validate(json.loads(each.model_dump_json())).key == each.key
    assert f"experiments.items.networks.{kind}" in each.modules()


def test_a_grid_is_the_product_of_its_axes():
    found = grid(task={"contexts": [3, 4]}, sigma=[1e-4, 1e-3, 1e-2])
    assert len(found.specs()) == 6
    assert len(found.families) == 2
    assert found.conditions == 32


def test_pathways_are_the_same_however_they_are_written():
    assert spec("gated", pathways="31 12 23").key == spec("gated", pathways="12 13 23").key


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        ("gated", {"pathways": "both"}, "found 'both', allowed: all_but_one"),
        ("gated", {"pathways": "12 21"}, "each pathway once"),
        ("gated", {"pathways": "14"}, "found '14' for 3 contexts"),
        ("gated", {"pathways": "none", "common": False}, "and no common one"),
        ("closed_form", {"pathways": "subsets"}, "pathways of one context, or of all but one"),
        ("recruited", {"pathways": "none"}, "without a common pathway or without others"),
        ("gated_deep", {"common_units": 241}, "that 3 contexts can share equally"),
        ("gated_deep", {"common_units": 420}, "allowed: below width"),
        ("gated_deep", {"contexts_from": 1}, "allowed: common_from or later"),
        ("relu", {"width": 9}, r"network\.width: found 9, allowed: 10 or more, the rank"),
        ("gated_deep", {"width": 258}, r"network\.width: found 258, allowed: 261 or more"),
    ],
)
def test_settings_that_make_no_network_are_refused(kind, settings, message):
    with pytest.raises(ValueError, match=message):
        spec(kind, **settings)


def test_prepared_tasks_are_found_by_the_names_in_specs():
    wanted = grid(task={"blocks": ["homogeneous", "heterogeneous"]})
    place, about = wanted.data(wanted.families[0], 0)
    arrays, header, said = prepare([about], None, {}, print)
    assert place == "contexts"
    assert said == "made 2 tasks"
    for each in wanted.specs():
        assert arrays[f"{each.data}/targets"].shape == (60, 24)
        assert header["tasks"][each.data]["blocks"] == each.task.blocks
        state = each.network.start(each.task, each.task.draw(), each.training, 0)
        seen = Source(arrays, 0, Decoders(), "cpu").of(each, state)
        assert seen.inputs.shape == (24, 11)
        assert seen.outputs.shape == (24, 60)
