"""The usual way to train one network: an nn.Module, autograd and an optimiser.

It is the oracle of the engine in the tests, and the other side of the benchmarks.
"""

from functools import partial

import torch
from torch import nn

from repatlas.experiments.clusters.engine import Block
from repatlas.experiments.clusters.training import Training, batches
from repatlas.networks.activation import activation as activation_of

LOSSES = {
    "output": partial(nn.functional.binary_cross_entropy_with_logits, reduction="sum"),
    "equal": lambda logits, targets: ((0.5 - targets) * logits).sum(),
}
OPTIMISERS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}


def reference_data(block: Block, run: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the training set of run number `run`: inputs (samples, N), targets (samples, K)."""
    conditions = torch.from_numpy(block.conditions)
    inputs = torch.from_numpy(block.centres[run])[conditions]
    inputs = inputs + torch.from_numpy(block.noise) * block.deviations[run]
    if block.rectified:
        inputs = torch.relu(inputs)
    return inputs, torch.from_numpy(block.labels[run])[conditions]


def reference_network(block: Block, activation: str, trained: list[str]) -> nn.Sequential:
    """Return the network of a block whose runs start alike, before training."""
    parameters = {name: torch.from_numpy(array) for name, array in block.parameters.items()}
    layers, fan_in = [], parameters["weights1"].shape[1]
    for layer in range(1, sum(name.startswith("weights") for name in parameters) + 1):
        weights = parameters[f"weights{layer}"]
        hidden = nn.Linear(fan_in, len(weights), dtype=weights.dtype)
        layers += [
            _filled(hidden, weights, parameters[f"bias{layer}"]),
            activation_of(activation).module(),
        ]
        hidden.weight.requires_grad = f"weights{layer}" in trained
        hidden.bias.requires_grad = f"bias{layer}" in trained
        fan_in = len(weights)
    readout = nn.Linear(fan_in, len(parameters["readout"]), dtype=parameters["readout"].dtype)
    bias = parameters.get("output_bias", torch.zeros(len(parameters["readout"])))
    layers.append(_filled(readout, parameters["readout"], bias))
    readout.requires_grad_("readout" in trained)
    return nn.Sequential(*layers)


def train_reference(
    block: Block,
    run: int,
    activation: str,
    trained: list[str],
    training: Training,
    seed: int,
    steps: int,
) -> nn.Sequential:
    """Train run number `run` of a block for this number of steps, and return the network."""
    inputs, targets = reference_data(block, run)
    network = reference_network(block, activation, trained)
    learning = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimiser = OPTIMISERS[training.optimiser](learning, lr=training.learning_rate)
    for batch in batches(seed, training, steps):
        samples = torch.from_numpy(batch)
        logits = network(inputs[samples])
        loss = LOSSES[training.errors](logits, targets[samples])
        optimiser.zero_grad()
        (loss / training.batch).backward()
        optimiser.step()
    return network


def _filled(linear: nn.Linear, weights: torch.Tensor, bias: torch.Tensor) -> nn.Linear:
    with torch.no_grad():
        linear.weight.copy_(weights)
        linear.bias.copy_(bias)
    return linear
