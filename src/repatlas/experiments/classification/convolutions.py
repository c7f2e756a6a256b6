"""Trains small convolutional networks that name images, one after the other, pass by pass.

A layer is frozen at the first pass that begins at, or after, its part of training.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import nn

from repatlas.artifacts.files import Arrays
from repatlas.experiments.classification.runs import continued, new_run
from repatlas.experiments.classification.spec import Spec
from repatlas.experiments.classification.taught import Taught, taught
from repatlas.experiments.classification.training import freezing
from repatlas.images.content import CLASSES
from repatlas.images.published import data_set
from repatlas.images.scaled import Images
from repatlas.images.training import (
    adam,
    load_optimiser,
    load_parameters,
    optimiser_state,
    parameters_of,
    train_epochs,
)
from repatlas.networks.convolutional import Layers, build
from repatlas.runs import Run, Wanted

SCORED = 500
"""Images whose losses are computed together."""


def train(
    missing: dict[str, Wanted],
    begun: dict[str, Run],
    data: Arrays,
    seed: int,
    device: str,
    log: Callable[[str], None],
) -> Iterator[dict[str, Run]]:
    """Train each network on; yield its run as it stands after each pass."""
    for number, (key, wanted) in enumerate(missing.items(), start=1):
        for run in _train(
            wanted, begun.get(key), taught(wanted.spec.task, data, seed), seed, device
        ):
            yield {key: run}
        log(
            f"network {number} of {len(missing)}: {wanted.spec.network.activation}, {key}, trained"
            f" to pass {run.last_step}, loss {run.curves['loss'].values[-1]:.3f}, test accuracy"
            f" {run.curves['test accuracy'].values[-1]:.3f}"
        )


def _train(
    wanted: Wanted, begun: Run | None, task: Taught, seed: int, device: str
) -> Iterator[Run]:
    spec, stop = wanted.spec, wanted.steps[-1]
    module = network(spec, seed)
    run = begun if begun and begun.last_step else new_run(spec, parameters_of(module))
    load_parameters(module, {name: values[-1] for name, values in run.parameters.items()})
    module.to(device)
    optimiser = adam(module, spec.training.learning_rate)
    load_optimiser(module, optimiser, run.state)
    learned, tested = task.learned(), task.images("test")
    freezes = freezing(spec.training, spec.network.layers, 1)
    if run.last_step == 0:
        run = _continued(run, wanted.steps, 0, module, optimiser, learned, tested, device)
        if stop == 0:
            yield run
    for epoch in range(run.last_step, stop):
        for layer, first in zip(module.layers, freezes, strict=bool(freezes)):
            layer.requires_grad_(epoch < first)
        batch = spec.training.batch
        list(train_epochs(module, optimiser, learned, batch, seed, epoch, epoch + 1))
        run = _continued(run, wanted.steps, epoch + 1, module, optimiser, learned, tested, device)
        yield run


def network(spec: Spec, seed: int) -> Layers:
    """Return a network before training."""
    return build(seed, spec.network.network, data_set(spec.data_set).SHAPE, CLASSES)


def _continued(
    run: Run, wanted: list[int], step: int, module: Layers, optimiser, learned, tested, device
) -> Run:
    loss, training = scores(module, learned)
    _, test = scores(module, tested)
    about = {"device": device}
    if not math.isfinite(loss) and run.about["diverged_step"] is None:
        about["diverged_step"] = step
    found = {"loss": loss, "training accuracy": training, "test accuracy": test}
    return continued(
        run,
        wanted,
        [step],
        {name: values[None] for name, values in parameters_of(module).items()},
        optimiser_state(module, optimiser),
        {name: (np.array([step]), np.array([value])) for name, value in found.items()},
        about,
    )


def scores(module: Layers, of: Images) -> tuple[float, float]:
    """Return the mean cross-entropy, and the accuracy, on images."""
    device = next(module.parameters()).device
    module.eval()
    losses, hits = [], []
    with torch.no_grad():
        for first in range(0, len(of.labels), SCORED):
            part = slice(first, first + SCORED)
            shown = torch.from_numpy(of.inputs(part)).to(device, memory_format=torch.channels_last)
            labels = torch.from_numpy(of.labels[part]).to(device)
            logits = module(shown).double()
            losses.append(nn.functional.cross_entropy(logits, labels, reduction="none"))
            hits.append(logits.argmax(1) == labels)
    return torch.cat(losses).mean().item(), torch.cat(hits).double().mean().item()
