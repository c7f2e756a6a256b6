"""The cost of a job by its size: seconds, and the memory and time that it requests of a cluster.

More cores would not make a job faster: the networks are small. The size of a job is the size of the
whole shard, even if a part of it is done. So the request does not depend on the files that exist.
"""

import json
import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from repatlas.artifacts.recipes.grids import MEASURING, read_grid, steps_of_measures
from repatlas.artifacts.recipes.pairs import NETWORK_SIMILARITIES, CompareJob, CompareNetworksJob
from repatlas.artifacts.recipes.typed import parsed
from repatlas.config.shapes import thinned
from repatlas.named import named
from repatlas.operations.costs import SMALL_JOB, Cost, shipped
from repatlas.pairs.chosen import chosen, has_floor
from repatlas.representation import Decoders

HEADROOM = 3
"""Times the seconds that the cost model expects: nodes may be slower than its machine, and busy."""
START_MINUTES = 5
"""For the starts of Python and Snakemake, from a file system that many jobs read at once."""
START_MEGABYTES = 1500
"""Python with torch and numba takes 440 at most, and each of the two Snakemakes around it 200."""
MEGABYTES_PER_STORED = 5
"""Memory for each megabyte that the shard stores; 1.5 were measured, 3.5 for networks on images."""


SECONDS_OF_PAIR = 0.02
"""Seconds for two networks at a step, in all layers, for a measure: four layers of 64 units and
1,400 items took 0.005 to 0.02 on an AMD EPYC. Measures that fit predictions take up to a hundred
times longer, but compare few pairs and have no draws."""


class Allocation(NamedTuple):
    megabytes: int
    minutes: int


def allocation(stage: str, job: str, seeds: int = 1) -> Allocation:
    """Return the request of the first attempt at a job of `train`, `measure` or a comparison. The
    second attempt requests twice as much, and so on. A job makes its seeds one after the other."""
    return _allocation(stage, _job_of_seed_0(job), seeds)


def seconds_of(
    stage: str, job: str, seeds: int = 1, cost: Callable[[str, str], Cost] = shipped
) -> float:
    """Return the seconds that a job is expected to take. `cost` returns the cost model of the
    stage of an experiment."""
    return _seconds(stage, _job_of_seed_0(job), seeds, cost)


def units_of(stage: str, job: str) -> int:
    """Return the units of work of a job, `train` or `measure`, in which the cost model counts."""
    networks, decoders = _content(stage, job)
    return _to_train(networks) if stage == "train" else _to_measure(networks, decoders)


@cache
def _job_of_seed_0(job: str) -> str:
    """Return the job of seed 0 of the same family: all seeds have the same size."""
    content = json.loads(job)
    return json.dumps(content | {"seed": 0}) if "family" in content else job


@cache
def _allocation(stage: str, text: str, seeds: int) -> Allocation:
    if not stage.startswith("compare"):
        networks, decoders = _content(stage, text)
        if stage == "train":
            return training_allocation(networks, seeds)
        return measuring_allocation(networks, decoders, seeds)
    job = parsed(stage, text)
    if isinstance(job, CompareNetworksJob):
        specs = job.parsed()
        each = max(_size_of(spec).measuring_bytes(spec, Decoders()) for spec in specs)
        memory = len(job.specs) * job.seeds * each
    else:
        # A representation that has not been looked at has an assumed size.
        specs = [spec for of_family in job.specs() for spec in of_family]
        size = _size_of(specs[0])
        memory = min(sum(size.measuring_bytes(spec, None) for spec in specs), size.MOST_BYTES)
    return allocation_for(0, seconds_of(stage, text), memory / 1e6)


@cache
def _seconds(stage: str, text: str, seeds: int, cost: Callable[[str, str], Cost]) -> float:
    if stage in ("train", "measure"):
        experiment = json.loads(text)["experiment"]
        return cost(experiment, stage).seconds(seeds * units_of(stage, text))
    if stage.startswith("compare"):
        return SMALL_JOB + _seconds_of_pairs(parsed(stage, text))
    return SMALL_JOB


@cache
def _content(stage: str, text: str) -> tuple[list["Networks"], Decoders | None]:
    job = parsed(stage, text)
    if len(job.grids) == 1:  # no network is in two grids, and there may be a hundred thousand
        values = {name: v for name, v in job.grids[0].items() if name not in MEASURING}
        networks = shapes(read_grid(job.experiment, values), job.grids[0], job.family)
    else:
        networks = [Networks(*run) for run in job.wanted().values()]
    return networks, None if stage == "train" else Decoders.model_validate(job.decoders)


class Networks(NamedTuple):
    """Networks of one shape that a job trains or measures."""

    spec: Any
    """Spec of one of them"""
    steps: list[int]
    measures: dict[str, list[int]]
    """The steps at which each is wanted"""
    number: int = 1

    @property
    def size(self) -> Any:
        """The module that knows how large it is."""
        return _size_of(self.spec)


def shapes(grid: Any, measuring: Mapping[str, Any], family: str) -> list[Networks]:
    """Return the networks of a family in a grid, by shape. measuring: the entries `measures` and
    `more_measures` of the grid."""
    few, values = thinned(grid)
    measures, number = steps_of_measures(measuring, grid.steps), math.prod(values.values())
    specs = [spec for spec in few.specs() if spec.family == family]
    return [Networks(spec, grid.steps, measures, number) for spec in specs]


def training_allocation(networks: list[Networks], seeds: int = 1) -> Allocation:
    memory = max(n.size.training_bytes(n.spec) for n in networks)
    return _allocation_for_units("train", networks, seeds * _to_train(networks), memory)


def measuring_allocation(
    networks: list[Networks], decoders: Decoders, seeds: int = 1
) -> Allocation:
    memory = max(n.size.measuring_bytes(n.spec, decoders) for n in networks)
    return _allocation_for_units(
        "measure", networks, seeds * _to_measure(networks, decoders), memory
    )


def _to_train(networks: list[Networks]) -> int:
    return sum(n.number * n.size.training(n.spec, n.steps[-1], {}) for n in networks)


def _to_measure(networks: list[Networks], decoders: Decoders) -> int:
    return sum(n.number * n.size.measuring(n.spec, n.measures, decoders, {}) for n in networks)


def _seconds_of_pairs(job: CompareJob | CompareNetworksJob) -> float:
    """Return the seconds for all pairs of a job, with the draws of the noise floor for networks
    that have one."""
    if isinstance(job, CompareNetworksJob):
        pairs = chosen(job.pairs, job.seeds, len(job.specs) == 2)
        floors, times = sum(map(has_floor, pairs)), 0
        for name in job.similarities:
            measure = named(NETWORK_SIMILARITIES, name)
            sets = 1 if hasattr(measure, "ON") else len(job.items)
            times += sets * (len(pairs) + measure.DRAWS * floors)
        return times * len(job.steps) * SECONDS_OF_PAIR
    first, *others = job.specs()
    number = len(first) * (len(first) + sum(map(len, others)))
    return number * len(job.measures) * _size_of(first[0]).SECONDS_OF_PAIR


def _size_of(spec: Any) -> Any:
    """Return the module that knows how large the networks of a spec are."""
    return named(f"experiments.{spec.experiment}", "size")


def _allocation_for_units(
    stage: str, networks: list[Networks], units: int, memory: int
) -> Allocation:
    stored = sum(n.number * n.size.stored_bytes(n.spec, n.steps) for n in networks)
    seconds = shipped(networks[0].spec.experiment, stage).seconds(units)
    return allocation_for(stored / 1e6, seconds, memory / 1e6)


def allocation_for(
    stored_megabytes: float, expected_seconds: float, others: float = 0
) -> Allocation:
    """Return an allocation. others: megabytes of memory in addition to what is stored."""
    return Allocation(
        START_MEGABYTES + math.ceil(MEGABYTES_PER_STORED * stored_megabytes + others),
        START_MINUTES + math.ceil(HEADROOM * expected_seconds / 60),
    )
