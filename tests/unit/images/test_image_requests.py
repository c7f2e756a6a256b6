"""What a job on images asks of a cluster suffices, by measurements, and is no hoarding."""

import pytest

from repatlas.artifacts.recipes.networks import MeasureJob, TrainJob
from repatlas.experiments.images.size import SECONDS
from repatlas.experiments.images.spec import ImageGrid
from repatlas.operations.costs import HEADROOM, request

SNAKEMAKES = 2 * 200
"""Megabytes of the two that stand around each job on a cluster"""
MEMORY = [
    # Peaks of whole jobs on a CPU, with few images: two activations with two pairings each, at two
    # epochs, batches of 128. The last line is a sum: one network alone, on several batches, took
    # 5809 to train and 3135 to measure, and a whole job up to 1250 and 1610 more than that.
    ("digits", "small_cnn", 32, {"train": 393, "measure": 492}),
    ("digits", "resnet18", 16, {"train": 540, "measure": 547}),
    ("cifar10", "small_cnn", 32, {"train": 746, "measure": 681}),
    ("cifar10", "resnet18", 32, {"train": 1392, "measure": 1001}),
    ("cifar10", "resnet18", 64, {"train": 3167, "measure": 1883}),
    ("stl10", "small_cnn", 32, {"train": 2514, "measure": 1823}),
    ("stl10", "resnet18", 64, {"train": 7050, "measure": 4750}),
]
TIMES = [
    # Stage, units of work, seconds of a core. For digits, Fashion-MNIST and CIFAR-10 these are the
    # jobs of a figure (five at most); the others train on a few made-up images.
    ("train", 4.37e10, 6.5),
    ("train", 1.87e11, 22.2),
    ("train", 1.11e12, 92),
    ("train", 2.15e12, 161),
    ("train", 5.69e11, 25.1),  # ResNet-18 in full on CIFAR-10
    ("train", 1.28e12, 52.2),  # on STL-10
    ("train", 1.53e11, 22.6),  # the small network on STL-10, most of it for its files
    ("measure", 1.09e9, 2.8),
    ("measure", 6.25e9, 3.5),
    ("measure", 4.06e10, 4.8),
    ("measure", 1.86e11, 9.9),
    ("measure", 8.9e11, 14.4),
    ("measure", 4e12, 68.6),
    ("measure", 2.4e11, 14.8),
]


def asked(stage, data_set, architecture, width, epochs=(0, 1), **training):
    network = {"architecture": architecture, "activation": ["tanh", "relu"], "width": width}
    grid = {"data_set": data_set, "network": network, "training": training}
    grid |= {"epochs": list(epochs)}
    (family,) = ImageGrid.model_validate(grid).families
    shard = {"experiment": "images", "family": family, "seed": 0}
    if stage == "train":
        return request(stage, TrainJob(**shard, grids=[grid]).text, 1)
    grid["measures"] = ["accuracy", "alignment", "ccgp", "parallelism"]
    return request(stage, MeasureJob(**shard, grids=[grid], decoders={}).text, 1)


@pytest.mark.parametrize("stage", ["train", "measure"])
@pytest.mark.parametrize(("data_set", "architecture", "width", "took"), MEMORY)
def test_a_job_gets_the_memory_it_took_and_half_as_much_again(
    stage, data_set, architecture, width, took
):
    megabytes = took[stage] + SNAKEMAKES
    assert 1.5 * megabytes <= asked(stage, data_set, architecture, width).megabytes
    assert asked(stage, data_set, architecture, width).megabytes <= 3 * megabytes


@pytest.mark.parametrize(("stage", "units", "seconds"), TIMES)
def test_a_job_gets_the_time_it_took_and_a_third_more_beside_its_start(stage, units, seconds):
    start, per_unit = SECONDS[stage]
    expected = start + per_unit * units
    assert 4 / 3 * seconds <= HEADROOM * expected <= 4 * seconds


def test_time_goes_with_the_epochs_that_are_trained_or_measured():
    few, many, stored = (0, 10), (0, 20), (0, 10, 20)
    trained, longer, measured, more = (
        asked(stage, "cifar10", "resnet18", 64, epochs).minutes
        for stage, epochs in [
            ("train", few),
            ("train", many),
            ("measure", many),
            ("measure", stored),
        ]
    )
    assert longer - 5 == pytest.approx(2 * (trained - 5), rel=0.01)
    assert more - 5 == pytest.approx(1.5 * (measured - 5), rel=0.02)


def test_a_larger_batch_asks_for_more_memory_to_train_and_not_to_measure():
    network = ("stl10", "resnet18", 64)
    small, large = (asked("train", *network, batch=batch) for batch in (16, 512))
    assert large.megabytes > 2 * small.megabytes
    small, large = (asked("measure", *network, batch=batch) for batch in (16, 512))
    assert large.megabytes == small.megabytes
