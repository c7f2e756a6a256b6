"""Blocks of networks on clusters with random tasks, trained by our engines and in the usual way."""

import numpy as np
import torch

from repatlas import named
from repatlas.experiments.clusters import train as stage
from repatlas.experiments.clusters.engine import Block
from repatlas.experiments.clusters.reference import train_reference
from repatlas.networks.activation import activation as activation_of
from repatlas.networks.mlp import Network, initial_parameters

ACTIVATIONS = {name: activation_of(name) for name in named.names("networks.activations")}


ONE_LAYER = ["weights1", "bias1"]


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
    *arrays, parameters, state, _ = block
    named = {**parameters, **state, **dict(enumerate(arrays))}
    return {name: array.tobytes() for name, array in named.items()}


def at_checkpoint(block, trained, number):
    """Return the block with the parameters that its runs had at a checkpoint."""
    there = {name: values[:, number] for name, values in trained.parameters.items()}
    return block._replace(parameters=block.parameters | there, state=trained.state)


ALL = {"readout": "trained", "initial": "linear"}
"""A network in which everything is trained."""


def names(depth, readout=False):
    layers = [f"{kind}{layer}" for layer in range(1, depth + 1) for kind in ("weights", "bias")]
    return [*layers, "readout", "output_bias"] if readout else layers


STOPPING = {"optimiser": "adam", "learning_rate": 0.01, "batch": 80, "samples": 320}
