"""Both engines agree with the usual way to train a network, and the bits of a run do not depend on
the other runs of its block."""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_info, threadpool_limits
from trained_blocks import (
    ACTIVATIONS,
    ALL,
    ONE_LAYER,
    STOPPING,
    assert_agrees_with_reference,
    at_checkpoint,
    bias,
    contents,
    make_block,
    names,
    part,
    train,
    weights,
)

from repatlas.experiments.clusters import engine
from repatlas.experiments.clusters import train as stage
from repatlas.experiments.clusters.reference import reference_data, train_reference
from repatlas.experiments.clusters.training import Training, batches

activations = pytest.mark.parametrize("activation", ["tanh", "relu"])
# (inputs, width, batch): one that suits vector units, and one that doesn't.
shapes = pytest.mark.parametrize("shape", [(40, 48, 32), (37, 50, 33)], ids=str)
only_numba = pytest.mark.parametrize("trained_by", ["numba"], indirect=True)
STEPS = [0, 3, 20]


@pytest.fixture(params=["numba", "torch"], autouse=True)
def trained_by(request, monkeypatch):
    """The engine of a test. For an activation without loops it is torch twice."""
    if request.param == "torch":
        monkeypatch.setattr(stage, "compiled", None)
    else:
        pytest.importorskip("numba")
    return request.param


@activations
@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(np.float32, 1e-5), (np.float64, 1e-10)], ids=["single", "double"]
)
def test_100_steps_agree_with_a_module_and_an_optimiser(activation, dtype, tolerance):
    block = make_block([0.0, 1.0, 4.0], dtype=dtype)
    assert_agrees_with_reference(block, activation, Training(batch=32, samples=320), 100, tolerance)


@activations
@pytest.mark.parametrize("outputs", [1, 3])
def test_equal_errors_agree_with_autograd(activation, outputs):
    block = make_block([0.0, 1.0], outputs=outputs, dtype=np.float64)
    training = Training(batch=32, samples=320, errors="equal")
    assert_agrees_with_reference(block, activation, training, 100, 1e-10)


def test_inputs_cut_at_0_are_those_of_the_reference():
    block = make_block([0.0, 1.0, 4.0], dtype=np.float64)._replace(rectified=True)
    training = Training(batch=32, samples=320)
    assert_agrees_with_reference(block, "relu", training, 100, 1e-10)
    cut, whole = (
        train(b, "relu", training, 0, [5]) for b in (block, block._replace(rectified=False))
    )
    assert np.mean(weights(cut) != weights(whole)) > 0.9


deep = pytest.mark.parametrize(("depth", "outputs"), [(1, 5), (3, 2)], ids=str)
optimisers = pytest.mark.parametrize(
    ("optimiser", "rate"), [("sgd", 0.1), ("adam", 1e-3)], ids=["sgd", "adam"]
)


@activations
@optimisers
@deep
@pytest.mark.parametrize(
    ("dtype", "tolerance"),
    [pytest.param(np.float32, 1e-5, marks=pytest.mark.slow), (np.float64, 1e-10)],
    ids=["single", "double"],
)
def test_100_steps_of_deep_networks_agree_with_a_module_and_an_optimiser(
    activation, optimiser, rate, depth, outputs, dtype, tolerance
):
    block = make_block(
        [0.0, 1.0], outputs=outputs, clusters=8, dtype=dtype, network={"depth": depth, **ALL}
    )
    training = Training(optimiser=optimiser, learning_rate=rate, batch=32, samples=320)
    # Adam divides by the root of the mean square, and so enlarges the rounding of small gradients.
    tolerance *= 20 if optimiser == "adam" and dtype == np.float32 else 1
    trained = names(depth, readout=True)
    assert_agrees_with_reference(block, activation, training, 100, tolerance, trained=trained)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_activation_trains_as_its_module_does(activation):
    block = make_block([1.0], outputs=2, dtype=np.float64, network=ALL)
    training = Training(batch=32, samples=320)
    trained = names(1, readout=True)
    assert_agrees_with_reference(block, activation, training, 50, 1e-9, trained=trained)


@activations
@optimisers
@deep
def test_a_deep_run_gets_the_same_bits_whatever_runs_beside_it_and_wherever_it_is_interrupted(
    activation, optimiser, rate, depth, outputs
):
    block = make_block(np.linspace(0, 4, 9), outputs=outputs, network={"depth": depth, **ALL})
    training = Training(optimiser=optimiser, learning_rate=rate, batch=33, samples=320)
    trained = names(depth, readout=True)
    together = train(block, activation, training, 0, STEPS, trained=trained)
    for runs in ([0], [4, 5, 0, 7]):
        fewer = train(part(block, runs), activation, training, 0, STEPS, trained=trained)
        for name, values in fewer.parameters.items():
            assert np.array_equal(values, together.parameters[name][runs]), name
    first = train(block, activation, training, 0, [13], trained=trained)
    there = at_checkpoint(block, first, 0)
    rest = train(there, activation, training, 0, [20], trained=trained, start=13)
    for name, values in rest.parameters.items():
        assert np.array_equal(values[:, 0], together.parameters[name][:, -1]), name
    for name, values in rest.state.items():
        assert np.array_equal(values, together.state[name]), name


def epoch_losses(block, run, activation, training, trained, epochs):
    """Return the mean loss over the batches of each epoch, after training in the usual way."""
    inputs, targets = reference_data(block, run)
    losses = []
    for step, batch in enumerate(batches(0, training, epochs * training.epoch)):
        network = train_reference(block, run, activation, trained, training, 0, step)
        logits = network(inputs[batch]).detach().numpy()
        y = targets[batch].numpy()
        losses.append((np.logaddexp(0, logits) - y * logits).sum(axis=1).mean())
    return np.reshape(losses, (epochs, -1)).mean(axis=1)


def test_a_network_has_converged_after_two_epochs_of_low_loss_and_then_stays_as_it_is():
    block = make_block([0.0, 1.0, 9.0], outputs=2, network=ALL, dtype=np.float64)
    trained, epochs = names(1, readout=True), 12
    losses = np.stack(
        [epoch_losses(block, r, "tanh", Training(**STOPPING), trained, epochs) for r in range(3)]
    )
    threshold = np.sort(losses[0])[
        4:6
    ].mean()  # reached in the middle by one run, later or never by others
    training = Training(stop_below=threshold, **STOPPING)
    steps = [0, *range(3, 4 * epochs + 1, 3)]
    ours = train(block, "tanh", training, 0, steps, trained=trained)
    low = losses < threshold
    twice = low[:, 1:] & low[:, :-1]
    expected = [4 * (2 + int(np.argmax(row))) if row.any() else -1 for row in twice]
    assert ours.converged.tolist() == expected
    assert 0 < expected[0] < 4 * epochs - 8
    assert expected[2] == -1

    endless = train(block, "tanh", Training(**STOPPING), 0, [expected[0]], trained=trained)
    after = np.array(steps) >= expected[0]
    for name, values in ours.parameters.items():
        assert np.all(values[0, after] == endless.parameters[name][0])


def test_a_run_converges_to_the_same_bits_alone_together_and_interrupted():
    block = make_block([0.0, 0.5, 1.0, 9.0], outputs=2, network=ALL)
    trained, training = names(1, readout=True), Training(stop_below=0.8, **STOPPING)
    together = train(block, "relu", training, 0, [60], trained=trained)
    assert len(set(together.converged.tolist())) > 2
    for run in range(4):
        alone = train(part(block, [run]), "relu", training, 0, [60], trained=trained)
        assert alone.converged == together.converged[run]
        for name, values in alone.parameters.items():
            assert np.array_equal(values[0], together.parameters[name][run]), name
    there, converged = block, np.full(4, -1)
    for start, stop in ((0, 7), (7, 8), (8, 25), (25, 60)):
        on = train(there, "relu", training, 0, [stop], trained=trained, start=start)
        converged = np.where(converged < 0, on.converged, converged)
        there = at_checkpoint(block, on, 0)
    assert converged.tolist() == together.converged.tolist()
    for name, values in together.parameters.items():
        assert np.array_equal(there.parameters[name], values[:, 0]), name


@activations
@shapes
@pytest.mark.parametrize("outputs", [1, 3])
def test_a_run_gets_the_same_bits_whatever_runs_beside_it(activation, shape, outputs):
    inputs, width, batch = shape
    training = Training(batch=batch, samples=4 * batch)
    block = make_block(
        np.linspace(0, 4, 16),
        inputs=inputs,
        width=width,
        samples=training.samples,
        outputs=outputs,
    )
    together = train(block, activation, training, 0, STEPS)
    for runs in ([0], [9, 4, 0], list(reversed(range(16)))):
        fewer = train(part(block, runs), activation, training, 0, STEPS)
        assert np.array_equal(weights(fewer), weights(together)[runs])
        assert np.array_equal(bias(fewer), bias(together)[runs])


@activations
@shapes
def test_a_run_gets_the_same_bits_whatever_the_threads(activation, shape):
    inputs, width, batch = shape
    training = Training(batch=batch, samples=4 * batch)
    block = make_block([0.5, 1.0, 2.0], inputs, width, training.samples)
    before = torch.get_num_threads()
    found = []
    try:
        for number in (1, 4):
            torch.set_num_threads(number)
            with threadpool_limits(number):
                found.append(train(block, activation, training, 0, STEPS))
    finally:
        torch.set_num_threads(before)
    assert np.array_equal(weights(found[0]), weights(found[1]))
    assert np.array_equal(bias(found[0]), bias(found[1]))


@pytest.mark.parametrize("trained_by", ["torch"], indirect=True)
def test_training_takes_one_thread_and_leaves_torch_s_setting_as_it_was(trained_by, monkeypatch):
    tanh, threads = ACTIVATIONS["tanh"], []

    def forward(u, out):
        threads.append(torch.get_num_threads())
        tanh.forward(u, out)

    replaced = tanh._replace(forward=forward)
    monkeypatch.setattr("repatlas.networks.activations.tanh.ACTIVATION", replaced)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        train(make_block([1.0]), "tanh", Training(batch=32, samples=320), 0, [2])
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
    assert threads == [1, 1]


@only_numba
def test_matrix_products_take_one_thread_and_leave_the_setting_as_it_was(trained_by, monkeypatch):
    def threads():
        return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}

    during = []
    usual = stage.compiled._train
    monkeypatch.setattr(
        stage.compiled, "_train", lambda *given: during.append(threads()) or usual(*given)
    )
    with threadpool_limits(2):
        train(make_block([1.0]), "tanh", Training(batch=32, samples=320), 0, [2])
        assert threads() == {2}
    assert during == [{1}]


def test_the_step_of_a_divergence_counts_from_the_start_of_the_run():
    training = Training(batch=32, samples=320, learning_rate=1e38)
    block = make_block([100.0, 10_000.0])
    whole = train(block, "relu", training, 0, [5])
    assert min(whole.diverged) > 0
    first = train(block, "relu", training, 0, [int(min(whole.diverged)) - 1, 5])
    start = int(min(whole.diverged)) - 1
    there = at_checkpoint(block, first, 0)
    rest = train(there, "relu", training, 0, [5], start=start)
    assert rest.diverged.tolist() == whole.diverged.tolist()


def test_training_leaves_the_block_as_it_was():
    block, training = make_block([0.0, 1.0]), Training(batch=32, samples=320)
    before = contents(block)
    train(block, "relu", training, 0, [5])
    assert contents(block) == before


def test_a_run_that_diverges_is_reported_and_leaves_its_neighbours_their_bits():
    training = Training(batch=32, samples=320)
    block = make_block([1.0, 1e40, 4.0])
    trained = train(block, "relu", training, 0, STEPS)
    undisturbed = train(part(block, [0, 2]), "relu", training, 0, STEPS)
    assert trained.diverged.tolist() == [-1, first_bad_step(block, 1, "relu", training), -1]
    assert np.array_equal(weights(trained)[[0, 2]], weights(undisturbed))
    assert np.array_equal(bias(trained)[[0, 2]], bias(undisturbed))


def first_bad_step(block, run, activation, training):
    """Return the step after the first batch that has an infinite output in the plain loop."""
    inputs = block.centres[run][block.conditions] + block.deviations[run] * block.noise
    for step, batch in enumerate(batches(0, training, 20)):
        network = train_reference(block, run, activation, ONE_LAYER, training, 0, step)
        if not torch.isfinite(network(torch.from_numpy(inputs[batch]))).all():
            return step + 1


@only_numba
@pytest.mark.parametrize(
    ("activation", "device", "expected"),
    [("tanh", "cpu", "numba"), ("gelu", "cpu", "torch"), ("tanh", "cuda", "torch")],
)
def test_torch_trains_on_a_gpu_and_what_has_no_loops(
    trained_by, monkeypatch, activation, device, expected
):
    monkeypatch.setattr(engine, "train", lambda *given, **named: "torch")
    monkeypatch.setattr(stage.compiled, "train", lambda *given, **named: "numba")
    assert stage.train_block(None, activation, device) == expected


@only_numba
@pytest.mark.parametrize(
    ("first", "environment"),
    [
        ("import sys; sys.modules['numba'] = None; ", {}),
        pytest.param("", {"NUMBA_DISABLE_JIT": "1"}, marks=pytest.mark.slow),
    ],
    ids=["not installed", "told to compile nothing"],
)
def test_without_numba_torch_trains(trained_by, first, environment):
    program = f"{first}from repatlas.experiments.clusters import train; print(train.compiled)"
    found = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "None\n"
