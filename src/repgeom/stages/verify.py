"""verify: is every file in the results what the config and the code imply?

Needs nothing of Snakemake's records: each file says in its header what it was made from. Reads
every file whole, prints one line for each that isn't fresh, and the counts of

    fresh    what the config and the code imply
    stale    made from another config, other code or other inputs
    damaged  not what was once written; set aside, to be made again
    missing  not there
    orphan   there, but nothing in the config implies it

and fails if any file is stale, damaged or missing.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from repgeom.config import read_config
from repgeom.drawings import read_drawing
from repgeom.files import METRICS_SCHEMA, TABLE_SCHEMA, Arrays, Unreadable, read_table, set_aside
from repgeom.plan import Plan
from repgeom.provenance import identity, modules

STATES = ("fresh", "stale", "damaged", "missing", "orphan")
STAGES = {
    "tasks": "make_tasks",
    "runs": "train",
    "metrics": "measure",
    "table": "tabulate",
    "drawing": "plot",
}
FOLDERS = ("tasks", "runs", "metrics", "tables", "figures")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", required=True, help="the values of config.yaml, as JSON")
    options = parser.parse_args(arguments)
    plan = Plan(read_config(json.loads(options.config)))

    expected = expected_files(plan)
    found = [(path, *_state(path, file)) for path, file in sorted(expected.items())]
    found += [(path, "orphan", "") for path in sorted(_files(Path(plan.results)) - expected.keys())]
    for path, state, reason in found:
        if state != "fresh":
            print(f"{state:8}{path}{reason}")
    counts = Counter(state for _, state, _ in found)
    print(", ".join(f"{counts[state]} {state}" for state in STATES))
    if counts["stale"] or counts["damaged"] or counts["missing"]:
        sys.exit(1)


class Expected(NamedTuple):
    kind: str
    job: str
    identity: str


def expected_files(plan: Plan) -> dict[Path, Expected]:
    """Every file that the plan implies, from the plan alone."""
    results = Path(plan.results)
    expected: dict[Path, Expected] = {}

    def expect(kind: str, place: str, job: str, inputs: Iterable[Path] = ()) -> Path:
        path = results / place
        known = [expected[source].identity for source in inputs]
        expected[path] = Expected(kind, job, identity(job, known))
        return path

    for family, seed in plan.shards:
        place = f"{family}/seed-{seed}"
        tasks = expect("tasks", f"tasks/{place}.safetensors", plan.tasks_job(family, seed))
        runs = expect("runs", f"runs/{place}.safetensors", plan.train_job(family, seed), [tasks])
        job = plan.measure_job(family, seed)
        expect("metrics", f"metrics/{place}.parquet", job, [tasks, runs])
    for figure in plan.figures:
        shards = plan.figure_shards(figure)
        metrics = [results / f"metrics/{family}/seed-{seed}.parquet" for family, seed in shards]
        job = plan.tabulate_job(figure)
        table = expect("table", f"tables/{figure}.parquet", job, metrics)
        for suffix in ("pdf", "png"):
            expect("drawing", f"figures/{figure}.{suffix}", plan.plot_job(figure), [table])
    return expected


def _state(path: Path, wanted: Expected) -> tuple[str, str]:
    """The state of a file, and the reason where it is not fresh."""
    if not path.exists():
        return "missing", ""
    try:
        found = _header(path, wanted.kind)
    except Unreadable as error:
        return "damaged", f" {str(error).removeprefix(str(path))}; now {set_aside(path).name}"
    if found["identity"] == wanted.identity:
        return "fresh", ""
    return "stale", ": " + "; ".join(reasons(found, wanted))


def reasons(found: dict, wanted: Expected) -> list[str]:
    """Because of what a file with this header isn't what is wanted."""
    job = json.loads(wanted.job)
    keys = [key for key in sorted(found["job"].keys() | job.keys()) if key != "code"]
    changed = [f"{key} changed" for key in keys if found["job"].get(key) != job.get(key)]
    if found["job"]["code"] != job["code"]:
        code = f"code was {found['job']['code']}, is {job['code']}"
        now = modules(STAGES[wanted.kind], job.get("figure"))
        names = sorted(found["modules"].keys() | now.keys())
        edited = [name for name in names if found["modules"].get(name) != now.get(name)]
        changed.append(f"{code} (edited: {', '.join(edited)})")
    return changed or ["made from other inputs"]


def _header(path: Path, kind: str) -> dict:
    """What a file says of itself, after all of it was read and checked."""
    if kind == "drawing":
        return read_drawing(path)
    if kind in ("metrics", "table"):
        schema = METRICS_SCHEMA if kind == "metrics" else TABLE_SCHEMA
        return read_table(path, kind, schema)[0]
    arrays = Arrays(path, kind)
    arrays.check()
    return arrays.header


def _files(results: Path) -> set[Path]:
    return {
        path
        for folder in FOLDERS
        for path in (results / folder).rglob("*")
        if path.is_file() and path.parent.suffix != ".parts"
    }
