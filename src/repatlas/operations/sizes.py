"""A config with a job that cannot end is refused before any job starts. The usual cause is a zero
too many. Results that are there, perhaps from a larger machine, are not refused.

The memory and time of a job follow from its size, as in repatlas.operations.allocation. The key
`anyway` of the config skips this check.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from repatlas.artifacts import layout
from repatlas.artifacts.recipes.networks import trains
from repatlas.config.config import ConfigError
from repatlas.config.sweeps import OfSweep
from repatlas.operations.allocation import (
    HEADROOM,
    Allocation,
    measuring_allocation,
    shapes,
    training_allocation,
)
from repatlas.operations.expected import Expected
from repatlas.plan.places import Shard
from repatlas.plan.plan import Plan
from repatlas.record import Record, Refused

LONGEST = 30
"""Days of a job. Clusters end one after 1 to 7 days, few after 30; the longest of config.yaml takes
some minutes."""
LARGEST_NODE = 4_000
"""Gigabytes of memory: more than all but a few nodes of any cluster have."""


class Job(NamedTuple):
    keys: str
    """The keys of the config that say how large it is"""
    does: str
    asks: Allocation
    numbers: str
    """The largest numbers of these keys, in words: a zero too many is most often in one"""


def check_sizes(plan: Plan, expected: Mapping[Path, Expected], file: str, on_cluster: bool) -> None:
    """Refuse a config with a missing result whose job would take too long, or too much memory.
    The limits are the time that any job is given, and the memory of this machine or, on a cluster,
    of a node. `file` is the name of the config. Raises ConfigError for the first such job."""
    memory, where = (LARGEST_NODE, "a node") if on_cluster else (gigabytes(), "this machine")
    for job in [] if plan.config.anyway else jobs(plan, expected):
        # A job asks for three times what those took that were measured.
        days = job.asks.minutes / 60 / 24 / HEADROOM
        needed = job.asks.megabytes / 1000 / HEADROOM
        found = f"{file}: {job.keys}: found networks of one seed, one job, whose {job.does} takes"
        otherwise = f"; {job.numbers}; `--config anyway=true` tries it all the same"
        if days > LONGEST:
            raise ConfigError(f"{found} some {days:,.0f} days, allowed: {LONGEST}{otherwise}")
        if needed > memory:
            allowed = f"{memory:,.0f}, what {where} has"
            raise ConfigError(f"{found} some {needed:,.0f} GB, allowed: {allowed}{otherwise}")


def gigabytes() -> float:
    """Return the memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9


def jobs(plan: Plan, expected: Mapping[Path, Expected]) -> Iterator[Job]:
    """Yield the jobs of each family that make a missing file. Jobs of all seeds have the size of
    seed 0, which every sweep has. A network counts for each of its sweeps."""
    of_families: dict[tuple[str, str], dict[str, OfSweep]] = {}
    for _, name, sweep in plan.config.sweeps():
        if not sweep.seeds:  # a preview leaves it out
            continue
        for family in sweep.families:
            of_families.setdefault((sweep.experiment, family), {})[name] = sweep
    for (experiment, family), sweeps in sorted(of_families.items()):
        seeds = range(max(sweep.seeds for sweep in sweeps.values()))
        shards = [Shard(experiment, family, seed) for seed in seeds]
        is_trained = trains(experiment) and _lacks(plan, expected, layout.RUNS, shards)
        is_measured = _lacks(plan, expected, layout.METRICS, shards)
        if not is_trained and not is_measured:
            continue
        networks = [n for s in sweeps.values() for n in shapes(s.of(family), dict(s), family)]
        if not networks:
            raise Refused(
                f"config/shapes.py: found no axis in SHAPE that tells family {family!r} from"
                f" others; add the axes on which families of experiment {experiment!r} depend"
            )
        keys = ", ".join(f"sweeps.{name}" for name in sweeps)
        decoders = plan.config.decoders_of(next(iter(sweeps.values())))
        if is_trained:
            yield Job(keys, "training", training_allocation(networks), largest(sweeps.values()))
        if is_measured:
            asks = measuring_allocation(networks, decoders)
            numbers = largest([*sweeps.values(), decoders])
            yield Job(f"{keys}, decoders", "measuring", asks, numbers)


def _lacks(
    plan: Plan, expected: Mapping[Path, Expected], place: str, shards: Iterable[Shard]
) -> bool:
    """Return True if a file of these shards is missing. place: the pattern of its name."""
    names = (Path(plan.results, place.format(**shard.place)) for shard in shards)
    return not all(expected[name].path.is_file() for name in names)


def largest(records: Iterable[Record], most: int = 3) -> str:
    """Return the keys with the largest whole numbers in these records, in words."""
    found: dict[str, int] = {}
    for record in records:
        for name, value in record:
            inner = value if isinstance(value, Record) else [(name, value)]
            for key, one_or_many in inner:
                many = one_or_many if isinstance(one_or_many, list) else [one_or_many]
                if whole := [n for n in many if type(n) is int]:
                    where = f"{name}.{key}" if isinstance(value, Record) else key
                    found[where] = max(*whole, found.get(where, 0))
    chosen = sorted(found, key=lambda key: -found[key])[:most]
    return "the largest numbers are " + ", ".join(f"{key} {found[key]:,}" for key in chosen)
