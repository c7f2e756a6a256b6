"""The batched perceptrons: their gradients, their bits, and their frozen layers."""

import numpy as np
import pytest
import torch

from repatlas.experiments.classification.engine import Block, train
from repatlas.experiments.classification.training import (
    NamingTraining,
    batches,
    freezing,
)
from repatlas.networks.activation import activation as activation_of
from repatlas.networks.mlp import Network, initial_parameters

IMAGES, INPUTS, BATCH = 45, 6, 7
EACH = IMAGES // BATCH  # steps of a pass


def block(width=10, depth=2, runs=1, dtype=np.float32):
    """Return runs that start with the same weights and learn different labels."""
    rng = np.random.default_rng(3)
    network = Network(activation="tanh", width=width, depth=depth, initial="linear",
                      readout="trained")  # fmt: skip
    initial = initial_parameters(1, network, INPUTS, 10)
    return Block(
        rng.standard_normal((IMAGES, INPUTS)).astype(dtype),
        rng.integers(0, 10, (4, IMAGES))[:runs],
        rng.standard_normal((20, INPUTS)).astype(dtype),
        rng.integers(0, 10, 20),
        {name: np.stack([values.astype(dtype)] * runs) for name, values in initial.items()},
    )


def trained(of, steps, training=None, start=0, activation="tanh"):
    return train(of, activation, training or NamingTraining(batch=BATCH), 1, steps, start=start)


def run_of(of, number):
    return of._replace(
        labels=of.labels[number : number + 1],
        parameters={name: values[number : number + 1] for name, values in of.parameters.items()},
        state={name: values[number : number + 1] for name, values in of.state.items()},
    )


def module_of(of, activation):
    """Return the same network as a module for autograd."""
    layers = []
    depth = sum(name.startswith("weights") for name in of.parameters)
    for number in range(1, depth + 1):
        layers.append((of.parameters[f"weights{number}"][0], of.parameters[f"bias{number}"][0]))
    layers.append((of.parameters["readout"][0], of.parameters["output_bias"][0]))
    modules = []
    for weights, bias in layers:
        linear = torch.nn.Linear(*weights.shape[::-1], dtype=torch.float64)
        linear.weight.data, linear.bias.data = torch.tensor(weights), torch.tensor(bias)
        modules += [linear, activation_of(activation).module()]
    return torch.nn.Sequential(*modules[:-1])


def plain_loop(of, activation, training, steps):
    """Train by autograd and torch's Adam on the same batches; frozen layers have no gradient."""
    module = module_of(of, activation)
    linear = [layer for layer in module if isinstance(layer, torch.nn.Linear)]
    adam = torch.optim.Adam(module.parameters(), lr=training.learning_rate)
    freezes = freezing(training, len(linear), EACH)
    inputs, labels = torch.tensor(of.inputs), torch.tensor(of.labels[0])
    for step, chosen in enumerate(batches(1, IMAGES, training.batch, steps)):
        for layer, first in zip(linear, freezes, strict=False):
            layer.requires_grad_(step < first)
        adam.zero_grad()
        torch.nn.functional.cross_entropy(module(inputs[chosen]), labels[chosen]).backward()
        adam.step()
    return module, linear


@pytest.mark.parametrize("activation", ["tanh", "relu", "gelu"])
@pytest.mark.parametrize("schedule", ["none", "linear"])
def test_training_is_that_of_autograd_and_of_torchs_adam(activation, schedule):
    of = block(dtype=np.float64)
    training = NamingTraining(batch=BATCH, learning_rate=0.01, frozen=schedule, passes=2)
    found = trained(of, [2 * EACH], training, activation=activation).parameters
    _, linear = plain_loop(of, activation, training, 2 * EACH)
    for number, layer in enumerate(linear, start=1):
        weights, bias = (
            (f"weights{number}", f"bias{number}") if number < 3 else ("readout", "output_bias")
        )
        np.testing.assert_allclose(found[weights][0, 0], layer.weight.detach(), atol=1e-10)
        np.testing.assert_allclose(found[bias][0, 0], layer.bias.detach(), atol=1e-10)


def test_curves_are_of_all_images_at_the_end_of_each_pass():
    of = block(dtype=np.float64)
    training = NamingTraining(batch=BATCH, learning_rate=0.01)
    found = trained(of, [0, 2 * EACH + 3], training)
    assert found.passed.tolist() == [0, EACH, 2 * EACH]
    module, _ = plain_loop(of, "tanh", training, 2 * EACH)
    with torch.no_grad():
        logits, test = module(torch.tensor(of.inputs)), module(torch.tensor(of.test_inputs))
    labels = torch.tensor(of.labels[0])
    loss = torch.nn.functional.cross_entropy(logits, labels).item()
    assert found.curves["loss"][0, 2] == pytest.approx(loss)
    hits = (logits.argmax(1) == labels).double().mean().item()
    assert found.curves["training accuracy"][0, 2] == pytest.approx(hits)
    hits = (test.argmax(1).numpy() == of.test_labels).mean()
    assert found.curves["test accuracy"][0, 2] == pytest.approx(hits)


@pytest.mark.parametrize("width", [2, 64])
@pytest.mark.parametrize("schedule", ["none", "cubic"])
def test_a_run_has_the_same_bits_whatever_runs_beside_it(width, schedule):
    several = block(width, runs=4)
    training = NamingTraining(batch=BATCH, learning_rate=0.01, frozen=schedule, passes=3)
    together = trained(several, [5, 3 * EACH], training)
    for number in range(4):
        alone = trained(run_of(several, number), [5, 3 * EACH], training)
        for name, values in alone.parameters.items():
            np.testing.assert_array_equal(values[0], together.parameters[name][number])
        for name, values in alone.curves.items():
            np.testing.assert_array_equal(values[0], together.curves[name][number])
        for name, values in alone.state.items():
            np.testing.assert_array_equal(values[0], together.state[name][number])


@pytest.mark.parametrize("stop", [EACH, EACH + 2])
@pytest.mark.parametrize("schedule", ["none", "linear"])
def test_training_goes_on_from_any_step_with_the_same_bits(stop, schedule):
    of = block(runs=2)
    training = NamingTraining(batch=BATCH, frozen=schedule, passes=3)
    whole = trained(of, [stop, 3 * EACH], training)
    first = trained(of, [stop], training)
    last = {name: values[:, -1] for name, values in first.parameters.items()}
    second = trained(of._replace(parameters=last, state=first.state), [3 * EACH], training, stop)
    for name, values in second.parameters.items():
        np.testing.assert_array_equal(values[:, 0], whole.parameters[name][:, 1])
    assert [*first.passed, *second.passed] == whole.passed.tolist()
    for name, values in whole.curves.items():
        joined = np.concatenate([first.curves[name], second.curves[name]], axis=1)
        np.testing.assert_array_equal(joined, values)


def test_a_run_that_diverges_is_told_from_one_that_does_not():
    of = block(runs=2)
    of.parameters["weights1"][1, 0, 0] = np.inf
    found = trained(of, [4], activation="relu")
    assert found.diverged.tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("schedule", "steps"),
    [
        ("none", []),
        ("linear", [176, 352, 528, 704]),
        ("late_linear", [528, 616, 704, 792]),
        ("square_root", [394, 557, 682, 788]),
        ("cubic", [8, 57, 191, 451]),
    ],
)
def test_schedules_freeze_layer_after_layer_and_never_the_readout(schedule, steps):
    assert freezing(NamingTraining(frozen=schedule, passes=40), 5, 22) == steps
