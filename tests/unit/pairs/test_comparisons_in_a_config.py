"""What a config says of networks that are compared, and what is refused in a sentence."""

import pytest

from repatlas.config import comparisons
from repatlas.config.config import ConfigError, read_config
from repatlas.workflow.plan import Plan

HAS_OWN_ITEMS = comparisons.has_own_items


def planned(values):
    return Plan(read_config(values, "mine.yaml"))


def cohorts(values):
    """Return what is compared by each cohort, by its file."""
    plan = planned(values)
    return {
        each.names[0]: each.what[1][0][1]
        for each in plan.results.values()
        if each.stage == "compare_networks" and each.what[1]
    }


def compared(**changes):
    return lambda values: values["compare"][0].update(changes)


def test_each_spec_of_a_sweep_is_a_cohort(values, shown):
    values["sweeps"]["relu"]["network"]["width"] = [8, 16]
    found = cohorts(values)
    assert len(found) == 2
    assert {name.rpartition("/")[0] for name in found} == {"comparisons/structure/relu"}
    assert {cohort.seeds for cohort in found.values()} == {4}


def test_specs_of_two_sweeps_are_partners_by_what_varies_within(values, shown):
    for sweep in values["sweeps"].values():
        sweep["task"] = sweep["task"] | {"delta": [0.0, 0.5, 1.0]}
    compared(between=["relu", "tanh"], pairs="same_seed")(values)
    found = cohorts(values)
    assert {name.split("/")[2] for name in found} == {"relu-tanh"} and len(found) == 3
    for cohort in found.values():
        one, other = cohort.specs
        assert one.task == other.task
        assert (one.network.activation, other.network.activation) == ("relu", "tanh")


def test_a_preview_compares_the_seeds_that_it_trains(values, shown):
    values["preview"] = True
    assert not cohorts(values)  # one seed has no pair
    values["sweeps"]["relu"]["preview"] = {"seeds": 3}
    assert [cohort.seeds for cohort in cohorts(values).values()] == [3]


def seeds(number):
    return lambda values: values["sweeps"]["relu"].update(seeds=number)


def several(values):
    values["sweeps"]["relu"]["task"] = values["sweeps"]["relu"]["task"] | {"delta": [0.5, 1.0]}
    compared(between=["relu", "tanh"])(values)


def twice(values):
    values["compare"].append(values["compare"][0])


REFUSED = {
    "an unknown sweep": (
        compared(between=["mlp"]),
        "compare: found 'mlp' in between, allowed: relu, tanh",
    ),
    "a single seed": (seeds(1), "found sweep 'relu' of 1 seed, allowed: 2 seeds or more"),
    "two specs where the other sweep has one": (
        several,
        "networks of sweep 'relu' (task.delta 1.0) have no partner in 'tanh'",
    ),
    "a step that is not stored": (
        compared(steps=[0, 3]),
        "found step 3, allowed: the steps of sweep 'relu': [0, 2, 4]",
    ),
    "a layer that is not there": (
        compared(layers=[1, 6]),
        "found layer 6, allowed: up to 5 for networks of sweep 'relu', which have 2 hidden",
    ),
    "CKA, which is called alignment": (
        compared(similarities=["CKA"]),
        "; did you mean 'alignment'?",
    ),
    "a prediction without items to fit on": (
        compared(similarities=["sparse_prediction"], items=["test"]),
        "'sparse_prediction' is fitted on items train, found items test; add train",
    ),
    "networks with themselves": (
        compared(pairs="same_seed"),
        "pairs: same_seed needs two sweeps in between",
    ),
    "a comparison twice": (twice, "found relu twice, allowed: once, with all measures, or another"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_in_a_sentence_that_names_the_key(values, shown, name):
    edit, sentence = REFUSED[name]
    edit(values)
    with pytest.raises(ConfigError) as refused:
        read_config(values, "mine.yaml")
    assert sentence in str(refused.value)
    assert str(refused.value).startswith("mine.yaml: ")


def test_seeds_with_tasks_of_their_own_are_compared_seed_by_seed_alone(values, shown, monkeypatch):
    monkeypatch.setattr(comparisons, "has_own_items", HAS_OWN_ITEMS)
    with pytest.raises(ConfigError, match="each of its seeds has another task, allowed: pairs: s"):
        read_config(values)
    compared(between=["relu", "tanh"], pairs="same_seed")(values)
    assert len(cohorts(values)) == 1


def test_an_experiment_that_shows_no_layer_is_refused(values, shown, monkeypatch):
    monkeypatch.setattr(comparisons, "shows_layers", lambda experiment: False)
    with pytest.raises(ConfigError, match="networks of experiment 'clusters' cannot be compared"):
        read_config(values)
