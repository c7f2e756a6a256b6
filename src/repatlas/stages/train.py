"""train: the networks of one shard that no file has yet."""

import time
from collections.abc import Iterable
from pathlib import Path

from repatlas.artifacts.files import Arrays, Unreadable, set_aside
from repatlas.artifacts.locks import exclusive
from repatlas.artifacts.recipes.networks import TrainJob
from repatlas.artifacts.runs import Parts, Run, read_runs, write_runs
from repatlas.artifacts.versions import versions
from repatlas.named import named
from repatlas.networks.devices import chosen_device
from repatlas.stages.job import (
    WORK,
    arrays_of_seed,
    is_made,
    log,
    made_from,
    show,
    stage_parser,
)


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    parser.add_argument(
        "--flush-seconds", type=float, default=10, help="training that is lost at most"
    )
    options = parser.parse_args(arguments)
    job = TrainJob.read(options.job)
    trained_by = named(f"experiments.{job.experiment}", "train")
    device = chosen_device(options.device) if trained_by.USES_TORCH else "cpu"
    data = arrays_of_seed(options.data, "data", job.seed)
    header = made_from(options, job, {options.data: data.header})
    with exclusive(options.output):
        if not is_made(options.output):
            _complete_shard(options, job, header, data, device)
    show(options)


def _complete_shard(options, job: TrainJob, header: dict, data: Arrays, device: str) -> None:
    experiment = f"experiments.{job.experiment}"
    wanted = job.wanted()
    basis = job.basis(data.header["digests"])
    parts = Parts(options.output)
    steps = {key: run.steps for key, run in wanted.items()}
    found = dict.fromkeys([options.output, *versions(options.output), *parts.files()])
    runs = stored_runs(found, steps, basis)
    missing = {
        key: run
        for key, run in wanted.items()
        if key not in runs or runs[key].last_step < run.steps[-1]
    }
    kept, begun = len(wanted) - len(missing), len(runs.keys() & missing.keys())
    before = {key: _steps_trained(runs[key]) if key in runs else 0 for key in missing}
    log(
        f"{len(wanted)} networks of seed {job.seed}: {kept} kept, {len(missing)} to train"
        f" ({begun} of them begun)"
    )

    unsaved: dict[str, Run] = {}
    flushed = time.perf_counter()
    train = named(experiment, "train").train
    for found in train(missing, runs, data, job.seed, device, log) if missing else ():
        trained = {key: run.resting_on(basis[key]) for key, run in found.items()}
        runs |= trained
        unsaved |= trained
        if time.perf_counter() - flushed > options.flush_seconds:
            parts.flush(unsaved)
            unsaved = {}
            flushed = time.perf_counter()

    written = {key: runs[key].at(run.steps) for key, run in wanted.items()}
    write_runs(options.output, header, written)
    parts.remove(written)
    if device == "cpu":  # costs are given for one core
        work = named(experiment, "size").training
        units = sum(
            work(run.spec, _steps_trained(runs[key]) - before[key], data.header)
            for key, run in missing.items()
        )
        log(f"{WORK}{units}")


def stored_runs(
    paths: Iterable[Path], steps: dict[str, list[int]], basis: dict[str, dict]
) -> dict[str, Run]:
    """Return the runs that these files have, by key, and rename files that are damaged.

    If several files have a run, the run that has been trained longest is returned. steps: for each
    run, by key, the steps whose parameters are required.
    """
    runs: dict[str, Run] = {}
    for path in paths:
        if not path.exists():
            continue
        left = {k: s for k, s in steps.items() if k not in runs or runs[k].last_step < s[-1]}
        try:
            found = read_runs(path, left, basis)
        except Unreadable as error:
            log(f"{error}; set aside as {set_aside(path).name}")
            continue
        for key, run in found.items():
            if key not in runs or run.last_step > runs[key].last_step:
                runs[key] = run
    return runs


def _steps_trained(run: Run) -> int:
    """Return the step of the last checkpoint, or of convergence."""
    converged = run.about["converged_step"]
    return run.last_step if converged is None else min(converged, run.last_step)
