"""Which files the config and the code imply, and whether those on the disk are that.

Nothing of Snakemake's records is needed: each file says in its header what it was made from.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

from repgeom.drawings import read_drawing
from repgeom.files import METRICS_SCHEMA, TABLE_SCHEMA, Arrays, Unreadable, read_table, set_aside
from repgeom.plan import Plan
from repgeom.provenance import identity, modules


class Expected(NamedTuple):
    stage: str
    job: str
    identity: str
    inputs: list[Path]


def expected_files(plan: Plan) -> dict[Path, Expected]:
    """Every file that the plan implies, from the plan alone, each after those it is made from."""
    results = Path(plan.results)
    expected: dict[Path, Expected] = {}

    def expect(stage: str, place: str, job: str, *inputs: Path) -> Path:
        path = results / place
        known = [expected[source].identity for source in inputs]
        expected[path] = Expected(stage, job, identity(job, known), list(inputs))
        return path

    metrics = {}
    for shard in plan.shards:
        place = f"{shard.family}/seed-{shard.seed}"
        tasks = expect("make_tasks", f"tasks/{place}.safetensors", plan.tasks_job(*shard))
        runs = expect("train", f"runs/{place}.safetensors", plan.train_job(*shard), tasks)
        job = plan.measure_job(*shard)
        metrics[shard] = expect("measure", f"metrics/{place}.parquet", job, tasks, runs)
    for figure in plan.figures:
        sources = [metrics[shard] for shard in plan.figure_shards(figure)]
        job = plan.tabulate_job(figure)
        table = expect("tabulate", f"tables/{figure}.parquet", job, *sources)
        for suffix in ("pdf", "png"):
            expect("plot", f"figures/{figure}.{suffix}", plan.plot_job(figure), table)
    return expected


def upstream(expected: dict[Path, Expected], figure: str) -> dict[Path, Expected]:
    """The files of a figure and those that it is made from, in the order of the stages."""
    waiting = [path for path in expected if path.stem == figure and path.parent.name == "figures"]
    found = set()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += expected[path].inputs
    return {path: wanted for path, wanted in expected.items() if path in found}


def state(path: Path, wanted: Expected) -> tuple[str, str]:
    """The state of a file, and the reason where it is not fresh."""
    if not path.exists():
        return "missing", ""
    try:
        found = _header(path, wanted.stage)
    except Unreadable as error:
        return "damaged", f": {error.reason}; now {set_aside(path).name}"
    if found["identity"] == wanted.identity:
        return "fresh", ""
    return "stale", ": " + "; ".join(reasons(found, wanted))


def reasons(found: dict, wanted: Expected) -> list[str]:
    """Because of what a file with this header isn't what is wanted."""
    job = json.loads(wanted.job)
    before, after = _values(found["job"]), _values(job)
    texts = []
    if gone := before - after:
        texts.append("no more " + ", ".join(sorted(gone)))
    if new := after - before:
        texts.append("now " + ", ".join(sorted(new)))
    if found["job"]["code"] != job["code"]:
        modules_now = modules(wanted.stage, job.get("figure"))
        names = sorted(found["modules"].keys() | modules_now.keys())
        edited = [n for n in names if found["modules"].get(n) != modules_now.get(n)]
        code = f"code was {found['job']['code']}, is {job['code']}"
        texts.append(f"{code}; edited: {', '.join(edited)}" if edited else code)
    if not texts and found["job"] != job:
        texts.append("the same values in other combinations")
    return texts or ["made from other inputs"]


def _values(job: Any, path: str = "") -> set[str]:
    """The values in a job, each as path=value; where in a list one stands doesn't matter."""
    if isinstance(job, dict):
        parts = [_values(value, f"{path}.{key}") for key, value in job.items() if key != "code"]
        return set().union(*parts)
    if isinstance(job, list):
        return set().union(*(_values(value, path) for value in job))
    return {f"{path.removeprefix('.')}={job}"}


def _header(path: Path, stage: str) -> dict:
    """What a file says of itself, after all of it was read and checked."""
    match stage:
        case "plot":
            return read_drawing(path)
        case "tabulate":
            return read_table(path, "table", TABLE_SCHEMA)[0]
        case "measure":
            return read_table(path, "metrics", METRICS_SCHEMA)[0]
        case "train" | "make_tasks":
            arrays = Arrays(path, {"train": "runs", "make_tasks": "tasks"}[stage])
            arrays.check()
            return arrays.header
