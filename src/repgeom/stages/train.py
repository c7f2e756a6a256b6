"""train: the networks of one shard, those of them that no file has yet."""

import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from repgeom.files import Arrays, Unreadable, set_aside, write_arrays
from repgeom.networks.shallow import binary_readout, initial_bias, initial_weights
from repgeom.provenance import identity, versions
from repgeom.spec import geometry_key
from repgeom.stages.job import Wanted, log, read_job, stage_parser, wanted_runs
from repgeom.training.data import training_conditions, training_noise
from repgeom.training.engine import Block, train

BLOCK_RUNS = {"cpu": 16, "cuda": 4096}
"""Runs in one batched program. On a CPU 8 to 32 stay in the cache; a GPU wants all there are."""


class Run(NamedTuple):
    """A trained network, as it stands in the file."""

    weights: np.ndarray  # (T, H, N)
    bias: np.ndarray  # (T, H)
    about: dict


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--twin", type=Path, required=True, help="another file to take runs from")
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    options = parser.parse_args(arguments)
    job = read_job(options.job, "train")
    device = _device(options.device)
    tasks = Arrays(options.tasks, "tasks")
    code = {"train": job["code"], "tasks": tasks.header["code"]}

    wanted = wanted_runs(job)
    runs = {}
    for path in (options.output, options.twin):
        runs |= _stored_runs(path, {k: w for k, w in wanted.items() if k not in runs}, code)
    missing = {key: run for key, run in wanted.items() if key not in runs}
    log(f"{len(wanted)} networks of seed {job['seed']}: {len(runs)} kept, {len(missing)} to train")
    for key, run in _train_all(missing, tasks, job["seed"], device):
        runs[key] = run._replace(about=run.about | {"code": code})

    arrays = {}
    for key in wanted:
        arrays |= {f"{key}/weights": runs[key].weights, f"{key}/bias": runs[key].bias}
    header = {
        "job": options.job,
        "identity": identity(options.job, [tasks.header["identity"]]),
        "family": job["family"],
        "seed": job["seed"],
        "runs": {key: runs[key].about for key in wanted},
    }
    write_arrays(options.output, "runs", header, arrays)


def _device(name: str) -> str:
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("--device: found 'cuda' on a machine without one, allowed: auto, cpu")
    return name


def _stored_runs(path: Path, wanted: dict[str, Wanted], code: dict) -> dict[str, Run]:
    """The wanted runs that a file has, as this code would train them."""
    if not path.exists():
        return {}
    try:
        file = Arrays(path, "runs")
        return {
            key: _take_steps(file, key, run.steps)
            for key, run in wanted.items()
            if key in file.header["runs"] and _serves(file.header["runs"][key], run, code)
        }
    except Unreadable as error:
        log(f"{error}; set aside as {set_aside(path).name}")
        return {}


def _serves(about: dict, run: Wanted, code: dict) -> bool:
    return about["code"] == code and set(run.steps) <= set(about["steps"])


def _take_steps(file: Arrays, key: str, steps: list[int]) -> Run:
    about = file.header["runs"][key]
    index = [about["steps"].index(step) for step in steps]
    weights, bias = file[f"{key}/weights"], file[f"{key}/bias"]
    return Run(weights[index], bias[index], about | {"steps": steps})


def _train_all(missing: dict[str, Wanted], tasks: Arrays, seed: int, device: str):
    """Train in blocks of runs that differ in task alone; yield each run with its key."""
    groups = defaultdict(list)
    for key, run in missing.items():
        groups[run.spec.network, run.spec.training, tuple(run.steps)].append((key, run.spec.task))
    size = BLOCK_RUNS[device]
    blocks = [
        (group, members[start : start + size])
        for group, members in groups.items()
        for start in range(0, len(members), size)
    ]
    for number, ((network, training, steps), members) in enumerate(blocks, start=1):
        started = time.perf_counter()
        keys, block_tasks = zip(*members, strict=True)
        block = _block(block_tasks, network, training, tasks, seed)
        trained = train(
            block,
            network.activation,
            training,
            seed,
            list(steps),
            train_bias=network.hidden_bias == "trained",
            device=device,
        )
        seconds = time.perf_counter() - started
        each = 1e6 * seconds / max(steps[-1] * len(keys), 1)
        log(
            f"block {number} of {len(blocks)}: {len(keys)} {network.activation} networks,"
            f" {steps[-1]} steps, {seconds:.1f} s, {each:.0f} us per network and step on {device}:"
            f" {' '.join(keys)}"
        )
        for index, key in enumerate(keys):
            diverged = int(trained.diverged[index])
            about = {
                "spec": missing[key].spec.model_dump(mode="json"),
                "steps": list(steps),
                "diverged_step": diverged if diverged >= 0 else None,
                "device": device,
                "versions": versions(),
            }
            yield key, Run(trained.weights[index], trained.bias[index], about)


def _block(block_tasks, network, training, tasks: Arrays, seed: int) -> Block:
    centres = np.stack([tasks[f"{geometry_key(task)}/centres"] for task in block_tasks])
    labels = np.stack([tasks[f"{geometry_key(task)}/labels"] for task in block_tasks])
    deviations = np.sqrt([task.noise_variance for task in block_tasks])
    clusters, inputs = centres.shape[1:]
    return Block(
        centres.astype(np.float32),
        labels.astype(np.float32),
        deviations.astype(np.float32),
        initial_weights(seed, network.width, inputs),
        initial_bias(seed, network, inputs),
        binary_readout(network.width),
        training_conditions(seed, training.samples, clusters),
        training_noise(seed, training.samples, inputs),
    )
