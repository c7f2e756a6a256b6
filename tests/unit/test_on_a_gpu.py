"""What only a real GPU shows: its numbers, and that they are the same each time."""

import numpy as np
import pandas as pd
import pytest
import torch
from test_gpu_path import SWEEPS, wanted_of
from trained_blocks import (
    ACTIVATIONS,
    ALL,
    STOPPING,
    assert_agrees_with_reference,
    at_checkpoint,
    make_block,
    names,
    part,
)

from repatlas.config.config import read_config
from repatlas.experiments.classification.train import train as train_to_name
from repatlas.experiments.clusters import engine
from repatlas.experiments.clusters.training import Training
from repatlas.experiments.images.train import train as train_on_images
from repatlas.networks.devices import chosen_device
from repatlas.own import compare, measure
from repatlas.workflow.plan import Plan

pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available(), reason="needs a GPU that torch can use; here is none"
)
OPTIMISERS = {"sgd": 0.1, "adam": 1e-3}


def train(block, activation, training, steps, depth=1, start=0, device="cuda"):
    trained = names(depth, readout=True)
    return engine.train(block, activation, trained, training, 0, steps, device, start)


def training_by(optimiser, **more):
    rate = OPTIMISERS[optimiser]
    return Training(
        **{"optimiser": optimiser, "learning_rate": rate, "batch": 32, "samples": 320} | more
    )


def assert_same(one, other):
    for kind in ("parameters", "state"):
        for name, values in getattr(one, kind).items():
            assert np.array_equal(values, getattr(other, kind)[name]), name


@pytest.mark.parametrize("optimiser", OPTIMISERS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_activation_trains_as_its_module_does_on_the_cpu(activation, optimiser):
    block = make_block([0.0, 1.0], outputs=3, dtype=np.float64, network=ALL)
    assert_agrees_with_reference(
        block, activation, training_by(optimiser), 100, 1e-9,
        trained=names(1, readout=True), device="cuda",
    )  # fmt: skip


@pytest.mark.parametrize("optimiser", OPTIMISERS)
@pytest.mark.parametrize("depth", [2, 5])
def test_deep_networks_train_as_modules_do(depth, optimiser):
    block = make_block([0.0, 1.0], outputs=2, dtype=np.float64, network={"depth": depth, **ALL})
    assert_agrees_with_reference(
        block, "tanh", training_by(optimiser), 100, 1e-9,
        trained=names(depth, readout=True), device="cuda",
    )  # fmt: skip


@pytest.mark.parametrize("optimiser", OPTIMISERS)
@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_training_has_the_same_bits_twice_and_where_it_is_interrupted(activation, optimiser):
    block = make_block(np.linspace(0, 4, 9), inputs=120, width=120, network=ALL)
    training = training_by(optimiser)
    once, twice = (train(block, activation, training, [13, 200]) for _ in range(2))
    assert_same(once, twice)
    first = train(block, activation, training, [13])
    rest = train(at_checkpoint(block, first, 0), activation, training, [200], start=13)
    for name, values in rest.parameters.items():
        assert np.array_equal(values[:, 0], once.parameters[name][:, 1]), name


def test_a_network_has_nearly_the_same_weights_whatever_networks_are_beside_it():
    """On a GPU the library may choose another product for another number of networks."""
    block = make_block(np.linspace(0, 4, 64), inputs=120, width=120, network=ALL)
    together = train(block, "tanh", training_by("sgd"), [200]).parameters["weights1"]
    for runs in ([0], [3, 50], [*range(33)]):
        fewer = train(part(block, runs), "tanh", training_by("sgd"), [200])
        assert np.abs(fewer.parameters["weights1"] - together[runs]).max() < 1e-5


def test_networks_stop_where_those_on_a_cpu_stop():
    block = make_block([0.0, 0.5, 1.0, 9.0], outputs=2, network=ALL, dtype=np.float64)
    training = Training(stop_below=0.8, **STOPPING)
    there, here = (train(block, "relu", training, [60], device=d) for d in ("cuda", "cpu"))
    assert there.converged.tolist() == here.converged.tolist()
    assert len(set(here.converged.tolist())) > 2
    for name, values in here.parameters.items():
        assert np.abs(there.parameters[name] - values).max() < 1e-9, name


@pytest.mark.parametrize("study", SWEEPS)
def test_convolutional_networks_have_the_same_bits_twice(study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = Plan(read_config({"study": study, "sweeps": {"digits": SWEEPS[study]}}))
    data, wanted = wanted_of(plan)
    trained_by = {"structure": train_on_images, "convergence": train_to_name}[study]
    device = chosen_device("cuda")
    found = []
    for where in (device, device, "cpu"):
        *_, runs = trained_by(wanted, {}, data, 0, where, print)
        (run,) = runs.values()
        found.append(run.parameters)
    once, twice, on_cpu = found
    for name, values in once.items():
        assert np.array_equal(values, twice[name]), name
        assert np.abs(values - on_cpu[name]).max() < 1e-2, name


def test_representations_on_a_gpu_are_measured_as_their_numbers():
    rng = np.random.default_rng(0)
    labels = np.column_stack([np.tile([0, 1], 40), np.repeat([0, 1], 40)])
    rates = labels @ rng.standard_normal((2, 8)) + rng.standard_normal((80, 8))
    there = torch.tensor(rates, device="cuda", requires_grad=True)
    pd.testing.assert_frame_equal(
        measure(there, torch.tensor(labels, device="cuda"), "trials", None, ["ccgp"], draws=9),
        measure(rates, labels, "trials", None, ["ccgp"], draws=9),
    )
    pd.testing.assert_frame_equal(
        compare(there, {"other": there[:, :4]}, ["procrustes"], draws=2),
        compare(rates, {"other": rates[:, :4]}, ["procrustes"], draws=2),
    )
