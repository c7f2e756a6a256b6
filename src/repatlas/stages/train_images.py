"""train_images: the networks on images of one data set, shape and seed, those no file has yet.

A run's steps are epochs here. After each epoch the log says how the network does and how long the
job will still take; the terminal is told so every half minute.
"""

import math
import time
from pathlib import Path

import numpy as np

from repatlas.artifacts.files import Arrays
from repatlas.artifacts.locks import exclusive
from repatlas.artifacts.provenance import versions
from repatlas.artifacts.runs import UNUSED, Parts, Run, keep_unused, write_runs
from repatlas.experiments.images.known import DATA_SETS
from repatlas.experiments.images.mapped import mapped
from repatlas.experiments.images.size import products
from repatlas.experiments.images.task import class_labels
from repatlas.experiments.images.training import (
    Epoch,
    Images,
    adam,
    chosen_device,
    load_optimiser,
    load_parameters,
    optimiser_state,
    parameters_of,
    scale,
    train_epochs,
)
from repatlas.networks.convolutional import build
from repatlas.refusals import Refused
from repatlas.stages.image_job import WantedImageRun, image_arrays, wanted_image_runs
from repatlas.stages.job import WORK, log, made_from, read_job, stage_parser
from repatlas.stages.stored_runs import stored_runs

TERMINAL_SECONDS = 30
"""Between two lines on the terminal."""


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    parser.add_argument("--images", type=Path, required=True, help="the training images")
    parser.add_argument("--twin", type=Path, required=True, help="another file to take runs from")
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    parser.add_argument(
        "--flush-seconds",
        type=float,
        default=60,
        help="training that is lost at most, and an epoch",
    )
    options = parser.parse_args(arguments)
    job = read_job(options.job, "train_images")
    device = chosen_device(options.device)
    stored = image_arrays(options.images, "train")
    header = made_from(options, "train_images", {options.images: stored.header})
    with exclusive(options.output):
        _complete_shard(options, job, header, stored, device)


def _complete_shard(options, job: dict, header: dict, stored: Arrays, device: str) -> None:
    seed, wanted = job["seed"], wanted_image_runs(job)
    # The images themselves, since a subset may be another one under the same name.
    basis = {"seed": seed, "train": job["code"], "images": stored.header["digests"]}
    parts = Parts(options.output)
    steps = {key: run.epochs for key, run in wanted.items()}
    beside = options.output.with_suffix(UNUSED)
    runs = stored_runs([options.output, beside, options.twin, *parts.files()], steps, basis)
    missing = {
        key: run
        for key, run in wanted.items()
        if key not in runs or runs[key].last_step < run.epochs[-1]
    }
    log(
        f"{len(wanted)} networks of seed {seed}: {len(wanted) - len(missing)} kept,"
        f" {len(missing)} to train ({len(runs.keys() & missing.keys())} of them begun)"
    )
    if missing:
        pixels, classes = mapped(stored, "images"), stored["labels"]
        batch = max(run.spec.training.batch for run in missing.values())
        if batch > len(pixels):
            raise Refused(
                f"training.batch: found {batch}, allowed: at most the {len(pixels)} images of"
                f" {stored.path}"
            )
        begun = {key: runs[key].last_step if key in runs else 0 for key in missing}
        left = {run.spec: run.epochs[-1] - begun[key] for key, run in missing.items()}
        progress = Progress(job, sum(left.values()))
        flushed = time.perf_counter()
        for key, run in missing.items():
            labels = class_labels(run.spec.pairing, seed)[classes]
            images = Images(pixels, labels, *scale(pixels))
            for trained, epoch in _train(run, runs.get(key), images, seed, basis, device):
                runs[key] = trained
                progress.tell(run.spec, run.epochs[-1], epoch)
                if time.perf_counter() - flushed > options.flush_seconds:
                    parts.flush({key: trained})
                    flushed = time.perf_counter()
            parts.flush({key: runs[key]})
        if device == "cpu":  # costs are those of a core
            log(f"{WORK}{products(left) * len(pixels)}")

    written = {key: runs[key].at(run.epochs) for key, run in wanted.items()}
    keep_unused(options.output, written, basis)
    write_runs(options.output, header, written)
    parts.remove()


def _train(
    wanted: WantedImageRun, begun: Run | None, images: Images, seed: int, basis: dict, device: str
):
    """Train a network on; yield its run as it stands after each epoch, with that epoch."""
    spec = wanted.spec
    module = build(seed, spec.network, DATA_SETS[spec.data_set].SHAPE)
    run = begun or _new_run(spec, module, basis)
    load_parameters(module, {name: values[-1] for name, values in run.parameters.items()})
    module.to(device)
    optimiser = adam(module, spec.training)
    load_optimiser(module, optimiser, run.state)
    start, stop = run.last_step, wanted.epochs[-1]
    for epoch in train_epochs(module, optimiser, images, spec.training, seed, start, stop):
        kept = run.at([step for step in run.about["steps"] if step in wanted.epochs])
        now = parameters_of(module)
        about = run.about | {
            "steps": [*kept.about["steps"], epoch.number],
            "device": device,
            "versions": versions(),
            "goes_on": True,
        }
        if not math.isfinite(epoch.loss) and about["diverged_step"] is None:
            about["diverged_step"] = epoch.number
        parameters = {n: np.concatenate([kept.parameters[n], now[n][None]]) for n in now}
        run = Run(parameters, optimiser_state(module, optimiser), about)
        yield run, epoch


def _new_run(spec, module, basis: dict) -> Run:
    about = {
        "spec": spec.model_dump(mode="json"),
        "steps": [0],
        "diverged_step": None,
        "converged_step": None,
        "goes_on": True,
        "basis": basis,
    }
    return Run({name: values[None] for name, values in parameters_of(module).items()}, {}, about)


class Progress:
    """Epochs done and to do, over all networks of a job, and the time that they take."""

    def __init__(self, job: dict, left: int):
        self.name = f"{job['family']} seed {job['seed']}"
        self.left = left
        self.done = 0
        self.started = self.told = time.perf_counter()

    def tell(self, spec, last: int, epoch: Epoch) -> None:
        self.done += 1
        self.left -= 1
        now = time.perf_counter()
        left = (now - self.started) / self.done * self.left
        sentence = (
            f"{spec.network.activation}, {spec.pairing} pairs: epoch {epoch.number} of {last},"
            f" loss {epoch.loss:.3f}, accuracy {epoch.accuracy:.3f}, {duration(left)} left"
        )
        log(sentence)
        if now - self.told > TERMINAL_SECONDS:
            print(f"{self.name}: {sentence}", flush=True)
            self.told = now


def duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"
