"""why: what would be made, for a figure, a sweep that no figure draws or in all, and why.

From the headers of the files alone: which values of a job, or which modules, differ between a
missing file and the nearest version of it. Where code differs, the entry of the config follows that
keeps the results, for a refactoring that is proven to change no number.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from repatlas.artifacts.recipes.networks import ShardJob, TrainJob
from repatlas.operations.expected import Expected, expected_files, missing
from repatlas.operations.freshness import job_of, nearest, reasons
from repatlas.operations.options import parser_of, read_plan


def main(arguments: list[str]) -> None:
    parser = parser_of("why", __doc__)
    parser.add_argument("--figure", default="", help="or a sweep; all if not given")
    options = parser.parse_args(arguments)
    plan = read_plan(options)
    expected = expected_files(plan)
    asked = plan.files(plan.product(options.figure, "FIGURE")) if options.figure else expected
    places: dict[str, list[Path]] = {}
    accepted: dict[str, dict[str, str]] = {}
    for path, wanted in missing(expected, asked).items():
        version = nearest(wanted)
        reason = "; ".join(reasons(version, wanted)) if version else "no version of it yet"
        places.setdefault(f"{wanted.stage}: {reason}", []).append(path)
        for new, old in _codes(wanted, version) if version else ():
            if new != old:
                accepted.setdefault(wanted.stage, {})[new] = old
    for reason, paths in places.items():
        first = str(paths[0]) if len(paths) == 1 else f"{len(paths)} files, {paths[0]} first"
        print(f"{reason}\n    {first}")
    if not places:
        print(f"nothing: {options.figure or 'all'} is what the config and the code imply")
    if accepted:
        print("If the edit changes no number, put this into the config, and the results stay:")
        print("accept_code:")
        for stage, codes in accepted.items():
            print(f"  {stage}: {json.dumps(codes)}")


def _codes(wanted: Expected, version: dict) -> Iterator[tuple[str, str]]:
    """Yield pairs of fingerprints: of the present code, and of the code that made a version. They
    are of the file, if nothing else differs, and of each of its networks and their measures."""
    job, old = job_of(wanted), version["job"]["code"]
    if version["job"] | {"code": job.code} == json.loads(wanted.job):
        yield job.with_code({}).code, old
    for key, run in job.wanted().items() if isinstance(job, ShardJob) else ():
        made = version["runs"].get(key)
        if made and isinstance(job, TrainJob):
            yield job.fingerprint(job.modules_of(run.spec), {}), made["basis"]["code"]
        elif made:
            for name in made["measures"].keys() & run.measures.keys():
                modules = job.modules_of(run.spec, name)
                yield job.fingerprint(modules, {}), made["measures"][name]["code"]
