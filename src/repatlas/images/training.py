"""Training of one network on images, epoch after epoch, so that training can continue from any
epoch.

Everything is float32 on every device; measures were not tested with mixed precision. The order of
images is drawn for each seed and epoch. On a CPU, where the stages compute with one thread,
training that continues from a stored epoch has the same bits as training that was never
interrupted.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from repatlas.images.scaled import Images
from repatlas.streams import stream

MOMENTS = ("exp_avg", "exp_avg_sq")
"""Adam's, as torch names them."""


class Epoch(NamedTuple):
    number: int
    """Epochs trained until now"""
    loss: float
    """Mean over the epoch's batches, each before its step"""
    accuracy: float
    """The accuracy on the same batches"""


def train_epochs(
    module: nn.Module,
    optimiser: torch.optim.Adam,
    images: Images,
    batch: int,
    seed: int,
    start: int,
    stop: int,
) -> Iterator[Epoch]:
    """Train on from epoch `start`; after each epoch, yield."""
    device = next(module.parameters()).device
    for number in range(start, stop):
        module.train()
        order = stream(seed, "order", number).permutation(len(images.labels))
        batches = order[: len(order) // batch * batch].reshape(-1, batch)
        losses, hits = [], []
        for chosen in batches:
            inputs = torch.from_numpy(images.inputs(chosen)).to(
                device, memory_format=torch.channels_last
            )
            labels = torch.from_numpy(images.labels[chosen]).to(device)
            logits = module(inputs)
            loss = nn.functional.cross_entropy(logits, labels)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            # Sums stay on the device: fetching one would wait for the batch.
            losses.append(loss.detach())
            hits.append((logits.argmax(1) == labels).float().mean())
        yield Epoch(number + 1, torch.stack(losses).mean().item(), torch.stack(hits).mean().item())


def parameters_of(module: nn.Module) -> dict[str, np.ndarray]:
    """Return weights, and the running statistics of batch normalisation."""
    return {name: values.cpu().numpy().copy() for name, values in module.state_dict().items()}


def load_parameters(module: nn.Module, parameters: dict[str, np.ndarray]) -> None:
    module.load_state_dict({name: torch.from_numpy(np.array(a)) for name, a in parameters.items()})


def adam(module: nn.Module, learning_rate: float) -> torch.optim.Adam:
    return torch.optim.Adam(module.parameters(), lr=learning_rate)


def optimiser_state(module: nn.Module, optimiser: torch.optim.Adam) -> dict[str, np.ndarray]:
    """Return adam's moments and count of steps, by parameter; nothing before the first step."""
    return {
        f"{kind}/{name}": optimiser.state[values][kind].cpu().numpy().copy()
        for name, values in module.named_parameters()
        if optimiser.state[values]
        for kind in ("step", *MOMENTS)
    }


def load_optimiser(
    module: nn.Module, optimiser: torch.optim.Adam, state: dict[str, np.ndarray]
) -> None:
    if not state:
        return
    stored = {name: torch.from_numpy(np.array(values)) for name, values in state.items()}
    for name, values in module.named_parameters():
        # In the layout of the weights: another one is added up in another order.
        moments = {
            kind: torch.zeros_like(values).copy_(stored[f"{kind}/{name}"]) for kind in MOMENTS
        }
        optimiser.state[values] = {"step": stored[f"step/{name}"], **moments}
