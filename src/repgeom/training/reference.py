"""The usual way to train one network: an nn.Module, autograd and an optimiser.

It is the oracle of the engine in the tests, and the other side of the benchmarks.
"""

import torch
from torch import nn

from repgeom.training.data import Training, batches
from repgeom.training.engine import Block

MODULES = {"tanh": nn.Tanh, "relu": nn.ReLU}


def train_reference(
    block: Block, run: int, activation: str, training: Training, seed: int, steps: int
) -> nn.Sequential:
    """Run number `run` of a block, after so many steps."""
    conditions = torch.from_numpy(block.conditions)
    inputs = torch.from_numpy(block.centres[run])[conditions]
    inputs = inputs + torch.from_numpy(block.noise) * block.deviations[run]
    targets = torch.from_numpy(block.labels[run])[conditions]

    width, dimensions = block.weights.shape
    network = nn.Sequential(
        nn.Linear(dimensions, width, dtype=inputs.dtype),
        MODULES[activation](),
        nn.Linear(width, len(block.readout), bias=False, dtype=inputs.dtype),
    )
    with torch.no_grad():
        network[0].weight.copy_(torch.from_numpy(block.weights))
        network[0].bias.copy_(torch.from_numpy(block.bias))
        network[2].weight.copy_(torch.from_numpy(block.readout))
    optimiser = torch.optim.SGD(network[0].parameters(), lr=training.learning_rate)
    for batch in batches(seed, training, steps):
        samples = torch.from_numpy(batch)
        logits = network(inputs[samples])
        loss = nn.functional.binary_cross_entropy_with_logits(
            logits, targets[samples], reduction="sum"
        )
        optimiser.zero_grad()
        (loss / training.batch).backward()
        optimiser.step()
    return network
