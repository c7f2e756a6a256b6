"""verify: is every file in the results what the config and the code imply?

Needs nothing of Snakemake's records: each file says in its header what it was made from. Prints
one line for each file that isn't fresh and the counts of

    fresh    what the config and the code imply
    stale    made from another config, other code or other inputs
    missing  not there
    orphan   there, but nothing in the config implies it

and fails if any file is stale or missing.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from PIL import Image, UnidentifiedImageError

from repgeom.config import read_config
from repgeom.files import Unreadable, read_header
from repgeom.plan import Plan
from repgeom.provenance import identity

KINDS = {"tasks": "tasks", "runs": "runs", "metrics": "metrics", "tables": "table"}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", required=True, help="the values of config.yaml, as JSON")
    options = parser.parse_args(arguments)
    plan = Plan(read_config(json.loads(options.config)))

    results = Path(plan.results)
    expected = expected_files(plan)
    counts = Counter()
    for path, wanted in sorted(expected.items()):
        state, reason = _state(path, wanted)
        counts[state] += 1
        if state != "fresh":
            print(f"{state:8}{path}{reason}")
    for path in _files(results) - expected.keys():
        counts["orphan"] += 1
        print(f"orphan  {path}")
    print(
        ", ".join(f"{counts[state]} {state}" for state in ("fresh", "stale", "missing", "orphan"))
    )
    if counts["stale"] or counts["missing"]:
        sys.exit(1)


class Expected(NamedTuple):
    job: str
    identity: str


def expected_files(plan: Plan) -> dict[Path, Expected]:
    """The job and identity of every file that the plan implies, from the plan alone."""
    results = Path(plan.results)
    expected = {}

    def expect(place: str, job: str, inputs: Iterable[Path] = ()) -> Path:
        path = results / place
        known = [expected[source].identity for source in inputs]
        expected[path] = Expected(job, identity(job, known))
        return path

    for family, seed in plan.shards:
        place = f"{family}/seed-{seed}"
        tasks = expect(f"tasks/{place}.safetensors", plan.tasks_job(family, seed))
        runs = expect(f"runs/{place}.safetensors", plan.train_job(family, seed), [tasks])
        expect(f"metrics/{place}.parquet", plan.measure_job(family, seed), [tasks, runs])
    for figure in plan.figures:
        shards = plan.figure_shards(figure)
        metrics = [results / f"metrics/{family}/seed-{seed}.parquet" for family, seed in shards]
        table = expect(f"tables/{figure}.parquet", plan.tabulate_job(figure), metrics)
        for kind in ("pdf", "png"):
            expect(f"figures/{figure}.{kind}", plan.plot_job(figure), [table])
    return expected


def _state(path: Path, wanted: Expected) -> tuple[str, str]:
    """The state of a file, and the reason where it is stale."""
    if not path.exists():
        return "missing", ""
    if path.suffix in (".pdf", ".png"):
        return ("fresh", "") if _keywords(path) == wanted.identity else ("stale", "")
    try:
        found = read_header(path, KINDS[_folder(path)])
    except Unreadable:
        return "stale", ": damaged"
    if found["identity"] == wanted.identity:
        return "fresh", ""
    if found["job"] == wanted.job:
        return "stale", ": made from other inputs"
    before, now = (json.loads(job)["code"] for job in (found["job"], wanted.job))
    if before != now:
        return "stale", f": code was {before}, is {now}"
    return "stale", ": made for another config"


def _keywords(path: Path) -> str:
    """What a figure says of itself: matplotlib writes it plainly into both kinds of file."""
    if path.suffix == ".png":
        try:
            return Image.open(path).text.get("Keywords", "")
        except UnidentifiedImageError:
            return ""
    _, _, after = path.read_bytes().partition(b"/Keywords (")
    return after.partition(b")")[0].decode("ascii", "replace")


def _folder(path: Path) -> str:
    return next(part for part in reversed(path.parts) if part in KINDS)


def _files(results: Path) -> set[Path]:
    return {
        path
        for folder in (*KINDS, "figures")
        for path in (results / folder).rglob("*")
        if path.is_file()
    }
