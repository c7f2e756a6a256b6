"""What the commands of the stages share: their job, and the networks it asks for."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import NamedTuple

from repatlas.artifacts.files import Arrays, Unreadable
from repatlas.artifacts.provenance import fingerprint, origin
from repatlas.experiments.clusters.grid import Grid
from repatlas.experiments.clusters.spec import Spec
from repatlas.refusals import Refused

WORK = "work: "
"""Stands before the units of work in a job's log: with the benchmark files they tell the costs."""


class Wanted(NamedTuple):
    """A network that a job asks for, with the steps and measures of all grids that hold it."""

    spec: Spec
    steps: list[int]
    measures: dict[str, list[int]]
    """The steps at which each is wanted"""


def stage_parser(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--job", required=True, help="what the result depends on, as JSON")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--identity", help="what the result should have, as planned; else any")
    return parser


def read_job(text: str, stage: str) -> dict:
    """The job. Refuses it if the code is no longer that for which the workflow planned it.

    The environment variable REPATLAS_ACCEPT_CODE holds the config's accept_code, as JSON.
    """
    try:
        job = json.loads(text)
    except json.JSONDecodeError as error:
        raise Refused(f"--job: found no JSON ({error})") from None
    code = fingerprint(stage, job.get("figure"))
    accepted = json.loads(os.environ.get("REPATLAS_ACCEPT_CODE", "{}")).get(stage, {})
    if accepted.get(code, code) != job["code"]:
        raise Refused(
            f"the code of this stage changed while the workflow was running (planned with"
            f" {job['code']}, found {code}): start the same command again"
        )
    return job


def made_from(options, stage: str, inputs: dict[Path, dict]) -> dict:
    """What the result says of where it comes from, given the headers of its inputs.

    Raises ValueError where these are not the files that the workflow planned with, but those of
    another config, seed or figure under their names: from a backup, say.
    """
    header = origin(options.job, stage, [found["identity"] for found in inputs.values()])
    if options.identity and header["identity"] != options.identity:
        first, *others = inputs
        more = f" or one of {len(others)} more inputs" if others else ""
        raise ValueError(
            f"{first}{more}: not what the config and the code imply: start the same command again,"
            " it finds out which and makes it anew"
        )
    return header


def shard_arrays(path: Path, kind: str, job: dict) -> Arrays:
    """A file of the job's own seed; a copy of another seed's under its name is refused."""
    arrays = Arrays(path, kind)
    if arrays.header["job"]["seed"] != job["seed"]:
        raise Unreadable(path, f"holds seed {arrays.header['job']['seed']}, not {job['seed']}")
    return arrays


def wanted_runs(job: dict) -> dict[str, Wanted]:
    """By key: each network of the job's family, once, however many grids hold it."""
    wanted: dict[str, Wanted] = {}
    for values in job["grids"]:
        grid = Grid.model_validate(
            {k: v for k, v in values.items() if k not in ("measures", "more_measures")}
        )
        measures = {name: grid.steps for name in values.get("measures", [])}
        for step, names in values.get("more_measures", {}).items():
            measures |= {name: [*measures.get(name, []), int(step)] for name in names}
        for spec in grid.specs():
            if spec.family == job["family"]:
                known = wanted.get(spec.key, Wanted(spec, [], {}))
                at = {
                    name: sorted({*known.measures.get(name, []), *steps})
                    for name, steps in measures.items()
                }
                wanted[spec.key] = Wanted(
                    spec,
                    sorted({*known.steps, *grid.steps}),
                    dict(sorted((known.measures | at).items())),
                )
    return wanted


def log(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
