"""What a job asks of a cluster suffices, by the records of the figures, and is no hoarding."""

import pytest

from repatlas.config.config import read_config
from repatlas.operations.allocation import allocation, allocation_for
from repatlas.operations.costs import shipped
from repatlas.plan.plan import Plan

SNAKEMAKES = 2 * 200
"""Megabytes of the two processes of Snakemake around each job on a cluster."""
RECORDS = [
    # Columns: stage, megabytes stored, units of work, seconds, megabytes of memory. A row has the
    # most of any job of a family, from Snakemake's benchmark files (four jobs at a time, AMD EPYC).
    ("train", 35, 7.15e11, 44, 329),
    ("train", 47, 7.15e11, 41, 344),
    ("train", 47, 9.27e11, 81, 374),
    ("train", 50, 7.43e11, 40, 346),
    ("train", 16, 2.9e11, 30, 440),
    ("train", 8, 2.8e10, 8, 400),
    ("train", 35, 7.29e11, 46, 341),
    ("train", 35, 7.57e11, 44, 329),
    ("train", 48, 5.61e12, 325, 374),
    ("train", 3, 1.94e10, 3, 309),
    ("measure", 14, 7.4e6, 8, 375),
    ("measure", 14, 1.33e7, 17, 393),
    ("measure", 19, 1.16e7, 16, 385),
    ("measure", 16, 1.8e5, 3, 275),
    ("measure", 8, 1.8e5, 2, 240),
    ("measure", 11, 8.2e6, 8, 351),
    ("measure", 11, 1.16e7, 8, 353),
    ("measure", 23, 2.47e7, 22, 396),
    ("measure", 2, 2.4e5, 2, 312),
    ("measure", 7, 1e7, 9, 370),
    ("measure", 2, 9.5e5, 3, 353),
]


@pytest.mark.parametrize(("stage", "stored", "units", "seconds", "megabytes"), RECORDS)
def test_a_job_gets_what_it_took_and_half_as_much_again(stage, stored, units, seconds, megabytes):
    asked = allocation_for(stored, shipped("clusters", stage).seconds(units))
    assert asked.megabytes >= 1.5 * (megabytes + SNAKEMAKES)
    assert 60 * asked.minutes >= 1.5 * seconds
    assert asked.megabytes <= 3 * (megabytes + SNAKEMAKES)
    assert 60 * asked.minutes <= 600 + 4 * seconds


def test_a_longer_training_asks_for_more_time_and_more_networks_for_more_memory(small_values):
    def asked():
        plan = Plan(read_config(small_values))
        shard = next(shard for shard in plan.shards if shard.family.startswith("separable"))
        jobs = {"train": plan.train_job(shard), "measure": plan.measure_job(shard)}
        return {stage: allocation(stage, job.text) for stage, job in jobs.items()}

    before = asked()
    small_values["sweeps"]["delta"]["steps"].append(100_000_000)
    longer = asked()
    assert longer["train"].minutes > before["train"].minutes
    small_values["sweeps"]["delta"]["task"]["delta"] = [n / 1000 for n in range(1000)]
    larger = asked()
    assert larger["train"].megabytes > longer["train"].megabytes
    assert larger["measure"].megabytes > longer["measure"].megabytes
