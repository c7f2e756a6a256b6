"""Train networks on images, one after the other, and report the progress of each.

The steps of a run are epochs here. After each epoch the log says how good the network is and how
long the job will still take. The terminal shows this every half minute.
"""

import math
import time
from collections.abc import Callable, Iterator

import numpy as np

from repatlas.artifacts.files import Arrays
from repatlas.experiments.images.spec import ImageSpec
from repatlas.experiments.images.task import LABELS, class_labels
from repatlas.images.mapped import mapped
from repatlas.images.published import data_set
from repatlas.images.scaled import Images, scale
from repatlas.images.training import (
    Epoch,
    adam,
    load_optimiser,
    load_parameters,
    optimiser_state,
    parameters_of,
    train_epochs,
)
from repatlas.networks.convolutional import build
from repatlas.record import Refused
from repatlas.runs import Run, Wanted

USES_TORCH = True
"""True: trained with torch, on a GPU if there is one. False: trained with numpy on one CPU core."""
TERMINAL_SECONDS = 30
"""Seconds between two lines on the terminal."""


def train(
    missing: dict[str, Wanted],
    begun: dict[str, Run],
    data: Arrays,
    seed: int,
    device: str,
    log: Callable[[str], None],
) -> Iterator[dict[str, Run]]:
    """Train each network on; yield its run as it stands after each epoch."""
    pixels, classes = mapped(data, "train/images"), data["train/labels"]
    batch = max(run.spec.training.batch for run in missing.values())
    if batch > len(pixels):
        raise Refused(
            f"training.batch: found {batch}, allowed: at most the {len(pixels)} images of"
            f" {data.path}"
        )
    before = {key: begun[key].last_step if key in begun else 0 for key in missing}
    progress = Progress(seed, sum(run.steps[-1] - before[key] for key, run in missing.items()), log)
    scales = scale(pixels)
    for key, wanted in missing.items():
        images = Images(pixels, class_labels(wanted.spec.pairing, seed)[classes], *scales)
        for run, epoch in _train(wanted, begun.get(key), images, seed, device):
            progress.log_epoch(wanted.spec, wanted.steps[-1], epoch)
            yield {key: run}


def _train(
    wanted: Wanted, begun: Run | None, images: Images, seed: int, device: str
) -> Iterator[tuple[Run, Epoch]]:
    """Train a network on; yield its run as it stands after each epoch, with that epoch."""
    spec = wanted.spec
    module = build(seed, spec.network, data_set(spec.data_set).SHAPE, LABELS)
    run = begun or _new_run(spec, module)
    load_parameters(module, {name: values[-1] for name, values in run.parameters.items()})
    module.to(device)
    optimiser = adam(module, spec.training.learning_rate)
    load_optimiser(module, optimiser, run.state)
    start, stop = run.last_step, wanted.steps[-1]
    for epoch in train_epochs(module, optimiser, images, spec.training.batch, seed, start, stop):
        kept = run.at([step for step in run.about["steps"] if step in wanted.steps])
        now = parameters_of(module)
        about = run.about | {
            "steps": [*kept.about["steps"], epoch.number],
            "device": device,
            "goes_on": True,
        }
        if not math.isfinite(epoch.loss) and about["diverged_step"] is None:
            about["diverged_step"] = epoch.number
        parameters = {n: np.concatenate([kept.parameters[n], now[n][None]]) for n in now}
        run = Run(parameters, optimiser_state(module, optimiser), about)
        yield run, epoch


def _new_run(spec: ImageSpec, module) -> Run:
    about = {
        "spec": spec.model_dump(mode="json"),
        "steps": [0],
        "diverged_step": None,
        "converged_step": None,
        "goes_on": True,
    }
    return Run({name: values[None] for name, values in parameters_of(module).items()}, {}, about)


class Progress:
    """Epochs done and to do, over all networks of a job, and the time that they take."""

    def __init__(self, seed: int, left: int, log: Callable[[str], None]):
        self.seed, self.left, self.log = seed, left, log
        self.done = 0
        self.started = self.told = time.perf_counter()

    def log_epoch(self, spec: ImageSpec, last: int, epoch: Epoch) -> None:
        self.done += 1
        self.left -= 1
        now = time.perf_counter()
        left = (now - self.started) / self.done * self.left
        sentence = (
            f"{spec.network.activation}, {spec.pairing} pairs: epoch {epoch.number} of {last},"
            f" loss {epoch.loss:.3f}, accuracy {epoch.accuracy:.3f}, {duration(left)} left"
        )
        self.log(sentence)
        if now - self.told > TERMINAL_SECONDS:
            print(f"{spec.family} seed {self.seed}: {sentence}", flush=True)
            self.told = now


def duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"
