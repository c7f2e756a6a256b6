"""The lines of a run name its jobs without the hash of a family or of a tile."""

import re

import pytest

from repatlas.config.config import read_config
from repatlas.plan.job_words import JobWords
from repatlas.plan.places import Shard
from repatlas.plan.plan import Plan

HASH = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{6,}\b")


@pytest.fixture
def plan(config_values):
    return Plan(read_config(config_values))


def test_networks_are_named_by_their_sweeps_and_figures(small_values):
    plan = Plan(read_config(small_values))
    words = {JobWords(plan).networks(shard, "seed 0") for shard in plan.shards}
    assert words == {
        "random and random_paths, seed 0, for structure fig01",
        "delta, delta_paths and noise, seed 0, for structure fig02 and fig03",
    }


def test_families_of_one_sweep_are_told_apart_by_their_settings(plan):
    words = [JobWords(plan).networks(shard, "seed 0") for shard in plan.shards]
    depths = {text for text in words if text.startswith("deep and deep_parity")}
    assert depths == {
        f"deep and deep_parity (depth {depth}), seed 0, for structure fig05 and figS5"
        for depth in (5, 10)
    }


def test_no_line_of_a_run_of_structure_has_a_hash(plan):
    words = JobWords(plan)
    lines = [words.networks(shard, "seed 0") for shard in plan.shards]
    lines += [words.data(*place) for place in plan.data]
    assert not [line for line in lines if HASH.search(line)]


def test_a_seed_that_a_sweep_lacks_is_not_trained_for_it(small_values):
    small_values["sweeps"]["random_paths"]["seeds"] = 1
    plan = Plan(read_config(small_values))
    [family] = {shard.family for shard in plan.shards if shard.family.startswith("unstructured")}
    words = JobWords(plan).networks(Shard("clusters", family, 1), "seed 1")
    assert words == "random, seed 1, for structure fig01"


def test_a_sweep_that_no_figure_draws_is_named_with_its_study(one_figure_values):
    one_figure_values["figures"] = {}
    plan = Plan(read_config(one_figure_values))
    [shard] = plan.shards
    assert JobWords(plan).networks(shard, "seed 0") == "noise, seed 0, for structure"
