"""What a file of data, runs, metrics or pairs is asked to hold: one record for each stage, whose
text is all that a result depends on. Snakemake reruns a job when its text changes.
"""

import json
import os
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self

from pydantic import Field

from repatlas.artifacts import running
from repatlas.artifacts.job_grids import (
    grid_and_specs,
    modules_named,
    read_grid,
    steps_of_measures,
)
from repatlas.artifacts.provenance import code, code_of
from repatlas.named import module_of, named
from repatlas.named import names as names_in
from repatlas.record import Record, Refused

ACCEPTED = "REPATLAS_ACCEPT_CODE"
"""The environment variable that holds the config's accept_code, as JSON, for the jobs."""
THEN = "--then"
"""Stands between the arguments of two jobs that a command does one after the other."""
SIMILARITIES = "own.similarities"
"""The folder of the measures of pairs of representations in files."""
NETWORK_SIMILARITIES = "similarities"
"""The folder of the measures of pairs of networks."""


class Wanted(NamedTuple):
    """A network that a job asks for, with the steps and measures of all grids that hold it."""

    spec: Any
    steps: list[int]
    measures: dict[str, list[int]]
    """The steps at which each is wanted"""


def trains(experiment: str) -> bool:
    """Return True if an experiment trains networks. Without training, as in `files`, there are no
    runs: its representations exist from the start, at step 0."""
    return "train" in names_in(f"experiments.{experiment}")


def room_of_measures(experiment: str) -> str:
    """Return the folder of the measures of an experiment. Representations that a user brings have
    known rows, items or trials. Their estimators differ from the estimators of networks, which
    have all conditions."""
    return "measures" if trains(experiment) else "own.measures"


class Job(Record):
    """The base of all jobs."""

    stage: ClassVar[str]
    code: str = ""
    """The fingerprint of its code."""

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the job of a text, and import its modules. Refuse it if the code changed since it
        was planned, as `check_sources` will before the result is written."""
        try:
            values = json.loads(text)
        except json.JSONDecodeError as error:
            raise Refused(f"--job: found no JSON ({error})") from None
        job = cls.model_validate(values)
        now = job.with_code(accepted_now()).code
        if now != job.code:
            raise Refused(
                f"the code of this stage changed while the workflow was running (planned with"
                f" {job.code}, found {now}): start the same command again"
            )
        modules = sorted({*job.modules()})
        running.start(modules, code_of(*modules))
        return job

    @property
    def text(self) -> str:
        return json.dumps(self.model_dump(mode="json", exclude_none=True), sort_keys=True)

    def modules(self) -> list[str]:
        """Return the modules that its result depends on, without the modules that these import."""
        raise NotImplementedError

    def with_code(self, accepted: dict[str, dict[str, str]]) -> Self:
        """Return the job as of now, with the code that the config accepts instead of ours, if
        any."""
        return self.model_copy(update={"code": accept(accepted, self.stage, self.modules())})


def accept(accepted: dict[str, dict[str, str]], stage: str, modules: list[str]) -> str:
    """Return the fingerprint of these modules, or the one that the config accepts instead."""
    found = code(*sorted({*modules}))
    return accepted.get(stage, {}).get(found, found)


def accepted_now() -> dict[str, dict[str, str]]:
    """Return the config's accept_code, as a job finds it in its environment."""
    return json.loads(os.environ.get(ACCEPTED, "{}"))


class PrepareJob(Job):
    """The data that the networks of a shard, or of several, are trained on."""

    stage: ClassVar[str] = "prepare"
    experiment: str
    data: str
    """Key of the data in paths."""
    seed: int | None = None
    """The seed; it is None for data that all seeds share."""
    wanted: list[dict[str, Any]]

    def modules(self) -> list[str]:
        prepare = named(f"experiments.{self.experiment}", "prepare")
        found = {module for wanted in self.wanted for module in prepare.modules(wanted)}
        return ["stages.prepare", f"experiments.{self.experiment}.prepare", *found]


class ShardJob(Job):
    """The networks of one family and one seed."""

    experiment: str
    family: str
    seed: int
    grids: list[dict[str, Any]]

    def wanted(self) -> dict[str, Wanted]:
        """Return each network of the family by its key, once, even if several grids hold it."""
        return _wanted(self.experiment, self.family, json.dumps(self.grids))

    def modules(self) -> list[str]:
        texts = [json.dumps(each) for each in self.grids]
        named_by_grids = {
            module for text in texts for module in modules_named(self.experiment, text)
        }
        return [*self.own_modules(), *named_by_grids]

    def own_modules(self) -> list[str]:
        """Return the modules of the stage and of its experiment."""
        raise NotImplementedError


@cache
def _wanted(experiment: str, family: str, grids: str) -> dict[str, Wanted]:
    """Return the networks of a family in these grids, given as JSON. The jobs of all seeds have
    the same networks."""
    found: dict[str, Wanted] = {}
    for each in json.loads(grids):
        grid, specs = grid_and_specs(experiment, json.dumps(each))
        measures = steps_of_measures(each, grid.steps)
        for spec in specs:
            if spec.family == family:
                known = found.get(spec.key, Wanted(spec, [], {}))
                at = {
                    name: sorted({*known.measures.get(name, []), *steps})
                    for name, steps in measures.items()
                }
                found[spec.key] = Wanted(
                    spec,
                    sorted({*known.steps, *grid.steps}),
                    dict(sorted((known.measures | at).items())),
                )
    return found


class TrainJob(ShardJob):
    """Runs: the networks of a shard at the steps that are wanted."""

    stage: ClassVar[str] = "train"

    def own_modules(self) -> list[str]:
        room = f"experiments.{self.experiment}"
        return ["stages.train", f"{room}.train", f"{room}.spec"]

    def basis(self, digests: dict[str, str]) -> dict[str, dict[str, Any]]:
        """Return the dependencies of a stored run, except its spec, by key. A run that matches is
        kept.

        digests: of the arrays of the data, which may be others under the same name.
        """
        accepted = accepted_now()
        return {
            key: {
                "seed": self.seed,
                "code": accept(accepted, self.stage, self._modules_of(run)),
                "data": {
                    name: digest
                    for name, digest in digests.items()
                    if name.startswith(f"{run.spec.data}/")
                },
            }
            for key, run in self.wanted().items()
        }

    def codes(self, accepted: dict[str, dict[str, str]]) -> set[str]:
        """Return the fingerprints of the code of its networks, or the accepted ones."""
        found = {tuple(self._modules_of(run)) for run in self.wanted().values()}
        return {accept(accepted, self.stage, [*modules]) for modules in found}

    def _modules_of(self, run: Wanted) -> list[str]:
        return [*self.own_modules(), *run.spec.modules()]


class MeasureJob(ShardJob):
    """Metrics: what is measured of the networks of a shard."""

    stage: ClassVar[str] = "measure"
    decoders: dict[str, Any]

    def own_modules(self) -> list[str]:
        room = f"experiments.{self.experiment}"
        return ["stages.measure", f"{room}.represent", f"{room}.spec"]

    def modules(self) -> list[str]:
        measures = {name for each in self.grids for name in steps_of_measures(each, [])}
        room = room_of_measures(self.experiment)
        return [*super().modules(), *(module_of(room, name) for name in measures)]

    def basis(self, runs: dict[str, dict]) -> dict[str, dict[str, Any]]:
        """Return the dependencies of the rows of a network, by key, with the code and the steps of
        each of its measures. A measure that matches is not computed again.

        runs: what the file of the runs says of each, or `untrained`; networks that it lacks are
        left out.
        """
        accepted = accepted_now()
        return {
            key: {
                "run": {
                    name: runs[key].get(name)
                    for name in ("basis", "diverged_step", "converged_step")
                },
                "steps": run.steps,
                "decoders": self.decoders,
                "measures": {
                    name: {
                        "code": accept(accepted, self.stage, self._modules_of(run, name)),
                        "steps": steps,
                    }
                    for name, steps in run.measures.items()
                },
            }
            for key, run in self.wanted().items()
            if key in runs
        }

    def codes(self, accepted: dict[str, dict[str, str]]) -> set[str]:
        """Return the fingerprints of the code of its measures, or the accepted ones."""
        found = {
            tuple(self._modules_of(run, name))
            for run in self.wanted().values()
            for name in run.measures
        }
        return {accept(accepted, self.stage, [*modules]) for modules in found}

    def _modules_of(self, run: Wanted, measure: str) -> list[str]:
        room = room_of_measures(self.experiment)
        return [*self.own_modules(), *run.spec.modules(), module_of(room, measure)]


def untrained(job: MeasureJob, data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return headers of runs for an experiment without training: step 0 only, no divergence.

    data: what the file of the data says of itself.
    """
    prepare = named(f"experiments.{job.experiment}", "prepare")
    return {
        key: {
            "basis": prepare.basis(wanted.spec, data),
            "steps": [0],
            "diverged_step": None,
            "converged_step": None,
        }
        for key, wanted in job.wanted().items()
    }


def bare(basis: dict[str, Any]) -> dict[str, Any]:
    """Return the dependencies of the rows of a network, without its measures."""
    return {name: value for name, value in basis.items() if name != "measures"}


class ComparisonJob(Job):
    """The base of the jobs that compare pairs: of networks, or of representations in files."""

    package: ClassVar[str]
    """The folder of the measures."""
    study: str
    comparison: str
    tile: str
    """The part of the comparison that this job makes."""

    def own_modules(self) -> list[str]:
        """Return the modules of the stage, and the modules that experiments have for it."""
        raise NotImplementedError

    def measures_of_pairs(self) -> list[str]:
        """Return the names of the measures."""
        raise NotImplementedError

    def modules_of_measures(self) -> dict[str, list[str]]:
        """Return, by measure, the modules on which its rows depend."""
        own = self.own_modules()
        return {name: [*own, module_of(self.package, name)] for name in self.measures_of_pairs()}

    def modules(self) -> list[str]:
        return [module for several in self.modules_of_measures().values() for module in several]


class CompareJob(ComparisonJob):
    """The pairs of a family of representations with others, and with one another. `tile` is the
    name of the family, and of the part of it."""

    stage: ClassVar[str] = "compare_files"
    package: ClassVar[str] = SIMILARITIES
    grids: list[dict[str, Any]] = Field(min_length=1)
    """The grid of this family, and the grids of families that it is compared with."""
    within: bool
    """Whether all are of one set."""
    itself: bool
    """Whether the family is compared with itself, too."""
    measures: list[str]
    permutations: int

    def specs(self) -> list[list[Any]]:
        """Return the specs of each family."""
        return [grid_of(grid).specs() for grid in self.grids]

    def own_modules(self) -> list[str]:
        experiments = {experiment_of(grid) for grid in self.grids}
        of_experiments = [
            f"experiments.{name}.{part}" for name in experiments for part in ("represent", "spec")
        ]
        named_by_grids = {module for grid in self.grids for module in grid_of(grid).modules()}
        return ["stages.compare_files", *of_experiments, *named_by_grids]

    def measures_of_pairs(self) -> list[str]:
        return self.measures

    def basis(self, items: str) -> dict[str, Any]:
        """Return the dependencies of all pairs, except their two representations: the items that
        all share, as a digest, the permutations, and the code of each measure."""
        accepted = accepted_now()
        codes = {
            name: accept(accepted, self.stage, modules)
            for name, modules in self.modules_of_measures().items()
        }
        return {"items": items, "permutations": self.permutations, "measures": codes}


class CompareNetworksJob(ComparisonJob):
    """The pairs of networks of a cohort: one spec with different seeds, or two specs. `tile` is the
    name of the cohort."""

    stage: ClassVar[str] = "compare_networks"
    package: ClassVar[str] = NETWORK_SIMILARITIES
    specs: list[dict[str, Any]] = Field(min_length=1, max_length=2)
    """One, or two that are compared with one another."""
    seeds: int
    """Seeds of each network: 0 .. seeds - 1."""
    pairs: str
    """Which pairs of them, by a name of `pairs.chosen`."""
    similarities: list[str]
    items: list[str]
    """The sets of items."""
    steps: list[int]
    layers: list[int] | None = None
    """The numbers of layers; if None, all."""
    settings: dict[str, Any]
    """Settings of the measures."""

    def parsed(self) -> list[Any]:
        """Return the spec of each side, two."""
        found = [
            named(f"experiments.{experiment_of(each)}", "spec").Spec.model_validate(each)
            for each in self.specs
        ]
        return [found[0], found[-1]]

    def own_modules(self) -> list[str]:
        folders = {f"experiments.{experiment_of(each)}" for each in self.specs}
        of_experiments = [f"{folder}.{part}" for folder in folders for part in ("compared", "spec")]
        named_by_specs = {module for spec in self.parsed() for module in spec.modules()}
        return ["stages.compare_networks", *of_experiments, *named_by_specs]

    def measures_of_pairs(self) -> list[str]:
        return self.similarities

    def basis(self) -> dict[str, Any]:
        """Return the dependencies of all pairs, except their two networks: the layers, and the
        code and settings of each measure."""
        accepted = accepted_now()
        measures = {}
        for name, modules in self.modules_of_measures().items():
            module = named(self.package, name)
            settings = {key: self.settings.get(key) for key in getattr(module, "SETTINGS", ())}
            measures[name] = {"code": accept(accepted, self.stage, modules), "settings": settings}
        return {"layers": self.layers, "measures": measures}


def experiment_of(sweep: dict[str, Any]) -> str:
    return sweep.get("experiment", "clusters")


def grid_of(sweep: dict[str, Any]) -> Any:
    """Return the grid of a sweep, which does not depend on its seeds."""
    return read_grid(experiment_of(sweep), {k: v for k, v in sweep.items() if k != "seeds"})
