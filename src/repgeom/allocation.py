"""What the job of a shard asks of a cluster: memory and time, from its size.

Cores are no question of size: the networks are small, and a second core makes no product faster.
The size is that of the whole shard, though the job may find a part of it done: what it asks for
then doesn't depend on what lies on the disk.
"""

import json
import math
from functools import cache
from typing import NamedTuple

HEADROOM = 3
"""Times the seconds that the cost model expects: nodes may be slower than its machine, and busy."""
START_MINUTES = 5
"""For the starts of Python and Snakemake, from a file system that many jobs read at once."""
START_MEGABYTES = 1500
"""Python with torch and numba takes 440 at most, and each of the two Snakemakes around it 200."""
MEGABYTES_PER_STORED = 5
"""Memory for each megabyte that the shard stores; 1.5 were measured."""


class Allocation(NamedTuple):
    megabytes: int
    minutes: int


def allocation(stage: str, job: str) -> Allocation:
    """For the first attempt at a job; the second asks for twice as much, and so on."""
    content = json.loads(job)
    content.pop("seed")  # all seeds of a family have the same size
    return _of_job(stage, json.dumps(content))


@cache
def _of_job(stage: str, job: str) -> Allocation:
    # Not at the top: the front door imports this module, and has no use for what these import.
    from repgeom.costs import SHIPPED, stored_bytes
    from repgeom.decoders import Decoders
    from repgeom.measures import work
    from repgeom.stages.job import wanted_runs

    content = json.loads(job)
    runs = wanted_runs(content).values()
    if stage == "train":
        units = sum(run.steps[-1] * run.spec.products_per_step for run in runs)
    else:
        decoders = Decoders.model_validate(content["decoders"])
        units = sum(work(run.spec, run.measures, decoders) for run in runs)
    return of_size(sum(map(stored_bytes, runs)) / 1e6, SHIPPED[stage].seconds(units))


def of_size(stored_megabytes: float, expected_seconds: float) -> Allocation:
    return Allocation(
        START_MEGABYTES + math.ceil(MEGABYTES_PER_STORED * stored_megabytes),
        START_MINUTES + math.ceil(HEADROOM * expected_seconds / 60),
    )
