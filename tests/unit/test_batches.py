"""How many seeds one job makes, and for whose sake a job runs that Snakemake would leave out."""

import pytest
from selections import some

from repatlas.config.config import read_config
from repatlas.operations.allocation import allocation, units_of
from repatlas.operations.batches import Batches
from repatlas.operations.costs import shipped
from repatlas.operations.expected import expected_files
from repatlas.plan.plan import Plan


def batches(values, minutes, seeds=5):
    for sweep in values["sweeps"].values():
        sweep |= {"seeds": seeds, "preview": {"seeds": 1}}
    plan = Plan(read_config(values))
    return plan, expected_files(plan), Batches(plan, expected_files(plan), minutes)


@pytest.fixture
def seconds_of_a_seed(small_values):
    """What the cost model says of the dearest family, for each stage."""
    _, files, _ = batches(small_values, 0)
    return max(
        shipped("clusters", wanted.stage).per_unit * units_of(wanted.stage, wanted.job)
        for wanted in files.values()
        if wanted.stage in ("train", "measure")
    )


def test_without_a_wanted_length_each_seed_is_a_job(small_values):
    plan, files, found = batches(small_values, 0)
    assert all(found.first(shard) == shard for shard in some(plan.shards))
    assert all(found.file(path) == path for path in some(files))
    assert all(found.others(shard) == [] for shard in some(plan.shards))


def test_a_job_takes_as_many_seeds_as_fit_into_its_time(small_values, seconds_of_a_seed):
    plan, _, found = batches(small_values, 2.5 * seconds_of_a_seed / 60)
    numbers = {
        shard.family: [s.seed for s in found.others(shard)]
        for shard in plan.shards
        if shard.seed == 0
    }
    assert [1] in numbers.values(), "two of the dearest family"
    assert all(len(seeds) >= 1 for seeds in some(numbers.values())), "no fewer of a cheaper one"


def test_a_seed_that_takes_longer_is_a_job_of_its_own(small_values, seconds_of_a_seed):
    plan, _, found = batches(small_values, 0.01 * seconds_of_a_seed / 60)
    assert [] in [found.others(shard) for shard in plan.shards]


def test_each_shard_is_made_by_one_job_and_more_seeds_change_no_batch_before_them(small_values):
    plan, _, few = batches(small_values, 20, seeds=3)
    firsts = {shard: few.first(shard) for shard in plan.shards}
    made = [s for first in set(firsts.values()) for s in (first, *few.others(first))]
    assert sorted(made) == plan.shards
    _, _, more = batches(small_values, 20, seeds=7)
    assert {shard: more.first(shard) for shard in plan.shards} == firsts


def test_a_job_of_several_seeds_asks_for_the_time_of_all(small_values):
    plan, _, _ = batches(small_values, 0)
    for job, stage in ((plan.train_job, "train"), (plan.measure_job, "measure")):
        text = job(plan.shards[0]).text
        one, many = allocation(stage, text), allocation(stage, text, 10**9)
        assert many.minutes > one.minutes
        assert many.megabytes == one.megabytes, "one after the other"


@pytest.fixture
def unknown(small_values):
    """The files for whose sake a job has to run where these are missing, each given as folder and
    seed, or as "tables"."""
    plan, files, found = batches(small_values, 20)
    family = plan.shards[0].family
    names = {path: (path.parts[1], int(path.stem[5:])) for path in files if family in path.parts}
    names |= {path: "tables" for path in files if "tables" in path.parts}

    def unknown(*missing):
        wrong = {path for path, name in names.items() if name in missing}
        return {names[path] for path in found.unknown(wrong)}

    return unknown


def test_a_missing_file_of_another_seed_is_made_where_something_needs_it(unknown):
    runs, metrics = ("runs", 3), ("metrics", 3)
    assert unknown(runs) == set(), "its metrics are there"
    assert unknown(runs, metrics) == set(), "the tables are there"
    assert unknown(runs, metrics, "tables") == {runs, metrics}
    assert unknown(runs, "tables") == set()
    assert unknown(("runs", 0), ("metrics", 0), "tables") == set(), "Snakemake knows the first"
