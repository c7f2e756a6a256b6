"""What the job of a shard asks of a cluster: memory and time, from its size.

Cores are no question of size: the networks are small, and a second core makes no product faster.
The size is that of the whole shard, though the job may find a part of it done: what it asks for
then doesn't depend on what lies on the disk.
"""

import json
import math
from functools import cache
from typing import Any, NamedTuple

from repatlas.artifacts.jobs import NETWORK_SIMILARITIES, CompareJob, CompareNetworksJob
from repatlas.artifacts.typed_jobs import JOBS, parsed
from repatlas.named import named
from repatlas.operations.costs import shipped
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
    """For the first attempt at a job; the second asks for twice as much, and so on. A job of
    several seeds makes them one after the other."""
    content = json.loads(job)
    content["seed"] = 0  # all seeds of a family have the same size
    return _of_job(stage, json.dumps(content), seeds)


@cache
def _of_job(stage: str, text: str, seeds: int) -> Allocation:
    networks, decoders = _content(stage, text)
    if stage == "train":
        return of_training(networks, seeds)
    return of_measuring(networks, decoders, seeds)


def units_of(stage: str, job: str) -> int:
    """Return the units of work of a job, `train` or `measure`, in which the cost model counts."""
    networks, decoders = _content(stage, job)
    return _to_train(networks) if stage == "train" else _to_measure(networks, decoders)


@cache
def _content(stage: str, text: str) -> tuple[list["Networks"], Decoders | None]:
    job = JOBS[stage].model_validate_json(text)
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
        return named(f"experiments.{self.spec.experiment}", "size")


def of_training(networks: list[Networks], seeds: int = 1) -> Allocation:
    memory = max(n.size.training_bytes(n.spec) for n in networks)
    return _of_units("train", networks, seeds * _to_train(networks), memory)


def of_measuring(networks: list[Networks], decoders: Decoders, seeds: int = 1) -> Allocation:
    memory = max(n.size.measuring_bytes(n.spec, decoders) for n in networks)
    return _of_units("measure", networks, seeds * _to_measure(networks, decoders), memory)


def _to_train(networks: list[Networks]) -> int:
    return sum(n.number * n.size.training(n.spec, n.steps[-1], {}) for n in networks)


def _to_measure(networks: list[Networks], decoders: Decoders) -> int:
    return sum(n.number * n.size.measuring(n.spec, n.measures, decoders, {}) for n in networks)


def of_comparing(text: str) -> Allocation:
    """Return the allocation for the pairs of a cohort of networks, or of a family of
    representations. A representation that has not been looked at has an assumed size."""
    tile = parsed("compare", text)
    if isinstance(tile, CompareNetworksJob):
        specs = tile.parsed()
        sizes = [named(f"experiments.{spec.experiment}", "size") for spec in specs]
        memory = max(
            size.measuring_bytes(s, Decoders()) for size, s in zip(sizes, specs, strict=True)
        )
        networks = len(tile.specs) * tile.seeds
        return of_size(0, seconds_of_comparing(tile), networks * memory / 1e6)
    first, *others = tile.specs()
    every = [*first, *(spec for specs in others for spec in specs)]
    size = named(f"experiments.{first[0].experiment}", "size")
    memory = sum(size.measuring_bytes(spec, None) for spec in every)
    return of_size(0, seconds_of_comparing(tile), min(memory, size.MOST_BYTES) / 1e6)


def seconds_of_comparing(job: CompareJob | CompareNetworksJob) -> float:
    """Return what the cost model expects of all pairs of a job. The draws of the noise floor are
    included for networks that have one."""
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
    size = named(f"experiments.{first[0].experiment}", "size")
    return number * len(job.measures) * size.SECONDS_OF_PAIR


def _of_units(stage: str, networks: list[Networks], units: int, memory: int) -> Allocation:
    stored = sum(n.number * n.size.stored_bytes(n.spec, n.steps) for n in networks)
    seconds = shipped(networks[0].spec.experiment, stage).seconds(units)
    return of_size(stored / 1e6, seconds, memory / 1e6)


def of_size(stored_megabytes: float, expected_seconds: float, others: float = 0) -> Allocation:
    """Return an allocation. others: megabytes of memory in addition to what is stored."""
    return Allocation(
        START_MEGABYTES + math.ceil(MEGABYTES_PER_STORED * stored_megabytes + others),
        START_MINUTES + math.ceil(HEADROOM * expected_seconds / 60),
    )
