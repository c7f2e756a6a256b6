"""The stages: each makes the version of its files, and sets the links that lead to it."""

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from repatlas.artifacts.files import Unreadable
from repatlas.artifacts.layout import store_of
from repatlas.named import named
from repatlas.record import Refused
from repatlas.workflow import code, store
from repatlas.workflow.config import plan_of
from repatlas.workflow.plan import Plan, Result
from repatlas.workflow.results import check_result, pieces_of


class Job:
    """What a stage works with: the result that it makes, and the plan that it is in."""

    def __init__(self, plan: Plan, result: Result, resources: Any):
        self.plan, self.result = plan, result
        self.device = resources.get("device", "auto")
        self.flush_seconds = resources.get("flush_seconds", 0)
        # Sorted, as in the identity: the order of keys in a config changes no result.
        self.recipe = json.loads(json.dumps(result.recipe, sort_keys=True))
        self.what = result.what

    def inputs(self, role: str, suffix: str = "") -> list[Path]:
        """Return the versions that the recipe names: of several files of a job the first with this
        suffix."""
        results = self.result.inputs.get(role, [])
        for path in (self.plan.version(name) for each in results for name in each.names):
            if not path.is_file():
                raise Refused(f"{path}: is gone; start the same command again")
            if not store.is_there(path):
                raise Unreadable(path, "damaged, or not the version that its name says")
        names = (next(n for n in each.names if n.endswith(suffix)) for each in results)
        return [*map(self.plan.version, names)]

    def output(self, suffix: str) -> Path:
        """Return the place of the file with this suffix."""
        (name,) = [name for name in self.result.names if name.endswith(suffix)]
        return self.plan.version(name)

    def declare(self, *modules: str) -> None:
        """Load the modules of the result, which must stay as they are until it is written."""
        self.code = code.Declared(*modules)

    def known(self, kind: str, schema: pa.Schema) -> dict[str, pa.Table]:
        """Return rows that need not be computed, by what they were made from: rows of other
        versions of the file, and of the results before it. Sets damaged files aside."""
        found: dict[str, pa.Table] = {}
        others = [self.plan.version(each.names[0]) for each in self.result.after]
        for path in [*filter(Path.is_file, others), *store.versions_of(self.output(".parquet"))]:
            try:
                found |= pieces_of(path, kind, schema)
            except Unreadable as error:
                log(f"{error}; {store.set_aside(path)}")
        return found

    @property
    def header(self) -> dict[str, Any]:
        """What a file says of itself, after a look at the code."""
        self.code.check()
        about = {"identity": self.result.identity, "job": self.recipe}
        return about | {"modules": self.code.digests, "versions": code.package_versions()}


def log(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def run(snakemake: Any) -> None:
    """Make the version of a job's outputs, unless it is there, and set the links to it. What the
    job says goes to its log."""
    place = Path(snakemake.log[0])
    place.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o666)
    os.dup2(file, 1)
    os.dup2(file, 2)
    make(snakemake.config, [*snakemake.output], snakemake.resources)


def make(config: dict[str, Any], outputs: list[str], resources: Any) -> None:
    """Make the version of these outputs, unless it is there, and set the links to it."""
    name, identity = store.name_of(store_of(config["folder"]), outputs[0])
    plan = plan_of(config | {"values": needed_by(name, config["values"])})
    result = plan.results.get(name)
    if result is None or result.identity != identity:
        raise Refused(
            f"{name}: the config, the code or a file of yours has changed since this run began:"
            " start the same command again"
        )
    if not all(store.is_there(plan.version(name)) for name in result.names):
        job = Job(plan, result, resources)
        try:
            for role in result.inputs:
                job.inputs(role)  # each is what its name says
            named("workflow.stages", result.stage).make(job)
        except Unreadable:
            for inputs in result.inputs.values():
                _set_damaged_aside(plan, inputs)
            raise
        except FileNotFoundError:
            for role in result.inputs:
                job.inputs(role)  # raises Refused where another job has set one aside
            raise
    for name in result.names:
        store.set_link(plan.folder / name, plan.version(name))
    for name in result.names:
        store.set_link(plan.made(name), plan.version(name))


def needed_by(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return what the plan of a result needs of a config. Figures of other studies change nothing
    but the page, and take a quarter of the time in which a job plans."""
    studies = {
        study: {key: value for key, value in own.items() if key != "figures"}
        if study != name.split("/")[0] and "multiverse" not in own
        else own
        for study, own in values["studies"].items()
    }
    return values if name.endswith(".html") else values | {"studies": studies}


def _set_damaged_aside(plan: Plan, results: Iterable[Result]) -> None:
    """Rename what is damaged of these results, and of those from which it is made again."""
    for result in results:
        for name in result.names:
            try:
                check_result(plan.store, plan.version(name), result)
            except (FileNotFoundError, Unreadable) as error:
                log(f"{error}; {store.set_aside(plan.version(name))}")
                for inputs in result.inputs.values():
                    _set_damaged_aside(plan, inputs)
