"""What the commands of the stages share: their options, and what results say of themselves."""

import argparse
import json
import sys
from pathlib import Path

from repatlas.artifacts.files import Arrays, Unreadable
from repatlas.artifacts.jobs import Job
from repatlas.artifacts.provenance import code_of, identity, versions

WORK = "work: "
"""Precedes the units of work in a job's log; with the benchmark files, costs are fitted to
them."""


def stage_parser(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--job", required=True, help="what the result depends on, as JSON")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--identity", help="what the result should have, as planned; else any")
    return parser


def made_from(options: argparse.Namespace, job: Job, inputs: dict[Path, dict]) -> dict:
    """Return the origin of a result for its header, given the headers of its inputs.

    Raises ValueError where these are not the files that the workflow planned with, but those of
    another config, seed or figure under their names: from a backup, say.
    """
    text = options.job
    found = identity(text, [header["identity"] for header in inputs.values()])
    if options.identity and found != options.identity:
        first, *others = inputs
        more = f" or one of {len(others)} more inputs" if others else ""
        raise ValueError(
            f"{first}{more}: not what the config and the code imply: start the same command again,"
            " it finds out which and makes it anew"
        )
    return {
        "job": json.loads(text),
        "identity": found,
        "modules": code_of(*sorted({*job.modules()})),
        "versions": versions(),
    }


def arrays_of_seed(path: Path, kind: str, seed: int) -> Arrays:
    """A file of this seed, or of none; a copy of another seed's under its name is refused."""
    arrays = Arrays(path, kind)
    found = arrays.header["job"].get("seed", seed)
    if found != seed:
        raise Unreadable(path, f"holds seed {found}, not {seed}")
    return arrays


def log(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
