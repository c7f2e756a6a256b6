"""Every path that may run on a GPU keeps its tensors there. Checked without a GPU: no numbers are
computed, and an operation between two devices raises."""

import numpy as np
import pytest
import torch
from second_device import GPU, a_gpu
from stages import groups_of, make_data
from trained_blocks import ACTIVATIONS, make_block

from repatlas.config.config import read_config
from repatlas.experiments.classification.train import train as train_to_name
from repatlas.experiments.clusters import engine
from repatlas.experiments.clusters.training import Training
from repatlas.experiments.files.model import record
from repatlas.experiments.images import represent
from repatlas.experiments.images.train import train as train_on_images
from repatlas.representation import Decoders
from repatlas.workflow.plan import Plan

CONVOLUTIONAL = {"activation": ["tanh"], "width": 2, "depth": 2}
SWEEPS = {
    "structure": {
        "experiment": "images",
        "data_set": "digits",
        "pairing": ["fixed"],
        "network": CONVOLUTIONAL | {"architecture": "small_cnn"},
        "epochs": [0, 1, 2],
        "seeds": 1,
        "measures": ["accuracy"],
    },
    "convergence": {
        "experiment": "classification",
        "data_set": "digits",
        "network": CONVOLUTIONAL | {"kind": "small_cnn", "activation": "relu"},
        "task": {"images": 100},
        "training": {"batch": 50, "frozen": ["linear"], "passes": 2},
        "steps": [0, 1, 2],
        "seeds": 1,
        "measures": ["accuracy"],
    },
}
MODEL = """
import torch
from torch import nn


def build():
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten())
    return model, [torch.ones(2, 1, 4, 4), {"input": torch.ones(1, 1, 4, 4)}], ["a", "b", "c"]
"""


def small(training=(), **options):
    return Training(**{"batch": 32, "samples": 320} | dict(training) | options)


def train(block, activation, training):
    parameters = [name for name in block.parameters if name != "output_bias"]
    with a_gpu() as used:
        trained = engine.train(block, activation, parameters, training, 0, [0, 3, 20], GPU)
    return trained, used


def computed_on_the_gpu(used, operation):
    return {device for name, device in used if name == operation} == {GPU}


def test_a_tensor_that_stays_behind_is_noticed():
    with a_gpu():
        there, here = torch.zeros(3, device=GPU), torch.from_numpy(np.zeros(3))
        with pytest.raises(RuntimeError, match="same device"):
            there + here
        with pytest.raises(TypeError, match="to numpy"):
            there.numpy()
        assert there.cpu().numpy().tolist() == [1, 1, 1]


@pytest.mark.parametrize(("activation", "depth"), [*((a, 1) for a in ACTIVATIONS), ("tanh", 2)])
def test_networks_on_clusters_train_on_a_gpu(activation, depth):
    block = make_block([0.0, 1.0], network={"depth": depth})
    trained, used = train(block, activation, small())
    assert computed_on_the_gpu(used, "bmm")
    assert trained.parameters["weights1"].shape == (2, 3, 24, 30)


@pytest.mark.parametrize("outputs", [1, 3])
def test_adam_and_nonnegative_inputs_are_on_the_gpu_too(outputs):
    block = make_block([0.0, 1.0], outputs=outputs)._replace(rectified=True)
    trained, used = train(block, "relu", small(optimiser="adam", errors="equal"))
    assert computed_on_the_gpu(used, "bmm")
    assert trained.state["mean/readout"].shape == (2, outputs, 24)


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
def test_networks_on_a_gpu_stop_where_the_loss_is_low(optimiser, monkeypatch):
    """Every number that comes from the GPU is 1: one epoch was low."""
    monkeypatch.setattr(engine, "LOW_EPOCHS", 1)
    training = small(optimiser=optimiser, stop_below=0.1)
    trained, _ = train(make_block([0.0, 1.0]), "relu", training)
    assert trained.converged.tolist() == [0, 0]


def wanted_of(plan):
    """Return the data of the one group of a plan, and the networks that it asks for."""
    (group,) = groups_of(plan)
    return make_data(plan, group.place), group.networks(0)


@pytest.fixture(params=SWEEPS)
def convolutional(request, tmp_path, monkeypatch):
    """The study, its data, and the networks that its one job asks for."""
    monkeypatch.chdir(tmp_path)
    plan = Plan(read_config({"study": request.param, "sweeps": {"digits": SWEEPS[request.param]}}))
    return request.param, *wanted_of(plan)


def test_convolutional_networks_train_on_a_gpu_and_go_on_there(convolutional):
    study, data, wanted = convolutional
    train = {"structure": train_on_images, "convergence": train_to_name}[study]
    first = {key: network._replace(steps=[0, 1]) for key, network in wanted.items()}
    with a_gpu() as used:
        *_, begun = train(first, {}, data, 0, GPU, print)
        *_, ended = train(wanted, begun, data, 0, GPU, print)
    assert computed_on_the_gpu(used, "convolution")
    assert {run.about["device"] for run in ended.values()} == {GPU}
    assert {run.last_step for run in ended.values()} == {2}


@pytest.mark.parametrize("convolutional", ["structure"], indirect=True)
def test_images_are_represented_on_a_gpu(convolutional, monkeypatch):
    _, data, wanted = convolutional
    monkeypatch.setattr(represent, "chosen_device", lambda name: GPU)
    (network,) = wanted.values()
    with a_gpu() as used:
        *_, trained = train_on_images(wanted, {}, data, 0, GPU, print)
        (run,) = trained.values()
        parameters = {name: values[-1] for name, values in run.parameters.items()}
        found = represent.Source(data, 0, Decoders(), "auto").of(network.spec, parameters)
    assert len(found.layers) == 4
    assert computed_on_the_gpu(used, "convolution")


def test_layers_of_a_users_model_are_recorded_on_a_gpu(tmp_path, monkeypatch):
    (tmp_path / "my_model.py").write_text(MODEL)
    monkeypatch.syspath_prepend(tmp_path)
    with a_gpu() as used:
        shapes = record("my_model:build", ["*"], tmp_path / "layers", GPU)
    assert computed_on_the_gpu(used, "convolution")
    assert shapes["3"] == (3, 8)
