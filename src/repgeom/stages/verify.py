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
from pathlib import Path

from PIL import Image

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
    expected = expected_identities(plan)
    counts = Counter()
    for path, wanted in sorted(expected.items()):
        state = _state(path, wanted)
        counts[state] += 1
        if state != "fresh":
            print(f"{state:8}{path}")
    for path in _files(results) - expected.keys():
        counts["orphan"] += 1
        print(f"orphan  {path}")
    print(
        ", ".join(f"{counts[state]} {state}" for state in ("fresh", "stale", "missing", "orphan"))
    )
    if counts["stale"] or counts["missing"]:
        sys.exit(1)


def expected_identities(plan: Plan) -> dict[Path, str]:
    """The identity of every file that the plan implies, from the plan alone."""
    results = Path(plan.results)
    expected = {}
    for family, seed in plan.shards:
        place = f"{family}/seed-{seed}"
        tasks = identity(plan.tasks_job(family, seed))
        runs = identity(plan.train_job(family, seed), [tasks])
        metrics = identity(plan.measure_job(family, seed), [tasks, runs])
        expected[results / f"tasks/{place}.safetensors"] = tasks
        expected[results / f"runs/{place}.safetensors"] = runs
        expected[results / f"metrics/{place}.parquet"] = metrics
    for figure in plan.figures:
        inputs = [
            expected[results / f"metrics/{family}/seed-{seed}.parquet"]
            for family, seed in plan.figure_shards(figure)
        ]
        table = identity(plan.tabulate_job(figure), inputs)
        drawing = identity(plan.plot_job(figure), [table])
        expected[results / f"tables/{figure}.parquet"] = table
        expected[results / f"figures/{figure}.pdf"] = drawing
        expected[results / f"figures/{figure}.png"] = drawing
    return expected


def _state(path: Path, wanted: str) -> str:
    if not path.exists():
        return "missing"
    try:
        return "fresh" if _identity(path) == wanted else "stale"
    except Unreadable:
        return "stale"


def _identity(path: Path) -> str:
    folder = next(part for part in reversed(path.parts[:-1]) if part in KINDS or part == "figures")
    if folder in KINDS:
        return read_header(path, KINDS[folder])["identity"]
    return _figure_identity(path)


def _figure_identity(path: Path) -> str:
    """The keywords of a figure: matplotlib writes them plainly into both kinds of file."""
    if path.suffix == ".png":
        return Image.open(path).text.get("Keywords", "")
    _, _, after = path.read_bytes().partition(b"/Keywords (")
    return after.partition(b")")[0].decode("ascii", "replace")


def _files(results: Path) -> set[Path]:
    return {
        path
        for folder in (*KINDS, "figures")
        for path in (results / folder).rglob("*")
        if path.is_file()
    }
