"""plan: networks to train, jobs, core-minutes and disk, for each figure and in all; a sweep that no
figure draws has a line of its own.

What is there already is read from the headers of the files. A network that two figures need is
counted for both, and once in all. Minutes are those of a CPU core, also where a GPU would train.
"""

import argparse
import json
from pathlib import Path
from typing import NamedTuple

from repatlas.artifacts.files import Unreadable, read_header
from repatlas.artifacts.runs import UNUSED, Parts, serves
from repatlas.experiments.clusters.size import stored_bytes, work
from repatlas.experiments.images.data_sets import work as image_work
from repatlas.experiments.images.known import DATA_SETS
from repatlas.operations.costs import SMALL_JOB, Cost, fitted
from repatlas.operations.freshness import stated, upstream
from repatlas.operations.planned import add_plan, read_plan
from repatlas.plan import Expected, Plan, Shard, expected_files
from repatlas.representation import Decoders
from repatlas.stages.image_job import wanted_image_runs
from repatlas.stages.job import Wanted, wanted_runs

LINE = "{:{width}}{:>10}{:>7}{:>14}{:>11}"


class Estimate(NamedTuple):
    networks: int
    jobs: int
    seconds: float
    megabytes: float


def main(arguments: list[str]) -> None:
    parser = add_plan(argparse.ArgumentParser(description=__doc__.splitlines()[0]))
    options = parser.parse_args(arguments)
    plan = read_plan(options)
    folders = [Path(plan.results), Path(plan.twin)]
    stages = ["train", "measure"]
    if plan.image_shards:
        stages += ["train_images", "measure_images"]
    models = {stage: fitted(folders, stage) for stage in stages}

    width = max(map(len, ["figure", *plan.products])) + 2
    titles = ("figure", "networks", "jobs", "core-minutes", "disk (MB)")
    print(LINE.format(*titles, width=width))
    for name, products in {**{p: [p] for p in plan.products}, "in all": plan.products}.items():
        networks, jobs, seconds, megabytes = estimate(plan, products, models)
        minutes, disk = f"{seconds / 60:.1f}", f"{megabytes:.0f}"
        print(LINE.format(name, networks, jobs, minutes, disk, width=width))
    for stage, model in models.items():
        origin = (
            f"fitted to {model.jobs} earlier jobs, each off by {model.error:.0%} (median) when"
            " estimated from the others"
            if model.jobs
            else "the shipped model, from another machine"
        )
        print(f"{stage}: {origin}")
    if plan.image_shards:
        print("Minutes are those of a CPU core, also where a GPU would train.")


def estimate(plan: Plan, products: list[str], models: dict[str, Cost]) -> Estimate:
    """What it takes to bring these figures, or sweeps without one, up to date."""
    files = expected_files(plan)
    behind = upstream(files, [path for product in products for path in plan.files(product)])
    stale = [(path, wanted) for path, wanted in behind.items() if not _is_fresh(path, wanted)]
    jobs = {_made_by(path, wanted): (path, wanted) for path, wanted in stale}
    needed = set().union(*map(plan.networks, products))
    networks, seconds, size = 0, 0.0, 0
    for path, wanted in jobs.values():
        job = json.loads(wanted.job)
        if wanted.stage == "train":
            shard, runs = Shard(job["family"], job["seed"]), wanted_runs(job)
            left = {
                key: steps
                for key, steps in _steps_left(plan, shard, job).items()
                if (shard, key) in needed
            }
            networks += len(left)
            units = sum(steps * runs[key].spec.products_per_step for key, steps in left.items())
            seconds += models["train"].seconds(units)
            size += sum(stored_bytes(runs[key].spec, runs[key].steps) for key in left)
        elif wanted.stage == "measure":
            shard = Shard(job["family"], job["seed"])
            about = _runs(path, "metrics")
            decoders = Decoders.model_validate(job["decoders"])
            units = sum(
                work(run.spec, run.measures, decoders)
                for key, run in wanted_runs(job).items()
                if (shard, key) in needed and not _is_measured(about.get(key), run, job)
            )
            seconds += models["measure"].seconds(units)
        elif wanted.stage == "train_images":
            runs, left = wanted_image_runs(job), _epochs_left(plan, job)
            networks += len(left)
            passes = {runs[key].spec: epochs for key, epochs in left.items()}
            units = image_work.products(passes) * _images(plan, job, "train")
            seconds += models["train_images"].seconds(units)
            size += sum(image_work.stored_bytes(*runs[key]) for key in left)
        elif wanted.stage == "measure_images":
            stored = {run.spec: len(run.epochs) for run in wanted_image_runs(job).values()}
            units = image_work.products(stored) * _images(plan, job, "test")
            seconds += models["measure_images"].seconds(units)
        else:
            seconds += SMALL_JOB
    return Estimate(networks, len(jobs), seconds, size / 1e6)


def _made_by(path: Path, wanted: Expected) -> Path:
    """The same for all files of a job: PDF and PNG of a figure, both splits of a data set."""
    return path.parent if wanted.stage == "prepare_images" else path.with_suffix("")


def _steps_left(plan: Plan, shard: Shard, job: dict) -> dict[str, int]:
    """By key: of each network of a shard that is to be trained, the steps that are left."""
    basis = {
        "seed": shard.seed,
        "train": job["code"],
        "tasks": json.loads(plan.tasks_job(*shard))["code"],
    }
    wanted = {key: run.steps for key, run in wanted_runs(job).items()}
    return _left(plan, f"runs/{shard.family}/seed-{shard.seed}.safetensors", wanted, basis)


def _epochs_left(plan: Plan, job: dict) -> dict[str, int]:
    """By key: of each network on images that is to be trained, the epochs that are left."""
    header = _images_header(plan, job, "train")
    basis = {"seed": job["seed"], "train": job["code"], "images": header.get("digests")}
    wanted = {key: run.epochs for key, run in wanted_image_runs(job).items()}
    return _left(plan, f"image_runs/{job['family']}/seed-{job['seed']}.safetensors", wanted, basis)


def _left(plan: Plan, place: str, wanted: dict[str, list[int]], basis: dict) -> dict[str, int]:
    """Of each wanted run (key -> steps) that no file has whole, the steps that are left."""
    own = Path(plan.results) / place
    left = {key: steps[-1] for key, steps in wanted.items()}
    for path in (own, own.with_suffix(UNUSED), Path(plan.twin) / place, *Parts(own).files()):
        for key, about in _runs(path, "runs").items():
            if key in wanted and serves(about, wanted[key], basis):
                left[key] = min(left[key], max(wanted[key][-1] - about["steps"][-1], 0))
    return {key: steps for key, steps in left.items() if steps > 0}


def _images(plan: Plan, job: dict, split: str) -> int:
    """How many images a job reads: as many as were published, until they are prepared."""
    published = DATA_SETS[plan.data_set_of(job["family"])].SIZES[split]
    return _images_header(plan, job, split).get("images", published)


def _images_header(plan: Plan, job: dict, split: str) -> dict:
    """What the file of a job's images says of itself; nothing where there is none yet. One of other
    code will do: it is read anew, but the images stay what they are."""
    data_set = plan.data_set_of(job["family"])
    wanted = json.loads(plan.prepare_images_job(data_set)) | {"code": None}
    for folder in (plan.results, plan.twin):
        path = Path(folder) / f"images/{data_set}/{split}.safetensors"
        try:
            header = read_header(path, "images") if path.exists() else None
        except Unreadable:
            continue
        if header and header["job"] | {"code": None} == wanted:
            return header
    return {}


def _is_measured(about: dict | None, run: Wanted, job: dict) -> bool:
    return (
        about is not None
        and (about["measure"], about["decoders"]) == (job["code"], job["decoders"])
        and (about["measures"], about.get("steps")) == (run.measures, run.steps)
    )


def _runs(path: Path, kind: str) -> dict:
    try:
        return read_header(path, kind)["runs"] if path.exists() else {}
    except Unreadable:
        return {}


def _is_fresh(path: Path, wanted: Expected) -> bool:
    if not path.exists():
        return False
    try:
        return stated(path, wanted.stage)["identity"] == wanted.identity
    except Unreadable:
        return False
