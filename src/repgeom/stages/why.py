"""why: what would be made again for a figure, and because of what.

From the headers of the files alone: which values of a job changed, which modules were edited. A
file that is only downstream of such a one isn't listed with a reason of its own.
"""

import argparse
import json
from pathlib import Path

from repgeom.config import read_config
from repgeom.freshness import state, upstream
from repgeom.plan import Plan, expected_files


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", required=True, help="the values of config.yaml, as JSON")
    parser.add_argument("--figure", required=True)
    options = parser.parse_args(arguments)
    plan = Plan(read_config(json.loads(options.config)))
    if options.figure not in plan.figures:
        raise ValueError(f"FIGURE: found {options.figure!r}, allowed: {', '.join(plan.figures)}")

    files = upstream(expected_files(plan), options.figure)
    reasons: dict[str, list[Path]] = {}
    for path, wanted in files.items():
        name, reason = state(path, wanted)
        if name != "fresh":
            reasons.setdefault(f"{wanted.stage}: {name}{reason}", []).append(path)
    for reason, paths in reasons.items():
        files = str(paths[0]) if len(paths) == 1 else f"{len(paths)} files, {paths[0]} first"
        print(f"{reason}\n    {files}")
    if not reasons:
        print(f"nothing: {options.figure} and all {len(files)} files behind it are fresh")
