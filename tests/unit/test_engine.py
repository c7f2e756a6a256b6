"""Both engines agree with the usual way to train a network, and the bits of a run do not depend on
the other runs of its block."""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from selections import some
from threadpoolctl import threadpool_info, threadpool_limits

from repatlas.experiments.clusters import engine
from repatlas.experiments.clusters import train as stage
from repatlas.experiments.clusters.engine import Block
from repatlas.experiments.clusters.reference import reference_data, train_reference
from repatlas.experiments.clusters.training import Training, batches
from repatlas.named import names
from repatlas.networks.activation import activation as activation_of
from repatlas.networks.mlp import Network, initial_parameters

ACTIVATIONS = {name: activation_of(name) for name in names("networks.activations")}

activations = pytest.mark.parametrize("activation", ["tanh", "relu"])
# (inputs, width, batch): one that suits vector units, and one that doesn't.
shapes = pytest.mark.parametrize("shape", [(40, 48, 32), (37, 50, 33)], ids=str)
only_numba = pytest.mark.parametrize("trained_by", ["numba"], indirect=True)
STEPS = [0, 3, 20]
ONE_LAYER = ["weights1", "bias1"]


@pytest.fixture(params=["numba", "torch"], autouse=True)
def trained_by(request, monkeypatch):
    """The engine of a test. For an activation without loops it is torch twice."""
    if request.param == "torch":
        monkeypatch.setattr(stage, "compiled", None)
    else:
        pytest.importorskip("numba")
    return request.param


def train(block, activation, training, seed, steps, trained=ONE_LAYER, device="cpu", start=0):
    return stage.train_block(
        block, activation, device, trained=trained, training=training, seed=seed, steps=steps,
        start=start,
    )  # fmt: skip


def weights(trained):
    return trained.parameters["weights1"]


def bias(trained):
    return trained.parameters["bias1"]


def make_block(
    variances,
    inputs=30,
    width=24,
    samples=320,
    clusters=4,
    outputs=1,
    dtype=np.float32,
    seed=0,
    network=(),
):
    """Return a block of random tasks with these noise variances, one run for each.

    Run number g is the same in every block."""
    rng = np.random.default_rng(seed)
    labels = [rng.permutation(clusters) < clusters // 2 for _ in range(outputs)]
    readout = "binary" if outputs == 1 else "normal"
    network = Network(activation="tanh", width=width, **{"readout": readout} | dict(network))
    conditions, noise = rng.integers(0, clusters, samples), rng.standard_normal((samples, inputs))
    centres = rng.standard_normal((len(variances), clusters, inputs))
    parameters = initial_parameters(seed, network, inputs, outputs)
    return Block(
        centres.astype(dtype),
        np.repeat(np.stack(labels, axis=1)[None], len(variances), axis=0).astype(dtype),
        np.sqrt(variances).astype(dtype),
        conditions,
        noise.astype(dtype),
        {name: array.astype(dtype) for name, array in parameters.items()},
    )


def part(block, runs):
    """Return a block with only these runs, in this order."""
    return block._replace(
        centres=block.centres[runs], labels=block.labels[runs], deviations=block.deviations[runs]
    )


def reference(block, run, activation, training, steps, trained):
    """Return the parameters after training in the usual way."""
    network = train_reference(block, run, activation, trained, training, 0, steps)
    *hidden, readout = [module for module in network if isinstance(module, torch.nn.Linear)]
    found = {"readout": readout.weight, "output_bias": readout.bias}
    for layer, module in enumerate(hidden, start=1):
        found |= {f"weights{layer}": module.weight, f"bias{layer}": module.bias}
    return {name: found[name].detach().numpy() for name in trained}


def assert_agrees_with_reference(
    block, activation, training, steps, tolerance, trained=ONE_LAYER, device="cpu"
):
    ours = train(block, activation, training, 0, [0, steps], trained=trained, device=device)
    for run in range(len(block.centres)):
        theirs = reference(block, run, activation, training, steps, trained)
        assert ours.parameters.keys() == theirs.keys()
        moved = []
        for name, values in ours.parameters.items():
            assert np.abs(values[run, 1] - theirs[name]).max() < tolerance
            moved.append(np.abs(values[run, 1] - values[run, 0]).max())
        assert max(moved) > 100 * tolerance, "or agreement says little"
        assert min(moved) > 0


def contents(block):
    """Return all arrays of a block as bytes."""
    *arrays, parameters, state, _ = block
    named = {**parameters, **state, **dict(enumerate(arrays))}
    return {name: array.tobytes() for name, array in named.items()}


def at_checkpoint(block, trained, number):
    """Return the block with the parameters that its runs had at a checkpoint."""
    there = {name: values[:, number] for name, values in trained.parameters.items()}
    return block._replace(parameters=block.parameters | there, state=trained.state)


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


def test_equal_errors_are_those_before_training_of_a_network_whose_outputs_are_one_half():
    block, step = make_block([1.0]), [0, 1, 50]
    block.parameters["readout"][:] = 1e-6
    usual, equal = (
        train(block, "tanh", Training(batch=32, samples=320, errors=errors), 0, step)
        for errors in ("output", "equal")
    )
    assert weights(equal)[:, 1] == pytest.approx(weights(usual)[:, 1], abs=1e-9)


def test_inputs_cut_at_0_are_those_of_the_reference():
    block = make_block([0.0, 1.0, 4.0], dtype=np.float64)._replace(rectified=True)
    training = Training(batch=32, samples=320)
    assert_agrees_with_reference(block, "relu", training, 100, 1e-10)
    cut, whole = (
        train(b, "relu", training, 0, [5]) for b in (block, block._replace(rectified=False))
    )
    assert np.mean(weights(cut) != weights(whole)) > 0.9


ALL = {"readout": "trained", "initial": "linear"}
"""A network in which everything is trained."""


def names(depth, readout=False):
    layers = [f"{kind}{layer}" for layer in range(1, depth + 1) for kind in ("weights", "bias")]
    return [*layers, "readout", "output_bias"] if readout else layers


deep = pytest.mark.parametrize(("depth", "outputs"), [(1, 5), (2, 1), (5, 3), (10, 2)], ids=str)
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
    for runs in ([0], [8, 3], [4, 5, 0, 7]):
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


STOPPING = {"optimiser": "adam", "learning_rate": 0.01, "batch": 80, "samples": 320}


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


def test_training_leaves_the_state_that_it_continues_from_as_it_was():
    block, trained = make_block([0.0, 1.0], outputs=2, network=ALL), names(1, readout=True)
    training = Training(stop_below=0.1, **STOPPING)
    there = at_checkpoint(block, train(block, "relu", training, 0, [5], trained=trained), 0)
    before = {name: values.copy() for name, values in there.state.items()}
    first, second = (
        train(there, "relu", training, 0, [20], trained=trained, start=5) for _ in range(2)
    )
    for name, values in before.items():
        assert np.array_equal(there.state[name], values), name
        assert np.array_equal(first.state[name], second.state[name]), name


@activations
@pytest.mark.parametrize("outputs", [2, 3, 8, 9])
def test_networks_with_several_outputs_agree_with_the_reference(activation, outputs):
    block = make_block([0.5, 1.0], outputs=outputs, clusters=8, dtype=np.float64)
    assert_agrees_with_reference(block, activation, Training(batch=32, samples=320), 60, 1e-10)


@shapes
def test_odd_shapes_agree_with_the_reference(shape):
    inputs, width, batch = shape
    training = Training(batch=batch, samples=4 * batch, learning_rate=0.3)
    block = make_block(
        [1.0], inputs=inputs, width=width, samples=training.samples, dtype=np.float64
    )
    assert_agrees_with_reference(block, "tanh", training, 30, 1e-10)


def test_the_first_step_is_the_gradient_of_the_loss_by_finite_differences():
    training = Training(batch=40, samples=40, learning_rate=0.7)  # the batch is the whole set
    block = make_block([1.0], inputs=5, width=4, samples=40, dtype=np.float64)
    trained = train(block, "tanh", training, 0, [0, 1])
    x = block.centres[0][block.conditions] + block.noise
    y = block.labels[0][block.conditions]

    def loss(weights, bias):
        logits = np.tanh(x @ weights.T + bias) @ block.parameters["readout"].T
        return np.mean(np.logaddexp(0, logits) - y * logits)

    start, start_bias = weights(block), bias(block)
    gradient = np.zeros_like(start)
    for place in np.ndindex(gradient.shape):
        nudge = np.zeros_like(gradient)
        nudge[place] = 1e-6
        rise = loss(start + nudge, start_bias) - loss(start - nudge, start_bias)
        gradient[place] = rise / 2e-6
    step = weights(trained)[0, 0] - weights(trained)[0, 1]
    assert step == pytest.approx(0.7 * gradient, abs=1e-8)


@activations
def test_a_bias_that_is_not_trained_stays(activation):
    block, training = make_block([1.0]), Training(batch=32, samples=320)
    trained = train(block, activation, training, 0, STEPS, trained=["weights1"])
    assert trained.parameters.keys() == {"weights1"}
    assert not np.array_equal(weights(trained)[0, 2], weights(block))


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
    for runs in ([0], [15], [4, 3], [9, 4, 0], list(reversed(range(16)))):
        fewer = train(part(block, runs), activation, training, 0, STEPS)
        assert np.array_equal(weights(fewer), weights(together)[runs])
        assert np.array_equal(bias(fewer), bias(together)[runs])


@activations
def test_runs_of_the_size_of_the_paper_get_the_same_bits_alone_and_together(activation):
    training = Training(batch=200, samples=800)
    block = make_block(np.linspace(0, 4, 16), inputs=120, width=120, samples=800)
    together = train(block, activation, training, 0, [10])
    for runs in ([0], [7], [15, 2], [3, 4, 5]):
        fewer = train(part(block, runs), activation, training, 0, [10])
        assert np.array_equal(weights(fewer), weights(together)[runs])


@activations
@shapes
@pytest.mark.parametrize("threads", [2, 4])
def test_a_run_gets_the_same_bits_whatever_the_threads(activation, shape, threads):
    inputs, width, batch = shape
    training = Training(batch=batch, samples=4 * batch)
    block = make_block([0.5, 1.0, 2.0], inputs, width, training.samples)
    before = torch.get_num_threads()
    found = []
    try:
        for number in (1, threads):
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


@activations
def test_a_checkpoint_is_the_same_whatever_comes_after(activation):
    block, training = make_block([0.0, 1.0]), Training(batch=32, samples=320)
    long = train(block, activation, training, 0, [0, 4, 7, 25])
    short = train(block, activation, training, 0, [4, 7])
    assert np.array_equal(weights(short), weights(long)[:, [1, 2]])
    assert np.array_equal(bias(short), bias(long)[:, [1, 2]])


@activations
@pytest.mark.parametrize("steps", [[7], [0, 7], [3, 7, 10], [12]], ids=str)
def test_training_that_goes_on_ends_with_the_bits_of_training_at_once(activation, steps):
    """Training continues within an epoch of 10 steps, or starts the next one."""
    block, training = make_block([0.0, 1.0, 4.0]), Training(batch=32, samples=320)
    whole = train(block, activation, training, 0, [*steps, 25])
    first = train(block, activation, training, 0, steps)
    there = at_checkpoint(block, first, -1)
    rest = train(there, activation, training, 0, [steps[-1], 25], start=steps[-1])
    assert np.array_equal(weights(rest), weights(whole)[:, -2:])
    assert np.array_equal(bias(rest), bias(whole)[:, -2:])
    assert rest.diverged.tolist() == [-1, -1, -1]


def test_training_step_by_step_ends_with_the_bits_of_training_at_once():
    block, training = make_block([0.0, 1.0]), Training(batch=32, samples=320)
    whole, there = train(block, "tanh", training, 0, [12]), block
    for step in range(12):
        on = train(there, "tanh", training, 0, [step + 1], start=step)
        there = at_checkpoint(block, on, 0)
    assert np.array_equal(weights(there), weights(whole)[:, 0])
    assert np.array_equal(bias(there), bias(whole)[:, 0])


@activations
def test_runs_may_start_from_weights_of_their_own(activation):
    block, training = make_block([0.0, 1.0, 4.0]), Training(batch=32, samples=320)
    rng = np.random.default_rng(1)
    values = {
        name: rng.standard_normal((3, *block.parameters[name].shape)).astype(np.float32)
        for name in ONE_LAYER
    }
    own = block._replace(parameters=block.parameters | values)
    together = train(own, activation, training, 0, STEPS)
    for run in range(3):
        alone = part(block, [run])._replace(
            parameters=block.parameters | {name: array[run] for name, array in values.items()}
        )
        trained = train(alone, activation, training, 0, STEPS)
        assert np.array_equal(weights(trained)[0], weights(together)[run])
        assert np.array_equal(bias(trained)[0], bias(together)[run])


def test_weights_that_runs_share_may_be_given_once_or_for_each():
    block, training = make_block([0.0, 1.0, 4.0]), Training(batch=32, samples=320)
    repeated = block._replace(
        parameters={
            name: np.repeat(array[None], 3, axis=0) for name, array in block.parameters.items()
        }
    )
    before = contents(repeated)
    one, other = (train(b, "relu", training, 0, STEPS) for b in (block, repeated))
    assert np.array_equal(weights(one), weights(other))
    assert np.array_equal(bias(one), bias(other))
    assert contents(repeated) == before


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


def test_step_0_is_the_network_before_training():
    block, training = make_block([0.0, 1.0]), Training(batch=32, samples=320)
    for steps in ([0], [0, 3]):
        trained = train(block, "tanh", training, 0, steps)
        assert weights(trained).shape == (2, len(steps), 24, 30)
        assert bias(trained).shape == (2, len(steps), 24)
        for run in range(2):
            assert np.array_equal(weights(trained)[run, 0], weights(block))
            assert np.array_equal(bias(trained)[run, 0], bias(block))
        assert trained.diverged.tolist() == [-1, -1]


def test_training_leaves_the_block_as_it_was():
    block, training = make_block([0.0, 1.0]), Training(batch=32, samples=320)
    before = contents(block)
    train(block, "relu", training, 0, [5])
    assert contents(block) == before


def test_the_seed_orders_the_samples():
    block, training = make_block([1.0]), Training(batch=32, samples=320)
    one, other = (train(block, "tanh", training, seed, [5]) for seed in (0, 1))
    assert not np.array_equal(weights(one), weights(other))


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


def test_a_rate_that_is_too_large_lets_every_run_diverge():
    training = Training(batch=32, samples=320, learning_rate=1e38)
    block = make_block([100.0, 10_000.0])
    trained = train(block, "relu", training, 0, [0, 2, 5])
    expected = [first_bad_step(block, run, "relu", training) for run in range(2)]
    assert trained.diverged.tolist() == expected
    assert None not in expected


def test_weights_that_overflow_where_the_outputs_stay_finite_are_left_to_the_measures():
    """Only stored weights show the overflow, and the choice of stored steps must change no run."""
    training = Training(batch=32, samples=320, learning_rate=1e38)
    block = make_block([1e6, 1e6])
    trained = train(block, "tanh", training, 0, [0, 1])
    assert not some(np.isfinite(weights(trained)[:, 1])).all()
    assert trained.diverged.tolist() == [-1, -1]


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
