"""The size of a network on images in closed form: as torch counts it."""

import sys
from subprocess import run

import pytest
import torch
from repatlas.experiments.images.grid import ImageSweep
from repatlas.experiments.images.known import DATA_SETS
from repatlas.stages.image_job import wanted_image_runs
from torch.utils.flop_counter import FlopCounterMode

from repatlas.experiments.images.size import products, size, stored_bytes
from repatlas.experiments.images.spec import ImageSpec
from repatlas.networks.convolutional import build

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
    return build(0, spec.network, DATA_SETS[spec.data_set].SHAPE).eval()


@networks
def test_products_are_those_that_torch_counts(data_set, architecture, width, depth):
    spec = spec_of(data_set, architecture, width, depth)
    with FlopCounterMode(display=False) as counted, torch.no_grad():
        built(spec)(torch.zeros(1, *DATA_SETS[data_set].SHAPE))
    assert 2 * size(spec).products == counted.get_total_flops()


@networks
def test_values_are_what_convolutions_and_full_layers_give(data_set, architecture, width, depth):
    spec = spec_of(data_set, architecture, width, depth)
    module, given = built(spec), []
    for layer in module.modules():
        if isinstance(layer, torch.nn.Conv2d | torch.nn.Linear):
            layer.register_forward_hook(lambda _layer, _images, out: given.append(out.numel()))
    with torch.no_grad():
        module(torch.zeros(1, *DATA_SETS[data_set].SHAPE))
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


def test_products_of_a_job_are_those_of_all_passes():
    small, large = spec_of("digits", "small_cnn", 4), spec_of("digits", "resnet18", 4)
    expected = 3 * size(small).products + 5 * size(large).products
    assert products({small: 3, large: 5}) == expected


def test_a_network_of_several_sweeps_is_wanted_once_at_all_their_epochs():
    values = {
        "data_set": "digits",
        "network": {"architecture": "small_cnn", "activation": "tanh", "width": 4},
        "seeds": 1,
    }
    grids = [
        values | {"epochs": [0, 7]},
        values | {"epochs": [0, 2, 9], "pairing": ["random"]},
        values | {"epochs": [0, 5], "network": values["network"] | {"width": 5}},
    ]
    dumped = [ImageSweep.model_validate(g).model_dump(exclude={"seeds"}) for g in grids]
    wanted = wanted_image_runs({"family": "digits-small-cnn-w4-d2", "grids": dumped})
    found = {run.spec.pairing: run.epochs for run in wanted.values()}
    assert found == {"fixed": [0, 7], "random": [0, 2, 7, 9]}


@pytest.mark.parametrize("module", ["images.work", "stages.plan", "allocation"])
def test_what_counts_before_training_loads_no_torch(module):
    program = f"import repatlas.{module}, sys; print('torch' in sys.modules)"
    done = run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
