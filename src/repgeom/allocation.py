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
"""Memory for each megabyte that the shard stores; 1.5 were measured, 3.5 for networks on images."""
MEGABYTES_PER_VALUE = 3
"""Memory for each megabyte that convolutions give for the images of one pass; 0.9 to 2.7 were
measured. To go back, torch also keeps what nonlinearities, normalisation and pooling give."""
IMAGES_PER_MEASURING = 100
"""In one pass: as in repgeom.images.measures, which loads torch."""


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
    content = json.loads(job)
    if stage in ("train_images", "measure_images"):
        return _of_image_job(stage, content)
    # Not at the top: the front door imports this module, and has no use for what these import.
    from repgeom.costs import SHIPPED, stored_bytes
    from repgeom.decoders import Decoders
    from repgeom.measures import work
    from repgeom.stages.job import wanted_runs

    runs = wanted_runs(content).values()
    if stage == "train":
        units = sum(run.steps[-1] * run.spec.products_per_step for run in runs)
    else:
        decoders = Decoders.model_validate(content["decoders"])
        units = sum(work(run.spec, run.measures, decoders) for run in runs)
    return of_size(sum(map(stored_bytes, runs)) / 1e6, SHIPPED[stage].seconds(units))


def _of_image_job(stage: str, content: dict) -> Allocation:
    """By the published number of images: that of a subset is told by its file alone."""
    from repgeom.costs import SHIPPED
    from repgeom.images.data_sets import DATA_SETS
    from repgeom.images.work import products, size, stored_bytes
    from repgeom.stages.image_job import wanted_image_runs

    wanted = {run.spec: run.epochs for run in wanted_image_runs(content).values()}
    data_set = DATA_SETS[next(iter(wanted)).data_set]
    if stage == "train_images":
        passes = {spec: epochs[-1] for spec, epochs in wanted.items()}
        images, at_a_time = data_set.SIZES["train"], max(spec.training.batch for spec in wanted)
    else:
        passes = {spec: len(epochs) for spec, epochs in wanted.items()}
        images, at_a_time = data_set.SIZES["test"], IMAGES_PER_MEASURING
    values = 4 * at_a_time * max(size(spec).values for spec in wanted)
    mapped = sum(data_set.SIZES.values()) * math.prod(data_set.SHAPE)
    return of_size(
        sum(stored_bytes(*network) for network in wanted.items()) / 1e6,
        SHIPPED[stage].seconds(images * products(passes)),
        (MEGABYTES_PER_VALUE * values + mapped) / 1e6,
    )


def of_size(stored_megabytes: float, expected_seconds: float, others: float = 0) -> Allocation:
    """others: megabytes of memory beside those for what is stored."""
    return Allocation(
        START_MEGABYTES + math.ceil(MEGABYTES_PER_STORED * stored_megabytes + others),
        START_MINUTES + math.ceil(HEADROOM * expected_seconds / 60),
    )
