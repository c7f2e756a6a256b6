"""plan: networks to train, jobs, core-minutes and disk, for each figure and in all. A sweep that no
figure draws has a separate line.

The headers of existing files state which networks exist. A network that two figures need is counted
for both, and once in all. Minutes are minutes of a CPU core, even if a GPU would train.
"""

from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import NamedTuple

from repatlas.artifacts import layout
from repatlas.artifacts.files import Unreadable, read_header
from repatlas.artifacts.recipes.networks import (
    MeasureJob,
    PrepareJob,
    ShardJob,
    TrainJob,
    trains,
    untrained,
    without_measures,
)
from repatlas.artifacts.runs import Parts, serves
from repatlas.artifacts.versions import versions
from repatlas.named import named, names
from repatlas.operations.allocation import seconds_of
from repatlas.operations.blocks import Blocks
from repatlas.operations.costs import Cost, fitted
from repatlas.operations.expected import Expected, expected_files, is_there, missing
from repatlas.operations.freshness import job_of
from repatlas.operations.options import parser_of, read_plan, with_figure_option
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
    parser = with_figure_option(parser_of("plan", __doc__))
    text = "this study alone; may be given for several"
    parser.add_argument("--study", choices=names("studies"), action="append", help=text)
    options = parser.parse_args(arguments)
    plan = read_plan(options)
    folders = [Path(plan.folder), Path(plan.folder) / "preview"]
    experiments = sorted({shard.experiment for shard in plan.shards})
    models = {
        (experiment, stage): fitted(folders, experiment, stage)
        for experiment in experiments
        for stage in (("train", "measure") if trains(experiment) else ("measure",))
    }

    products = [each for each in plan.products if each.study in (options.study or plan.studies)]
    lines = {plan.name_of(product): [product] for product in products}
    width = max(map(len, ["figure", *lines])) + 2
    titles = ("figure", "networks", "jobs", "core-minutes", "disk (MB)")
    print(LINE.format(*titles, width=width))
    files = expected_files(plan)
    blocks = Blocks(files, lambda name: is_there(files[name]))
    work = work_left(plan, files, models)
    for name, of_line in {**lines, "in all": products}.items():
        networks, jobs, seconds, megabytes = estimate(plan, of_line, files, work, blocks)
        minutes, disk = f"{seconds / 60:.1f}", f"{megabytes:.0f}"
        print(LINE.format(name, networks, jobs, minutes, disk, width=width))
    if options.study:
        files = missing(files, [path for product in products for path in plan.files(product)])
        experiments = sorted({s.experiment for p in products for s in plan.shards_of(p)})
    for stage, minutes in minutes_of_jobs(files, work, blocks).items():
        number, typical, longest = len(minutes), median(minutes), max(minutes)
        print(f"{stage}: {number} jobs, of {typical:.1f} minutes (median), {longest:.1f} at most")
    print(in_the_store(plan))
    for (experiment, stage), model in models.items():
        if experiment not in experiments:
            continue
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
    """Return the work of each of these files that is not there, by its name without its suffix."""
    lost = {p.with_suffix(""): w for p, w in files.items() if not is_there(w)}
    found = {}
    for place, wanted in lost.items():
        job = job_of(wanted)
        if not isinstance(job, ShardJob):
            seconds = seconds_of(wanted.stage, wanted.job)
            found[place] = Work(seconds, None, None, {}, {})
            continue
        shard, runs = Shard(job.experiment, job.family, job.seed), job.wanted()
        sizes = named(f"experiments.{job.experiment}", "size")
        data, stored = _data_header(plan, shard, files), {}
        if isinstance(job, TrainJob):
            left = _steps_left(wanted.path, job, data)
            units = {key: sizes.training(runs[key].spec, n, data) for key, n in left.items()}
            stored = {key: sizes.stored_bytes(runs[key].spec, runs[key].steps) for key in left}
        else:
            runs_of = files.get(Path(plan.results, layout.RUNS.format(**shard.place)))
            units = _units_of_measuring(wanted.path, runs_of, job, sizes, data)
        found[place] = Work(0.0, shard, models[job.experiment, job.stage], units, stored)
    return found


def minutes_of_jobs(files: Files, work: dict[Path, Work], blocks: Blocks) -> dict[str, list[float]]:
    """Return, for each stage of shards with work left, the minutes of each of its jobs."""
    costs: dict[tuple[str, Path], Cost] = {}
    units: dict[tuple[str, Path], int] = {}
    for path, wanted in files.items():
        left = work.get(path.with_suffix(""))
        if left and left.cost:
            job = wanted.stage, *blocks.known([path])
            costs[job] = left.cost
            units[job] = units.get(job, 0) + sum(left.units.values())
    minutes: dict[str, list[float]] = {}
    for (stage, path), cost in costs.items():
        minutes.setdefault(stage, []).append(cost.seconds(units[stage, path]) / 60)
    return minutes


def estimate(
    plan: Plan, products: list[Product], files: Files, work: dict[Path, Work], blocks: Blocks
) -> Estimate:
    """Return what it takes to make these figures, or sweeps without one."""
    needed = set().union(*map(plan.networks, products))
    jobs: dict[Path, set[Path]] = {}
    for path in missing(files, [path for product in products for path in plan.files(product)]):
        [known] = blocks.known([path])
        jobs.setdefault(known.with_suffix(""), set()).add(path.with_suffix(""))
    networks, seconds, size = 0, 0.0, 0
    for _, places in sorted(jobs.items()):
        of_job = [work[place] for place in sorted(places)]
        seconds += max((left.cost.start for left in of_job if left.cost), default=0.0)
        for left in of_job:
            seconds += left.seconds
            if left.shard is None:
                continue
            keys = [key for key in left.units if (left.shard, key) in needed]
            networks += len(left.stored.keys() & set(keys))
            size += sum(left.stored.get(key, 0) for key in keys)
            seconds += left.cost.per_unit * sum(left.units[key] for key in keys)
    return Estimate(networks, len(jobs), seconds, size / 1e6)


def _steps_left(path: Path, job: TrainJob, data: dict) -> dict[str, int]:
    """Return, by key, the steps that are left of each network of a shard that will be trained.
    `path` is the place of the shard's file in the store."""
    wanted = job.wanted()
    basis = job.basis(data.get("digests", {}))
    left = {key: run.steps[-1] for key, run in wanted.items()}
    for place in (*versions(path), *Parts(path).files()):
        for key, about in _runs(place, "runs").items():
            if key in wanted and serves(about, wanted[key].steps, basis[key]):
                left[key] = min(left[key], max(wanted[key].steps[-1] - about["steps"][-1], 0))
    # A network of no steps is stored as it starts.
    return {key: steps for key, steps in left.items() if steps > 0}


def _units_of_measuring(
    path: Path, runs_of: Expected | None, job: MeasureJob, sizes, data: dict
) -> dict[str, int]:
    """Return, by key, the units of the measures of each network that no version of the file has.
    `path` is its place in the store; `runs_of` is the file of the runs, if there are any."""
    if runs_of is None:
        trained = untrained(job, data) if "job" in data else {}
    else:
        trained = {}
        for place in versions(runs_of.path):
            trained = _runs(place, "runs") | trained
    basis, stored = job.basis(trained), [_runs(place, "metrics") for place in versions(path)]
    decoders, units = Decoders.model_validate(job.decoders), {}
    for key, run in job.wanted().items():
        same = [
            each[key]["measures"]
            for each in stored
            if key in each
            and key in basis
            and without_measures(each[key]) == without_measures(basis[key])
        ]
        left = {
            name: steps
            for name, steps in run.measures.items()
            if not any(of.get(name) == basis[key]["measures"][name] for of in same)
        }
        if left:
            units[key] = sizes.measuring(run.spec, left, decoders, data)
    return units


def in_the_store(plan: Plan) -> str:
    """Return a sentence on the files in the store, of all configs."""
    sizes = [path.stat().st_size for path in plan.store.rglob("*") if path.is_file()]
    return f"{plan.store}: {len(sizes)} files, {sum(sizes) / 1e6:.0f} MB, of all configs"


def _data_header(plan: Plan, shard: Shard, files: Files) -> dict:
    """Return the header of a shard's data, with the digests of all arrays that a version has. A
    version of other code will do: it is recomputed, but the data stay what they are. Only the
    digests are there if there is no such version yet."""
    experiment, place = plan.data_place(shard)
    wanted = plan.data[experiment, place].model_copy(update={"code": ""})
    name = Path(plan.results, layout.DATA.format(experiment=experiment, data=place))
    found, digests = {}, {}
    for path in versions(files[name].path):
        try:
            header = read_header(path, "data")
        except Unreadable:
            continue
        digests = header["digests"] | digests
        if not found and PrepareJob.model_validate(header["job"] | {"code": ""}) == wanted:
            found = header
    return found | ({"digests": digests} if digests else {})


def _runs(path: Path, kind: str) -> dict:
    try:
        return read_header(path, kind)["runs"] if path.exists() else {}
    except Unreadable:
        return {}
