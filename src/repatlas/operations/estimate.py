"""plan: networks to train, jobs, core-minutes and disk, for each figure and in all; a sweep that no
figure draws has a line of its own.

What is there already is read from the headers of the files. A network that two figures need is
counted for both, and once in all. Minutes are those of a CPU core, also where a GPU would train.
"""

from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import NamedTuple

from repatlas.artifacts import layout
from repatlas.artifacts.files import Unreadable, read_header
from repatlas.artifacts.jobs import (
    CompareNetworksJob,
    MeasureJob,
    PrepareJob,
    ShardJob,
    TrainJob,
    bare,
    trains,
    untrained,
)
from repatlas.artifacts.runs import UNUSED, Parts, serves
from repatlas.named import named
from repatlas.operations.allocation import seconds_of_comparing
from repatlas.operations.batches import Batches
from repatlas.operations.costs import SMALL_JOB, Cost, fitted
from repatlas.operations.expected import Expected, expected_files
from repatlas.operations.freshness import job_of, stated, upstream
from repatlas.operations.options import of_one_figure, parser_of, read_plan
from repatlas.plan.places import Product, Shard
from repatlas.plan.plan import Plan
from repatlas.representation import Decoders

LINE = "{:{width}}{:>10}{:>7}{:>14}{:>11}"


Files = Mapping[Path, Expected]


class Estimate(NamedTuple):
    networks: int
    jobs: int
    seconds: float
    megabytes: float


def main(arguments: list[str]) -> None:
    parser = of_one_figure(parser_of("plan", __doc__))
    parser.add_argument("--job-minutes", type=float, default=0, help="what a job should take")
    options = parser.parse_args(arguments)
    plan = read_plan(options)
    folders = [Path(plan.results), Path(plan.twin)]
    experiments = sorted({shard.experiment for shard in plan.shards})
    models = {
        (experiment, stage): fitted(folders, experiment, stage)
        for experiment in experiments
        for stage in (("train", "measure") if trains(experiment) else ("measure",))
    }

    lines = {plan.name_of(product): [product] for product in plan.products}
    width = max(map(len, ["figure", *lines])) + 2
    titles = ("figure", "networks", "jobs", "core-minutes", "disk (MB)")
    print(LINE.format(*titles, width=width))
    files = expected_files(plan)
    work = work_left(plan, files, models)
    for name, products in {**lines, "in all": plan.products}.items():
        networks, jobs, seconds, megabytes = estimate(plan, products, files, work)
        minutes, disk = f"{seconds / 60:.1f}", f"{megabytes:.0f}"
        print(LINE.format(name, networks, jobs, minutes, disk, width=width))
    if options.job_minutes:
        batches = Batches(plan, files, options.job_minutes)
        print(f"Sent to a cluster, as jobs of {options.job_minutes:g} minutes at most if they can:")
        for stage, minutes in minutes_of_jobs(files, work, batches).items():
            number, typical, longest = len(minutes), median(minutes), max(minutes)
            print(
                f"{stage}: {number} jobs, of {typical:.1f} minutes (median), {longest:.1f} at most"
            )
    for (experiment, stage), model in models.items():
        origin = (
            f"fitted to {model.jobs} earlier jobs, each off by {model.error:.0%} (median) when"
            " estimated from the others"
            if model.jobs
            else "the shipped model, from another machine"
        )
        print(f"{stage} {experiment}: {origin}")
    if {"images", "classification"} & {*experiments}:
        print("Minutes are those of a CPU core, also where a GPU would train.")


class Work(NamedTuple):
    """The work that a job still has."""

    seconds: float
    """Cost in addition to its networks"""
    shard: Shard | None
    """None for a job without networks"""
    cost: Cost | None
    units: dict[str, int]
    """Units of each network, by key"""
    stored: dict[str, int]
    """Bytes of each network that will be trained, by key"""


def work_left(plan: Plan, files: Files, models: dict[tuple[str, str], Cost]) -> dict[Path, Work]:
    """Return the jobs that bring these files up to date, by their result, without its suffix."""
    stale = {p.with_suffix(""): (p, w) for p, w in files.items() if not _is_fresh(p, w)}
    found = {}
    for place, (path, wanted) in stale.items():
        job = job_of(wanted)
        if not isinstance(job, ShardJob):
            pairs = seconds_of_comparing(job) if isinstance(job, CompareNetworksJob) else 0.0
            found[place] = Work(SMALL_JOB + pairs, None, None, {}, {})
            continue
        shard, runs = Shard(job.experiment, job.family, job.seed), job.wanted()
        sizes = named(f"experiments.{job.experiment}", "size")
        data, stored = _data_header(plan, shard), {}
        if isinstance(job, TrainJob):
            left = _steps_left(plan, path, job, data)
            units = {key: sizes.training(runs[key].spec, n, data) for key, n in left.items()}
            stored = {key: sizes.stored_bytes(runs[key].spec, runs[key].steps) for key in left}
        else:
            units = _units_of_measuring(path, job, runs, sizes, data)
        found[place] = Work(0.0, shard, models[job.experiment, job.stage], units, stored)
    return found


def minutes_of_jobs(
    files: Files, work: dict[Path, Work], batches: Batches
) -> dict[str, list[float]]:
    """Return, for each stage of shards with work left, the minutes of each of its jobs."""
    costs: dict[tuple[str, Path], Cost] = {}
    units: dict[tuple[str, Path], int] = {}
    for path, wanted in files.items():
        left = work.get(path.with_suffix(""))
        if left and left.cost:
            job = wanted.stage, batches.file(path)
            costs[job] = left.cost
            units[job] = units.get(job, 0) + sum(left.units.values())
    minutes: dict[str, list[float]] = {}
    for (stage, path), cost in costs.items():
        minutes.setdefault(stage, []).append(cost.seconds(units[stage, path]) / 60)
    return minutes


def estimate(plan: Plan, products: list[Product], files: Files, work: dict[Path, Work]) -> Estimate:
    """Return what it takes to bring these figures, or sweeps without one, up to date."""
    behind = upstream(files, [path for product in products for path in plan.files(product)])
    jobs = {path.with_suffix("") for path in behind} & work.keys()
    needed = set().union(*map(plan.networks, products))
    networks, seconds, size = 0, 0.0, 0
    for place in sorted(jobs):
        left = work[place]
        seconds += left.seconds
        if left.shard is None:
            continue
        keys = [key for key in left.units if (left.shard, key) in needed]
        networks += len(left.stored.keys() & set(keys))
        size += sum(left.stored.get(key, 0) for key in keys)
        seconds += left.cost.seconds(sum(left.units[key] for key in keys))
    return Estimate(networks, len(jobs), seconds, size / 1e6)


def _steps_left(plan: Plan, path: Path, job: TrainJob, data: dict) -> dict[str, int]:
    """Return, by key, the steps that are left of each network of a shard that will be trained."""
    wanted = job.wanted()
    basis = job.basis(data.get("digests", {}))
    left = {key: run.steps[-1] for key, run in wanted.items()}
    twin = Path(plan.twin) / path.relative_to(plan.results)
    for place in (path, path.with_suffix(UNUSED), twin, *Parts(path).files()):
        for key, about in _runs(place, "runs").items():
            if key in wanted and serves(about, wanted[key].steps, basis[key]):
                left[key] = min(left[key], max(wanted[key].steps[-1] - about["steps"][-1], 0))
    # A network of no steps is stored as it starts.
    return {key: steps for key, steps in left.items() if steps > 0}


def _units_of_measuring(
    path: Path, job: MeasureJob, runs: dict, sizes, data: dict
) -> dict[str, int]:
    """Return, by key, the units of the measures of each network that no file has."""
    if trains(job.experiment):
        trained = _runs(
            Path(str(path).replace("metrics", "runs", 1)).with_suffix(".safetensors"), "runs"
        )
    else:
        trained = untrained(job, data) if data else {}
    basis = job.basis(trained)
    stored, decoders = _runs(path, "metrics"), Decoders.model_validate(job.decoders)
    units = {}
    for key, run in runs.items():
        about = stored.get(key, {})
        same = key in basis and bare(about) == bare(basis[key])
        missing = {
            name: steps
            for name, steps in run.measures.items()
            if not (same and about["measures"].get(name) == basis[key]["measures"][name])
        }
        if missing:
            units[key] = sizes.measuring(run.spec, missing, decoders, data)
    return units


def _data_header(plan: Plan, shard: Shard) -> dict:
    """Return the header of a shard's data; nothing if there is no file yet. A file of other code
    will do: it is recomputed, but the data stay what they are."""
    experiment, place = plan.data_place(shard)
    wanted = plan.data[experiment, place].model_copy(update={"code": ""})
    for folder in (plan.results, plan.twin):
        path = Path(folder) / layout.DATA.format(experiment=experiment, data=place)
        try:
            header = read_header(path, "data") if path.exists() else None
        except Unreadable:
            continue
        if header and PrepareJob.model_validate(header["job"] | {"code": ""}) == wanted:
            return header
    return {}


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
