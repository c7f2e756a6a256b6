"""plan: networks to train, jobs, core-minutes and disk, for each figure and in all.

What is there already is read from the headers of the files. A network that two figures need is
counted for both, and once in all.
"""

import argparse
import json
from pathlib import Path
from typing import NamedTuple

from repgeom.config import read_config
from repgeom.costs import SMALL_JOB, Cost, fitted, stored_bytes
from repgeom.decoders import Decoders
from repgeom.files import Unreadable, read_header
from repgeom.freshness import stated, upstream
from repgeom.measures import work
from repgeom.plan import Expected, Plan, Shard, expected_files
from repgeom.stages.job import Wanted, wanted_runs
from repgeom.training.store import Parts, serves

LINE = "{:8}{:>10}{:>7}{:>14}{:>11}"


class Estimate(NamedTuple):
    networks: int
    jobs: int
    seconds: float
    megabytes: float


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", required=True, help="the values of config.yaml, as JSON")
    options = parser.parse_args(arguments)
    plan = Plan(read_config(json.loads(options.config)))
    folders = [Path(plan.results), Path(plan.twin)]
    models = {stage: fitted(folders, stage) for stage in ("train", "measure")}

    print(LINE.format("figure", "networks", "jobs", "core-minutes", "disk (MB)"))
    for name, figures in {**{f: [f] for f in plan.figures}, "in all": plan.figures}.items():
        networks, jobs, seconds, megabytes = estimate(plan, figures, models)
        print(LINE.format(name, networks, jobs, f"{seconds / 60:.1f}", f"{megabytes:.0f}"))
    for stage, model in models.items():
        origin = (
            f"fitted to {model.jobs} earlier jobs, each off by {model.error:.0%} (median) when"
            " estimated from the others"
            if model.jobs
            else "the shipped model, from another machine"
        )
        print(f"{stage}: {origin}")


def estimate(plan: Plan, figures, models: dict[str, Cost]) -> Estimate:
    """What it takes to bring the files behind these figures up to date."""
    files = expected_files(plan)
    behind = {path: wanted for name in figures for path, wanted in upstream(files, name).items()}
    stale = [(path, wanted) for path, wanted in behind.items() if not _is_fresh(path, wanted)]
    needed = set().union(*(plan.figure_runs(name) for name in figures))
    networks, seconds, size = 0, 0.0, 0
    for path, wanted in stale:
        if wanted.stage == "train":
            job = json.loads(wanted.job)
            shard = Shard(job["family"], job["seed"])
            to_train = _to_train(plan, shard, wanted_runs(job))
            mine = {key: item for key, item in to_train.items() if (shard, key) in needed}
            networks += len(mine)
            units = sum(steps * run.spec.products_per_step for run, steps in mine.values())
            seconds += models["train"].seconds(units)
            size += sum(stored_bytes(run) for run, _ in mine.values())
        elif wanted.stage == "measure":
            job = json.loads(wanted.job)
            shard = Shard(job["family"], job["seed"])
            about = _runs(path, "metrics")
            decoders = Decoders.model_validate(job["decoders"])
            units = sum(
                work(run.spec, run.measures, decoders)
                for key, run in wanted_runs(job).items()
                if (shard, key) in needed and not _is_measured(about.get(key), run, job)
            )
            seconds += models["measure"].seconds(units)
        elif path.suffix != ".png":  # one job draws both
            seconds += SMALL_JOB
    jobs = sum(path.suffix != ".png" for path, _ in stale)
    return Estimate(networks, jobs, seconds, size / 1e6)


def _to_train(plan: Plan, shard: Shard, wanted: dict[str, Wanted]) -> dict[str, tuple[Wanted, int]]:
    """The networks of a shard that are to be trained, each with the steps that are left."""
    place = f"runs/{shard.family}/seed-{shard.seed}.safetensors"
    own = Path(plan.results) / place
    basis = {
        "seed": shard.seed,
        "train": json.loads(plan.train_job(*shard))["code"],
        "tasks": json.loads(plan.tasks_job(*shard))["code"],
    }
    left = {key: run.steps[-1] for key, run in wanted.items()}
    for path in (own, Path(plan.twin) / place, *Parts(own).files()):
        for key, about in _runs(path, "runs").items():
            if key in wanted and serves(about, wanted[key].steps, basis):
                rest = max(wanted[key].steps[-1] - about["steps"][-1], 0)
                left[key] = min(left[key], rest)
    return {key: (wanted[key], steps) for key, steps in left.items() if steps > 0}


def _is_measured(about: dict | None, run: Wanted, job: dict) -> bool:
    return (
        about is not None
        and (about["measure"], about["decoders"]) == (job["code"], job["decoders"])
        and about["measures"] == run.measures
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
