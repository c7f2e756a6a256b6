"""What a job takes: seconds of one core of an AMD EPYC, and what it requests of a cluster.

The seconds are measured constants, `SECONDS` in experiments/*/size.py, times the size of a job.
More cores would not make a job faster: the networks are small.
"""

import math
from collections.abc import Container
from functools import cache
from typing import Any, NamedTuple

from repatlas.artifacts.recipes.job import Job
from repatlas.artifacts.recipes.networks import MeasureJob, ShardJob, TrainJob
from repatlas.artifacts.recipes.pairs import NETWORK_SIMILARITIES, CompareJob, CompareNetworksJob
from repatlas.artifacts.recipes.typed import parsed
from repatlas.named import named
from repatlas.pairs.chosen import chosen, has_floor
from repatlas.representation import Decoders

SMALL_JOB = 1.5
"""Seconds before the first pair, and of a job that draws tasks, collects rows or draws a figure."""
SECONDS_OF_PAIR = 0.02
"""Seconds for two networks at a step, in all layers, for a measure or a draw of its noise floor:
four layers of 64 units and 1,400 items took 0.005 to 0.02."""
HEADROOM = 3
"""Times the expected seconds: nodes may be slower than that machine, and busy."""
START_MINUTES = 5
"""For the starts of Python and Snakemake, from a file system that many jobs read at once."""
START_MEGABYTES = 1800
"""Python with torch or numba, its networks on clusters or items, and two Snakemakes around it took
840 at most."""
STORED_COPIES = 5
"""Times what a job on images stores; 3.5 were measured."""


class Cost(NamedTuple):
    """Seconds of a job."""

    start: float
    """Seconds once for all seeds of a job"""
    work: float
    """Seconds for each seed"""


class Request(NamedTuple):
    """What the first attempt at a job requests."""

    megabytes: int
    minutes: int


def cost(job: Job, keys: Container[str] | None = None) -> Cost:
    """Return what a job takes for all its networks, or for networks with these keys."""
    if isinstance(job, CompareNetworksJob):
        pairs = chosen(job.pairs, job.seeds, len(job.specs) == 2)
        floors, values = sum(map(has_floor, pairs)), 0
        for name in job.similarities:
            measure = named(NETWORK_SIMILARITIES, name)
            sets = 1 if hasattr(measure, "ON") else len(job.items)
            values += sets * (len(pairs) + measure.DRAWS * floors)
        return Cost(SMALL_JOB, SECONDS_OF_PAIR * values * len(job.steps))
    if isinstance(job, CompareJob):
        first, *others = job.specs()
        pairs_of_files = len(first) * (len(first) + sum(map(len, others)))
        each = _size_of(first[0]).SECONDS_OF_PAIR
        return Cost(SMALL_JOB, each * pairs_of_files * len(job.measures))
    if not isinstance(job, ShardJob):
        return Cost(SMALL_JOB, 0.0)
    size = _size_of(job)
    runs = [run for key, run in job.wanted().items() if keys is None or key in keys]
    if isinstance(job, MeasureJob):
        decoders = Decoders.model_validate(job.decoders)
        units = sum(size.measuring(run.spec, run.measures, decoders, {}) for run in runs)
    else:
        units = sum(size.training(run.spec, run.steps[-1], {}) for run in runs)
    start, per_unit = size.SECONDS[job.stage]
    return Cost(start, per_unit * units)


@cache
def request(stage: str, text: str, seeds: int) -> Request:
    """Return what a job requests that makes this number of files, one after the other. text: the
    job of one of them."""
    job = parsed(stage, text)
    start, work = cost(job)
    return Request(
        START_MEGABYTES + math.ceil(_bytes(job) / 1e6),
        START_MINUTES + math.ceil(HEADROOM * (start + seeds * work) / 60),
    )


def _bytes(job: Job) -> float:
    """Return the memory for images, arrays and pairs. Other jobs fit into START_MEGABYTES."""
    if isinstance(job, CompareJob):
        arrays = [spec for of_family in job.specs() for spec in of_family]
        size = _size_of(arrays[0])
        return min(sum(size.measuring_bytes(spec, None) for spec in arrays), size.MOST_BYTES)
    is_pairs = isinstance(job, CompareNetworksJob)
    specs = job.parsed() if is_pairs else [run.spec for run in job.wanted().values()]
    size = _size_of(specs[0])
    if not hasattr(size, "measuring_bytes"):
        return 0
    if is_pairs:
        each = max(size.measuring_bytes(spec, Decoders()) for spec in specs)
        return len(job.specs) * job.seeds * each
    stored = sum(size.stored_bytes(run.spec, run.steps) for run in job.wanted().values())
    if isinstance(job, TrainJob):
        most = max(map(size.training_bytes, specs))
    else:
        decoders = Decoders.model_validate(job.decoders)
        most = max(size.measuring_bytes(spec, decoders) for spec in specs)
    return STORED_COPIES * stored + most


def _size_of(spec_or_job: Any) -> Any:
    """Return the module that knows how large the networks of an experiment are."""
    return named(f"experiments.{spec_or_job.experiment}", "size")
