"""What the job of a shard asks of a cluster: memory and time, from its size.

Cores are no question of size: the networks are small, and a second core makes no product faster.
The size is that of the whole shard, though the job may find a part of it done: what it asks for
then doesn't depend on what lies on the disk.
"""

import json
import math
from functools import cache
from typing import NamedTuple

from repatlas.experiments.clusters.size import measuring_bytes, stored_bytes, training_bytes, work
from repatlas.experiments.clusters.spec import Spec
from repatlas.experiments.images.data_sets import work as image_work
from repatlas.experiments.images.known import DATA_SETS
from repatlas.experiments.images.spec import ImageSpec
from repatlas.operations.costs import SHIPPED
from repatlas.representation import Decoders

HEADROOM = 3
"""Times the seconds that the cost model expects: nodes may be slower than its machine, and busy.
Also times the memory of samples and batches, since some are copied on the way."""
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
"""In one pass: as in repatlas.measures.of_images, which loads torch."""


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
    # Not at the top: the front door imports this module, and has no use for what these import.
    if stage in ("train_images", "measure_images"):
        from repatlas.stages.image_job import wanted_image_runs

        wanted = wanted_image_runs(content).values()
        return of_image_networks(stage, {run.spec: run.epochs for run in wanted})
    from repatlas.stages.job import wanted_runs

    networks = [Networks(*run) for run in wanted_runs(content).values()]
    if stage == "train":
        return of_training(networks)
    return of_measuring(networks, Decoders.model_validate(content["decoders"]))


class Networks(NamedTuple):
    """Networks of one shape that a job trains or measures."""

    spec: Spec
    """Of one of them"""
    steps: list[int]
    measures: dict[str, list[int]]
    """The steps at which each is wanted"""
    number: int = 1


def of_training(networks: list[Networks]) -> Allocation:
    products = sum(n.number * n.steps[-1] * n.spec.products_per_step for n in networks)
    memory = max(training_bytes(n.spec) for n in networks)
    return of_size(_stored(networks), SHIPPED["train"].seconds(products), HEADROOM * memory / 1e6)


def of_measuring(networks: list[Networks], decoders: Decoders) -> Allocation:
    units = sum(n.number * work(n.spec, n.measures, decoders) for n in networks)
    memory = max(measuring_bytes(n.spec, decoders) for n in networks)
    return of_size(_stored(networks), SHIPPED["measure"].seconds(units), HEADROOM * memory / 1e6)


def _stored(networks: list[Networks]) -> float:
    """Megabytes"""
    return sum(n.number * stored_bytes(n.spec, n.steps) for n in networks) / 1e6


def of_image_networks(stage: str, wanted: dict[ImageSpec, list[int]]) -> Allocation:
    """For networks on images with the epochs of each, by the published number of images: that of a
    subset is told by its file alone."""
    data_set = DATA_SETS[next(iter(wanted)).data_set]
    if stage == "train_images":
        passes = {spec: epochs[-1] for spec, epochs in wanted.items()}
        images, at_a_time = data_set.SIZES["train"], max(spec.training.batch for spec in wanted)
    else:
        passes = {spec: len(epochs) for spec, epochs in wanted.items()}
        images, at_a_time = data_set.SIZES["test"], IMAGES_PER_MEASURING
    values = 4 * at_a_time * max(image_work.size(spec).values for spec in wanted)
    mapped = sum(data_set.SIZES.values()) * math.prod(data_set.SHAPE)
    return of_size(
        sum(image_work.stored_bytes(*network) for network in wanted.items()) / 1e6,
        SHIPPED[stage].seconds(images * image_work.products(passes)),
        (MEGABYTES_PER_VALUE * values + mapped) / 1e6,
    )


def of_size(stored_megabytes: float, expected_seconds: float, others: float = 0) -> Allocation:
    """others: megabytes of memory beside those for what is stored."""
    return Allocation(
        START_MEGABYTES + math.ceil(MEGABYTES_PER_STORED * stored_megabytes + others),
        START_MINUTES + math.ceil(HEADROOM * expected_seconds / 60),
    )
