"""The size of a network on images in closed form: as torch counts it."""

import sys
from subprocess import run

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from repatlas.artifacts.recipes.networks import TrainJob
from repatlas.experiments.images.size import measuring, size, stored_bytes, training
from repatlas.experiments.images.spec import ImageSpec
from repatlas.experiments.images.task import LABELS
from repatlas.images.published import data_set as published
from repatlas.networks.convolutional import build
from repatlas.representation import Decoders

NETWORKS = [
    # digits halve to a side of 1, Fashion-MNIST to odd ones
    (data_set, architecture, width, depth)
    for data_set in ("digits", "fashion_mnist", "cifar10")
    for architecture, width, depth in [
        ("small_cnn", 3, 2),
        ("small_cnn", 4, 1),
        ("resnet18", 4, 2),
        ("resnet18", 3, 1),
    ]
]
networks = pytest.mark.parametrize(("data_set", "architecture", "width", "depth"), NETWORKS)


def spec_of(data_set, architecture, width, depth=2, activation="tanh"):
    network = {"architecture": architecture, "activation": activation, "width": width}
    return ImageSpec(data_set=data_set, network=network | {"depth": depth})


def built(spec):
    return build(0, spec.network, published(spec.data_set).SHAPE, LABELS).eval()


@networks
def test_products_are_those_that_torch_counts(data_set, architecture, width, depth):
    spec = spec_of(data_set, architecture, width, depth)
    with FlopCounterMode(display=False) as counted, torch.no_grad():
        built(spec)(torch.zeros(1, *published(data_set).SHAPE))
    assert 2 * size(spec).products == counted.get_total_flops()


@networks
def test_values_are_what_convolutions_and_full_layers_give(data_set, architecture, width, depth):
    spec = spec_of(data_set, architecture, width, depth)
    module, given = built(spec), []
    for layer in module.modules():
        if isinstance(layer, torch.nn.Conv2d | torch.nn.Linear):
            layer.register_forward_hook(lambda _layer, _images, out: given.append(out.numel()))
    with torch.no_grad():
        module(torch.zeros(1, *published(data_set).SHAPE))
    assert size(spec).values == sum(given)


@networks
def test_what_is_stored_are_weights_and_running_statistics(data_set, architecture, width, depth):
    spec = spec_of(data_set, architecture, width, depth)
    module = built(spec)
    assert size(spec).trained == sum(values.numel() for values in module.parameters())
    running = [b.numel() for name, b in module.named_buffers() if "running" in name]
    assert size(spec).running == sum(running)


def test_two_epochs_are_stored_and_two_moments_of_the_last():
    spec = spec_of("cifar10", "resnet18", 64)
    assert stored_bytes(spec, [0, 15]) == 4 * (2 * (11_171_397 + 9_600) + 2 * 11_171_397)


def test_products_of_training_are_those_of_every_image_in_every_epoch():
    spec, data = spec_of("digits", "small_cnn", 4), {"images": {"train": 30, "test": 7}}
    assert training(spec, 5, data) == 5 * 30 * size(spec).products
    assert training(spec, 5, {}) == 5 * 1437 * size(spec).products


def test_products_of_measuring_are_those_of_every_held_out_image_at_every_epoch():
    spec, data = spec_of("digits", "resnet18", 4), {"images": {"train": 30, "test": 7}}
    measures = {"alignment": [0, 2], "ccgp": [2, 5]}
    assert measuring(spec, measures, Decoders(), data) == 3 * 7 * size(spec).products


def test_a_network_of_several_sweeps_is_wanted_once_at_all_their_epochs():
    values = {
        "data_set": "digits",
        "network": {"architecture": "small_cnn", "activation": "tanh", "width": 4},
    }
    grids = [
        values | {"epochs": [0, 7]},
        values | {"epochs": [0, 2, 9], "pairing": ["random"]},
        values | {"epochs": [0, 5], "network": values["network"] | {"width": 5}},
    ]
    job = TrainJob(experiment="images", family="digits-small-cnn-w4-d2", seed=0, grids=grids)
    found = {run.spec.pairing: run.steps for run in job.wanted().values()}
    assert found == {"fixed": [0, 7], "random": [0, 2, 7, 9]}


@pytest.mark.parametrize(
    "module", ["experiments.images.size", "operations.plan_command", "operations.costs"]
)
def test_what_counts_before_training_loads_no_torch(module):
    program = f"import repatlas.{module}, sys; print('torch' in sys.modules)"
    done = run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
