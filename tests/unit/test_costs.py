"""What a job is expected to take, and what it requests of a cluster."""

import pytest

from repatlas.config.config import read_config
from repatlas.operations.costs import START_MEGABYTES, cost, request
from repatlas.plan.plan import Plan

SNAKEMAKES = 2 * 200
"""Megabytes of the two processes of Snakemake around each job on a cluster."""
PRODUCTS = 8 * (12 + 1) * 20
"""In a training step of a network: width, inputs and target, and batch."""


@pytest.fixture
def jobs_of(small_values):
    def jobs_of(**changes):
        small_values["sweeps"]["delta"] |= changes
        plan = Plan(read_config(small_values))
        shard = next(shard for shard in plan.shards if shard.family.startswith("separable"))
        return plan.train_job(shard), plan.measure_job(shard)

    return jobs_of


def test_training_costs_its_start_and_the_products_of_all_steps(jobs_of):
    train, _ = jobs_of()
    assert cost(train) == (2.2, pytest.approx(5.7e-11 * 18 * 5 * PRODUCTS))
    one = next(iter(train.wanted()))
    assert cost(train, {one}) == (2.2, pytest.approx(5.7e-11 * 5 * PRODUCTS))


def test_a_job_requests_time_for_its_seeds_and_steps_and_the_memory_that_jobs_took(jobs_of):
    def requests(**changes):
        train, measure = jobs_of(**changes)
        assert request("measure", measure.text, 1) == (START_MEGABYTES, 6)
        return [request("train", train.text, seeds) for seeds in (1, 16)]

    assert requests() == [(START_MEGABYTES, 6)] * 2
    assert 1.5 * (440 + SNAKEMAKES) <= START_MEGABYTES, "the largest of 320 jobs took 440"
    one, sixteen = requests(steps=[0, 2, 5, 100_000_000])
    assert one.minutes > 6
    assert sixteen.minutes - 5 == pytest.approx(16 * (one.minutes - 5), rel=0.2)
