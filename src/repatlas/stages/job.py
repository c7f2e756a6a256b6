"""What the commands of the stages share: their options, and what results say of themselves."""

import argparse
import json
import sys
from pathlib import Path

from repatlas.artifacts.files import Arrays, Unreadable
from repatlas.artifacts.headers import identity_stated
from repatlas.artifacts.provenance import code_of, identity, versions
from repatlas.artifacts.recipes.job import Job
from repatlas.artifacts.versions import is_version, link

WORK = "work: "
"""Precedes the units of work in a job's log, which tests and benchmarks read."""


def stage_parser(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--job", required=True, help="what the result depends on, as JSON")
    parser.add_argument(
        "--output", type=Path, required=True, help="in the store, its name is its identity"
    )
    parser.add_argument("--name", type=Path, help="of the output in the results, a link to it")
    return parser


def made_from(options: argparse.Namespace, job: Job, inputs: dict[Path, dict]) -> dict:
    """Return the origin of a result for its header, given the headers of its inputs. The identity
    of a file in the store is its name; otherwise it follows from the job and the inputs. Raises
    Unreadable if an input from the store is not what its name says."""
    for path, header in inputs.items():
        if is_version(path) and header["identity"] != path.stem:
            raise Unreadable(path, "is not what its name says")
    text, found = options.job, options.output.stem
    if not is_version(options.output):
        found = identity(text, [header["identity"] for header in inputs.values()])
    return {
        "job": json.loads(text),
        "identity": found,
        "modules": code_of(*sorted({*job.modules()})),
        "versions": versions(),
    }


def is_made(output: Path) -> bool:
    """Return True if a file of the store is there, made by another workflow meanwhile."""
    return is_version(output) and output.is_file() and identity_stated(output) == output.stem


def show(options: argparse.Namespace, *more: Path) -> None:
    """Let the name in the results lead to the output, if there is such a name. `more` are files of
    the same job, whose names differ in the suffix."""
    for path in (options.output, *more) if options.name else ():
        link(options.name.with_suffix(path.suffix), path)


def arrays_of_seed(path: Path, kind: str, seed: int) -> Arrays:
    """Open a file of this seed, or of all seeds. Raises Unreadable for a copy of another seed's."""
    arrays = Arrays(path, kind)
    found = arrays.header["job"].get("seed", seed)
    if found != seed:
        raise Unreadable(path, f"holds seed {found}, not {seed}")
    return arrays


def log(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
