"""What a job on images asks of a cluster suffices, by measurements, and is no hoarding."""

import json

import pytest
from repatlas.experiments.images.grid import ImageGrid
from repatlas.measures.of_images import BATCH

from repatlas.operations.allocation import HEADROOM, IMAGES_PER_MEASURING, allocation
from repatlas.operations.costs import SHIPPED

SNAKEMAKES = 2 * 200
"""Megabytes of the two that stand around each job on a cluster"""
MEMORY = [
    # Peaks of whole jobs on a CPU, with few images: two activations with two pairings each, at two
    # epochs, batches of 128. The last line is a sum: one network alone, on several batches, took
    # 5809 to train and 3135 to measure, and a whole job up to 1250 and 1610 more than that.
    ("digits", "small_cnn", 32, {"train_images": 393, "measure_images": 492}),
    ("digits", "resnet18", 16, {"train_images": 540, "measure_images": 547}),
    ("cifar10", "small_cnn", 32, {"train_images": 746, "measure_images": 681}),
    ("cifar10", "resnet18", 32, {"train_images": 1392, "measure_images": 1001}),
    ("cifar10", "resnet18", 64, {"train_images": 3167, "measure_images": 1883}),
    ("stl10", "small_cnn", 32, {"train_images": 2514, "measure_images": 1823}),
    ("stl10", "resnet18", 64, {"train_images": 7050, "measure_images": 4750}),
]
TIMES = [
    # stage, units of work, seconds of a core: of digits, Fashion-MNIST and CIFAR-10 the jobs of a
    # figure, the most of five; the rest on a few made-up images
    ("train_images", 4.37e10, 6.5),
    ("train_images", 1.87e11, 22.2),
    ("train_images", 1.11e12, 92),
    ("train_images", 2.15e12, 161),
    ("train_images", 5.69e11, 25.1),  # ResNet-18 in full on CIFAR-10
    ("train_images", 1.28e12, 52.2),  # on STL-10
    ("train_images", 1.53e11, 22.6),  # the small network on STL-10, most of it for its files
    ("measure_images", 1.09e9, 2.8),
    ("measure_images", 6.25e9, 3.5),
    ("measure_images", 4.06e10, 4.8),
    ("measure_images", 1.86e11, 9.9),
    ("measure_images", 8.9e11, 14.4),
    ("measure_images", 4e12, 68.6),
    ("measure_images", 2.4e11, 14.8),
]


def asked(stage, data_set, architecture, width, epochs=(0, 1), **training):
    network = {"architecture": architecture, "activation": ["tanh", "relu"], "width": width}
    grid = {"data_set": data_set, "network": network, "training": training}
    grid |= {"epochs": list(epochs)}
    (family,) = ImageGrid.model_validate(grid).families
    return allocation(stage, json.dumps({"family": family, "seed": 0, "grids": [grid]}))


@pytest.mark.parametrize("stage", ["train_images", "measure_images"])
@pytest.mark.parametrize(("data_set", "architecture", "width", "took"), MEMORY)
def test_a_job_gets_the_memory_it_took_and_half_as_much_again(
    stage, data_set, architecture, width, took
):
    megabytes = took[stage] + SNAKEMAKES
    assert 1.5 * megabytes <= asked(stage, data_set, architecture, width).megabytes
    assert asked(stage, data_set, architecture, width).megabytes <= 3 * megabytes


@pytest.mark.parametrize(("stage", "units", "seconds"), TIMES)
def test_a_job_gets_the_time_it_took_and_a_third_more_beside_its_start(stage, units, seconds):
    expected = SHIPPED[stage].seconds(units)
    assert 4 / 3 * seconds <= HEADROOM * expected <= 4 * seconds


def test_time_goes_with_the_epochs_that_are_trained_or_measured():
    few, many, stored = (0, 10), (0, 20), (0, 10, 20)
    trained, longer, measured, more = (
        asked(stage, "cifar10", "resnet18", 64, epochs).minutes
        for stage, epochs in [
            ("train_images", few),
            ("train_images", many),
            ("measure_images", many),
            ("measure_images", stored),
        ]
    )
    assert longer - 5 == pytest.approx(2 * (trained - 5), rel=0.01)
    assert more - 5 == pytest.approx(1.5 * (measured - 5), rel=0.02)


def test_a_larger_batch_asks_for_more_memory_to_train_and_not_to_measure():
    network = ("stl10", "resnet18", 64)
    small, large = (asked("train_images", *network, batch=batch) for batch in (16, 512))
    assert large.megabytes > 2 * small.megabytes
    small, large = (asked("measure_images", *network, batch=batch) for batch in (16, 512))
    assert large.megabytes == small.megabytes


def test_what_is_measured_in_one_pass_is_what_the_stage_measures():
    assert IMAGES_PER_MEASURING == BATCH
