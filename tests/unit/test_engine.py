"""The engine against the usual way to train a network, and against itself: the bits of a run are
its own, whatever it is trained beside."""

import numpy as np
import pytest
import torch

from repgeom.networks.activations import ACTIVATIONS
from repgeom.networks.shallow import binary_readout
from repgeom.training.data import Training, batches
from repgeom.training.engine import Block, train
from repgeom.training.reference import train_reference

activations = pytest.mark.parametrize("activation", ["tanh", "relu"])
# (inputs, width, batch): one that suits vector units, and one that doesn't.
shapes = pytest.mark.parametrize("shape", [(40, 48, 32), (37, 50, 33)], ids=str)
needs_gpu = pytest.mark.skipif(
    not torch.cuda.is_available(),
    reason="needs a GPU that torch can use; here is none",
)
STEPS = [0, 3, 20]


def make_block(
    variances, inputs=30, width=24, samples=320, clusters=4, outputs=1, dtype=np.float32, seed=0
):
    """A block of random tasks with these noise variances, one run for each. Run number g is the
    same in every block."""
    rng = np.random.default_rng(seed)
    labels = [rng.permutation(clusters) < clusters // 2 for _ in range(outputs)]
    readout = binary_readout(width)
    if outputs > 1:
        readout = rng.standard_normal((outputs, width)) / np.sqrt(width)
    shared = (
        rng.uniform(-1, 1, (width, inputs)) / np.sqrt(inputs),
        rng.standard_normal(width) / np.sqrt(inputs),
        readout,
    )
    conditions, noise = rng.integers(0, clusters, samples), rng.standard_normal((samples, inputs))
    centres = rng.standard_normal((len(variances), clusters, inputs))
    return Block(
        centres.astype(dtype),
        np.repeat(np.stack(labels, axis=1)[None], len(variances), axis=0).astype(dtype),
        np.sqrt(variances).astype(dtype),
        *(array.astype(dtype) for array in shared),
        conditions,
        noise.astype(dtype),
    )


def part(block, runs):
    """The block with these runs alone, in this order."""
    return block._replace(
        centres=block.centres[runs], labels=block.labels[runs], deviations=block.deviations[runs]
    )


def reference(block, run, activation, training, steps):
    network = train_reference(block, run, activation, training, 0, steps)
    return network[0].weight.detach().numpy(), network[0].bias.detach().numpy()


def assert_agrees_with_reference(block, activation, training, steps, tolerance, device="cpu"):
    trained = train(block, activation, training, 0, [0, steps], device=device)
    moved = np.abs(trained.weights[:, 1] - trained.weights[:, 0])
    assert moved.max() > 1000 * tolerance  # or agreement says little
    for run in range(len(block.centres)):
        weights, bias = reference(block, run, activation, training, steps)
        assert np.abs(trained.weights[run, 1] - weights).max() < tolerance
        assert np.abs(trained.bias[run, 1] - bias).max() < tolerance


@activations
@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(np.float32, 1e-5), (np.float64, 1e-10)], ids=["single", "double"]
)
def test_200_steps_agree_with_a_module_and_an_optimiser(activation, dtype, tolerance):
    block = make_block([0.0, 1.0, 4.0], dtype=dtype)
    assert_agrees_with_reference(block, activation, Training(batch=32, samples=320), 200, tolerance)


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
        logits = np.tanh(x @ weights.T + bias) @ block.readout.T
        return np.mean(np.logaddexp(0, logits) - y * logits)

    gradient = np.zeros_like(block.weights)
    for place in np.ndindex(gradient.shape):
        nudge = np.zeros_like(gradient)
        nudge[place] = 1e-6
        rise = loss(block.weights + nudge, block.bias) - loss(block.weights - nudge, block.bias)
        gradient[place] = rise / 2e-6
    step = trained.weights[0, 0] - trained.weights[0, 1]
    assert step == pytest.approx(0.7 * gradient, abs=1e-8)


@activations
def test_a_bias_that_is_not_trained_stays(activation):
    block, training = make_block([1.0]), Training(batch=32, samples=320)
    trained = train(block, activation, training, 0, STEPS, train_bias=False)
    assert np.array_equal(trained.bias[0], np.repeat(block.bias[None], 3, axis=0))
    assert not np.array_equal(trained.weights[0, 2], block.weights)


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
        assert np.array_equal(fewer.weights, together.weights[runs])
        assert np.array_equal(fewer.bias, together.bias[runs])


@activations
def test_runs_of_the_size_of_the_paper_get_the_same_bits_alone_and_together(activation):
    training = Training(batch=200, samples=800)
    block = make_block(np.linspace(0, 4, 16), inputs=120, width=120, samples=800)
    together = train(block, activation, training, 0, [10])
    for runs in ([0], [7], [15, 2], [3, 4, 5]):
        fewer = train(part(block, runs), activation, training, 0, [10])
        assert np.array_equal(fewer.weights, together.weights[runs])


@activations
@shapes
@pytest.mark.parametrize("threads", [2, 4])
def test_a_run_gets_the_same_bits_whatever_torch_s_threads(activation, shape, threads):
    inputs, width, batch = shape
    training = Training(batch=batch, samples=4 * batch)
    block = make_block([0.5, 1.0, 2.0], inputs, width, training.samples)
    before = torch.get_num_threads()
    found = []
    try:
        for number in (1, threads):
            torch.set_num_threads(number)
            found.append(train(block, activation, training, 0, STEPS))
    finally:
        torch.set_num_threads(before)
    assert np.array_equal(found[0].weights, found[1].weights)
    assert np.array_equal(found[0].bias, found[1].bias)


def test_training_takes_one_thread_and_leaves_torch_s_setting_as_it_was(monkeypatch):
    tanh, threads = ACTIVATIONS["tanh"], []

    def forward_(u):
        threads.append(torch.get_num_threads())
        tanh.forward_(u)

    monkeypatch.setitem(ACTIVATIONS, "tanh", tanh._replace(forward_=forward_))
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        train(make_block([1.0]), "tanh", Training(batch=32, samples=320), 0, [2])
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
    assert threads == [1, 1]


@activations
def test_a_checkpoint_is_the_same_whatever_comes_after(activation):
    block, training = make_block([0.0, 1.0]), Training(batch=32, samples=320)
    long = train(block, activation, training, 0, [0, 4, 7, 25])
    short = train(block, activation, training, 0, [4, 7])
    assert np.array_equal(short.weights, long.weights[:, [1, 2]])
    assert np.array_equal(short.bias, long.bias[:, [1, 2]])


@activations
@pytest.mark.parametrize("steps", [[7], [0, 7], [3, 7, 10], [12]], ids=str)
def test_training_that_goes_on_ends_with_the_bits_of_training_at_once(activation, steps):
    """Within an epoch of 10 steps, and from one to the next."""
    block, training = make_block([0.0, 1.0, 4.0]), Training(batch=32, samples=320)
    whole = train(block, activation, training, 0, [*steps, 25])
    first = train(block, activation, training, 0, steps)
    there = block._replace(weights=first.weights[:, -1], bias=first.bias[:, -1])
    rest = train(there, activation, training, 0, [steps[-1], 25], start=steps[-1])
    assert np.array_equal(rest.weights, whole.weights[:, -2:])
    assert np.array_equal(rest.bias, whole.bias[:, -2:])
    assert rest.diverged.tolist() == [-1, -1, -1]


def test_training_step_by_step_ends_with_the_bits_of_training_at_once():
    block, training = make_block([0.0, 1.0]), Training(batch=32, samples=320)
    whole, there = train(block, "tanh", training, 0, [12]), block
    for step in range(12):
        on = train(there, "tanh", training, 0, [step + 1], start=step)
        there = block._replace(weights=on.weights[:, 0], bias=on.bias[:, 0])
    assert np.array_equal(there.weights, whole.weights[:, 0])
    assert np.array_equal(there.bias, whole.bias[:, 0])


@activations
def test_runs_may_start_from_weights_of_their_own(activation):
    block, training = make_block([0.0, 1.0, 4.0]), Training(batch=32, samples=320)
    rng = np.random.default_rng(1)
    own = block._replace(
        weights=rng.standard_normal((3, *block.weights.shape)).astype(np.float32),
        bias=rng.standard_normal((3, *block.bias.shape)).astype(np.float32),
    )
    together = train(own, activation, training, 0, STEPS)
    for run in range(3):
        alone = part(own, [run])._replace(weights=own.weights[run], bias=own.bias[run])
        trained = train(alone, activation, training, 0, STEPS)
        assert np.array_equal(trained.weights[0], together.weights[run])
        assert np.array_equal(trained.bias[0], together.bias[run])


def test_weights_that_runs_share_may_be_given_once_or_for_each():
    block, training = make_block([0.0, 1.0, 4.0]), Training(batch=32, samples=320)
    repeated = block._replace(
        weights=np.repeat(block.weights[None], 3, axis=0),
        bias=np.repeat(block.bias[None], 3, axis=0),
    )
    before = [array.copy() for array in repeated]
    one, other = (train(b, "relu", training, 0, STEPS) for b in (block, repeated))
    assert np.array_equal(one.weights, other.weights)
    assert np.array_equal(one.bias, other.bias)
    assert all(np.array_equal(array, was) for array, was in zip(repeated, before, strict=True))


def test_the_step_of_a_divergence_counts_from_the_start_of_the_run():
    training = Training(batch=32, samples=320, learning_rate=1e38)
    block = make_block([100.0, 10_000.0])
    whole = train(block, "relu", training, 0, [5])
    assert min(whole.diverged) > 0
    first = train(block, "relu", training, 0, [int(min(whole.diverged)) - 1, 5])
    start = int(min(whole.diverged)) - 1
    there = block._replace(weights=first.weights[:, 0], bias=first.bias[:, 0])
    rest = train(there, "relu", training, 0, [5], start=start)
    assert rest.diverged.tolist() == whole.diverged.tolist()


def test_step_0_is_the_network_before_training():
    block, training = make_block([0.0, 1.0]), Training(batch=32, samples=320)
    for steps in ([0], [0, 3]):
        trained = train(block, "tanh", training, 0, steps)
        assert trained.weights.shape == (2, len(steps), 24, 30)
        assert trained.bias.shape == (2, len(steps), 24)
        for run in range(2):
            assert np.array_equal(trained.weights[run, 0], block.weights)
            assert np.array_equal(trained.bias[run, 0], block.bias)
        assert trained.diverged.tolist() == [-1, -1]


def test_training_leaves_the_block_as_it_was():
    block, training = make_block([0.0, 1.0]), Training(batch=32, samples=320)
    before = [array.copy() for array in block]
    train(block, "relu", training, 0, [5])
    assert all(np.array_equal(array, was) for array, was in zip(block, before, strict=True))


def test_the_seed_orders_the_samples():
    block, training = make_block([1.0]), Training(batch=32, samples=320)
    one, other = (train(block, "tanh", training, seed, [5]).weights for seed in (0, 1))
    assert not np.array_equal(one, other)


def test_a_run_that_diverges_is_reported_and_leaves_its_neighbours_their_bits():
    training = Training(batch=32, samples=320)
    block = make_block([1.0, 1e40, 4.0])
    trained = train(block, "relu", training, 0, STEPS)
    undisturbed = train(part(block, [0, 2]), "relu", training, 0, STEPS)
    assert trained.diverged.tolist() == [-1, first_bad_step(block, 1, "relu", training), -1]
    assert np.array_equal(trained.weights[[0, 2]], undisturbed.weights)
    assert np.array_equal(trained.bias[[0, 2]], undisturbed.bias)


def first_bad_step(block, run, activation, training):
    """The first step whose batch has an output in the plain loop that isn't finite."""
    inputs = block.centres[run][block.conditions] + block.deviations[run] * block.noise
    for step, batch in enumerate(batches(0, training, 20)):
        network = train_reference(block, run, activation, training, 0, step)
        if not torch.isfinite(network(torch.from_numpy(inputs[batch]))).all():
            return step


def test_a_rate_that_is_too_large_lets_every_run_diverge():
    training = Training(batch=32, samples=320, learning_rate=1e38)
    block = make_block([100.0, 10_000.0])
    trained = train(block, "relu", training, 0, [0, 2, 5])
    expected = [first_bad_step(block, run, "relu", training) for run in range(2)]
    assert trained.diverged.tolist() == expected
    assert None not in expected


def test_weights_that_overflow_are_found_even_where_the_outputs_stay_finite():
    training = Training(batch=32, samples=320, learning_rate=1e38)
    block = make_block([1e6, 1e6])
    trained = train(block, "tanh", training, 0, [0, 1])
    assert not np.isfinite(trained.weights[:, 1]).all()
    assert trained.diverged.tolist() == [1, 1]


@needs_gpu
@activations
def test_a_gpu_agrees_with_the_reference(activation):
    block, training = make_block([0.0, 1.0, 4.0]), Training(batch=32, samples=320)
    assert_agrees_with_reference(block, activation, training, 200, 1e-4, device="cuda")
