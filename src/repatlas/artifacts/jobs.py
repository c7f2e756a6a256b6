"""What a file is asked to hold: one record for each stage, whose text is all that a result depends
on. Snakemake reruns a job when its text changes.
"""

import json
import os
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self

from pydantic import Field

from repatlas.artifacts.provenance import code
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
MEASURING = ("measures", "more_measures")
"""What the grids of a job say beside their networks."""


class Wanted(NamedTuple):
    """A network that a job asks for, with the steps and measures of all grids that hold it."""

    spec: Any
    steps: list[int]
    measures: dict[str, list[int]]
    """The steps at which each is wanted"""


def trains(experiment: str) -> bool:
    """Whether an experiment trains networks. One that does not, as `files`, has no runs: what it
    represents is there from the start, at step 0."""
    return "train" in names_in(f"experiments.{experiment}")


def room_of_measures(experiment: str) -> str:
    """The folder of the measures of an experiment. Of representations that a user brings the rows
    are known, as items or as trials, and their estimators are others than those of networks, for
    which all conditions are at hand."""
    return "measures" if trains(experiment) else "own.measures"


class Job(Record):
    """The base of all jobs."""

    stage: ClassVar[str]
    code: str = ""
    """The fingerprint of its code."""

    @classmethod
    def read(cls, text: str) -> Self:
        """The job of a text. Refuses it if the code is no longer that for which it was planned."""
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
        return job

    @property
    def text(self) -> str:
        return json.dumps(self.model_dump(mode="json", exclude_none=True), sort_keys=True)

    def modules(self) -> list[str]:
        """The modules that its result rests on, beside what these import."""
        raise NotImplementedError

    def with_code(self, accepted: dict[str, dict[str, str]]) -> Self:
        """The job as of now, with the code that the config accepts in place of ours, if any."""
        return self.model_copy(update={"code": accept(accepted, self.stage, self.modules())})


def accept(accepted: dict[str, dict[str, str]], stage: str, modules: list[str]) -> str:
    """The fingerprint of these modules, or that which the config accepts in its place."""
    found = code(*sorted({*modules}))
    return accepted.get(stage, {}).get(found, found)


def accepted_now() -> dict[str, dict[str, str]]:
    """The config's accept_code, as a job finds it in its environment."""
    return json.loads(os.environ.get(ACCEPTED, "{}"))


class PrepareJob(Job):
    """The data that the networks of a shard, or of several, are trained on."""

    stage: ClassVar[str] = "prepare"
    experiment: str
    data: str
    """Its place."""
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
        """Each network of the family by its key, once, however many grids hold it."""
        return _wanted(self.experiment, self.family, json.dumps(self.grids))

    def modules(self) -> list[str]:
        texts = [json.dumps(each) for each in self.grids]
        named_by_grids = {module for text in texts for module in _modules(self.experiment, text)}
        return [*self.own_modules(), *named_by_grids]

    def own_modules(self) -> list[str]:
        """The modules of the stage and of its experiment."""
        raise NotImplementedError


def _grid(experiment: str, values: dict[str, Any]) -> Any:
    return named(f"experiments.{experiment}", "spec").Grid.model_validate(values)


@cache
def _wanted(experiment: str, family: str, grids: str) -> dict[str, Wanted]:
    """The networks of a family in these grids, given as JSON. The jobs of all seeds have the same
    ones."""
    found: dict[str, Wanted] = {}
    for each in json.loads(grids):
        grid, specs = _specs(experiment, json.dumps(each))
        measures = {name: grid.steps for name in each.get("measures", [])}
        for step, names in each.get("more_measures", {}).items():
            measures |= {name: [*measures.get(name, []), int(step)] for name in names}
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


@cache
def _specs(experiment: str, grid: str) -> tuple[Any, list[Any]]:
    """A grid, given as JSON, and its specs, which are of several families."""
    values = json.loads(grid)
    found = _grid(experiment, {k: v for k, v in values.items() if k not in MEASURING})
    return found, found.specs()


@cache
def _modules(experiment: str, grid: str) -> tuple[str, ...]:
    """The modules that a grid names, given as JSON. The jobs of all seeds have the same grids."""
    return tuple(_specs(experiment, grid)[0].modules())


class TrainJob(ShardJob):
    """Runs: the networks of a shard at the steps that are wanted."""

    stage: ClassVar[str] = "train"

    def own_modules(self) -> list[str]:
        room = f"experiments.{self.experiment}"
        return ["stages.train", f"{room}.train", f"{room}.spec"]

    def basis(self, digests: dict[str, str]) -> dict[str, dict[str, Any]]:
        """What a stored run rests on beside its spec, by key. A run that matches is kept.

        digests: those of the arrays of the data, which may be others under the same name.
        """
        accepted, own = accepted_now(), self.own_modules()
        return {
            key: {
                "seed": self.seed,
                "code": accept(accepted, self.stage, [*own, *run.spec.modules()]),
                "data": {
                    name: digest
                    for name, digest in digests.items()
                    if name.startswith(f"{run.spec.data}/")
                },
            }
            for key, run in self.wanted().items()
        }


class MeasureJob(ShardJob):
    """Metrics: what is measured of the networks of a shard."""

    stage: ClassVar[str] = "measure"
    decoders: dict[str, Any]

    def own_modules(self) -> list[str]:
        room = f"experiments.{self.experiment}"
        return ["stages.measure", f"{room}.represent", f"{room}.spec"]

    def modules(self) -> list[str]:
        measures = {name for each in self.grids for name in _measures(each)}
        room = room_of_measures(self.experiment)
        return [*super().modules(), *(module_of(room, name) for name in measures)]

    def basis(self, runs: dict[str, dict]) -> dict[str, dict[str, Any]]:
        """What the rows of a network rest on, by key, with the code and the steps of each of its
        measures. A measure that matches is not made again.

        runs: what the file of the runs says of each, or `untrained`; networks that it lacks are
        left out.
        """
        accepted, own = accepted_now(), self.own_modules()
        room = room_of_measures(self.experiment)

        def code_of(run: Wanted, measure: str) -> str:
            modules = [*own, *run.spec.modules(), module_of(room, measure)]
            return accept(accepted, self.stage, modules)

        return {
            key: {
                "run": {
                    name: runs[key].get(name)
                    for name in ("basis", "diverged_step", "converged_step")
                },
                "steps": run.steps,
                "decoders": self.decoders,
                "measures": {
                    name: {"code": code_of(run, name), "steps": steps}
                    for name, steps in run.measures.items()
                },
            }
            for key, run in self.wanted().items()
            if key in runs
        }


def untrained(job: MeasureJob, data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What stands in the place of what a file of runs says, where nothing is trained.

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
    """What the rows of a network rest on, whatever is measured."""
    return {name: value for name, value in basis.items() if name != "measures"}


def _measures(grid: dict[str, Any]) -> set[str]:
    more = grid.get("more_measures", {}).values()
    return set(grid.get("measures", [])).union(*more)


class CompareJob(Job):
    """The pairs of a family of representations with others, and with one another."""

    stage: ClassVar[str] = "compare"
    study: str
    comparison: str
    tile: str
    """The name of the family, and of the part of it."""
    grids: list[dict[str, Any]] = Field(min_length=1)
    """Its grid, and those of the families that it is compared with."""
    within: bool
    """Whether all are of one set."""
    itself: bool
    """Whether the family is compared with itself, too."""
    measures: list[str]
    permutations: int

    def specs(self) -> list[list[Any]]:
        """Those of each family."""
        return [grid_of(grid).specs() for grid in self.grids]

    def own_modules(self) -> list[str]:
        """The modules of the stage and of the experiments."""
        experiments = {experiment_of(grid) for grid in self.grids}
        of_experiments = [
            f"experiments.{name}.{part}" for name in experiments for part in ("represent", "spec")
        ]
        named_by_grids = {module for grid in self.grids for module in grid_of(grid).modules()}
        return ["stages.compare_files", *of_experiments, *named_by_grids]

    def modules(self) -> list[str]:
        of_measures = [module_of(SIMILARITIES, name) for name in self.measures]
        return ["stages.compare", *self.own_modules(), *of_measures]

    def basis(self, items: str) -> dict[str, Any]:
        """What all pairs rest on beside their two representations: the items that all share, as a
        digest, the permutations, and the code of each measure."""
        accepted, own = accepted_now(), self.own_modules()
        codes = {
            name: accept(accepted, self.stage, [*own, module_of(SIMILARITIES, name)])
            for name in self.measures
        }
        return {"items": items, "permutations": self.permutations, "measures": codes}


class CompareNetworksJob(Job):
    """The pairs of networks of a cohort: those of one spec and different seeds, or of two specs."""

    stage: ClassVar[str] = "compare"
    study: str
    comparison: str
    tile: str
    """The name of the cohort."""
    specs: list[dict[str, Any]] = Field(min_length=1, max_length=2)
    """One, or two that are compared with one another."""
    seeds: int
    """Of each: 0 .. seeds - 1."""
    pairs: str
    """Which pairs of them, by a name of `pairs.chosen`."""
    similarities: list[str]
    items: list[str]
    """The sets of items."""
    steps: list[int]
    layers: list[int] | None = None
    """The numbers of layers; if None, all."""
    settings: dict[str, Any]
    """Of the measures."""

    def parsed(self) -> list[Any]:
        """The spec of each side, two."""
        found = [
            named(f"experiments.{experiment_of(each)}", "spec").Spec.model_validate(each)
            for each in self.specs
        ]
        return [found[0], found[-1]]

    def own_modules(self) -> list[str]:
        """The modules of the stage, and of the experiments what is compared of their networks."""
        rooms = {f"experiments.{experiment_of(each)}" for each in self.specs}
        of_experiments = [f"{room}.{part}" for room in rooms for part in ("compared", "spec")]
        named_by_specs = {module for spec in self.parsed() for module in spec.modules()}
        return ["stages.compare_networks", *of_experiments, *named_by_specs]

    def modules(self) -> list[str]:
        of_measures = [module_of(NETWORK_SIMILARITIES, name) for name in self.similarities]
        return ["stages.compare", *self.own_modules(), *of_measures]

    def basis(self) -> dict[str, Any]:
        """What all pairs rest on beside their two networks: the layers, and of each measure the
        code and its settings."""
        accepted, own = accepted_now(), self.own_modules()
        measures = {}
        for name in self.similarities:
            module = named(NETWORK_SIMILARITIES, name)
            settings = {key: self.settings.get(key) for key in getattr(module, "SETTINGS", ())}
            modules = [*own, module_of(NETWORK_SIMILARITIES, name)]
            measures[name] = {"code": accept(accepted, self.stage, modules), "settings": settings}
        return {"layers": self.layers, "measures": measures}


class TabulateJob(Job):
    """The table of a figure: the rows of its roles' sweeps."""

    stage: ClassVar[str] = "tabulate"
    study: str
    figure: str
    draw: str
    """The figure of the study whose module makes the table: most often that of the same name."""
    step: int | None = None
    sweeps: dict[str, list[dict[str, Any]]]
    """The grids of each role, each with its `seeds`: their number; or, of a run that is not at its
    end, a list of those that are there."""
    comparisons: dict[str, list[dict[str, Any]]] | None = None
    """The comparisons of each role of such, if there are any: of each its `name`, and `between`,
    the grids of both sides, with the number of seeds of each."""

    def grids(self) -> list[dict[str, Any]]:
        """All of them."""
        compared = [
            grids
            for several in (self.comparisons or {}).values()
            for each in several
            for grids in each["between"]
        ]
        return [grid for grids in (*self.sweeps.values(), *compared) for grid in grids]

    def modules(self) -> list[str]:
        found = {
            module
            for grid in self.grids()
            for module in (*grid_of(grid).modules(), f"experiments.{experiment_of(grid)}.spec")
        }
        experiments = {experiment_of(grid) for grid in self.grids()}
        room = f"studies.{self.study}"
        settings = [module_of(f"{room}.settings", experiment) for experiment in experiments]
        own = [f"{room}.columns", module_of(f"{room}.tables", self.draw)]
        return ["stages.tabulate", *own, *settings, *found]


def experiment_of(sweep: dict[str, Any]) -> str:
    return sweep.get("experiment", "clusters")


def seeds_of(sweep: dict[str, Any]) -> list[int]:
    """The seeds of a sweep, of which it says the number, or which they are."""
    seeds = sweep["seeds"]
    return seeds if isinstance(seeds, list) else list(range(seeds))


def grid_of(sweep: dict[str, Any]) -> Any:
    """The grid of a sweep, whose seeds are no part of it."""
    return _grid(experiment_of(sweep), {k: v for k, v in sweep.items() if k != "seeds"})


class PlotJob(Job):
    """A figure, drawn from its table alone."""

    stage: ClassVar[str] = "plot"
    study: str
    figure: str
    draw: str
    """The figure of the study whose module draws it."""
    step: int | None = None
    style: dict[str, Any]
    preview: bool
    partial: str | None = None
    """How many of its seeds are there, in words; nothing where all are."""

    def modules(self) -> list[str]:
        room = f"studies.{self.study}"
        return ["stages.plot", f"{room}.columns", module_of(f"{room}.figures", self.draw)]


class JudgeJob(Job):
    """Every claim of a study, judged by the tables of its figures."""

    stage: ClassVar[str] = "judge"
    study: str
    ledger: str
    """The digest of the ledger of claims."""
    about: list[str]
    """The modules that the networks of its claims, and those of the tables, name."""
    preview: bool

    def modules(self) -> list[str]:
        return ["stages.judge", f"studies.{self.study}.columns", *self.about]


class PlotClaimsJob(Job):
    """A page of the figure of a study's claims, as they were judged."""

    stage: ClassVar[str] = "plot_claims"
    study: str
    figure: str
    """Its name, which tells the page."""
    first: int
    """The number, from 0, of its first claim in the ledger's order."""
    last: int
    """That of the first claim of the page after it."""
    style: dict[str, Any]
    preview: bool

    def modules(self) -> list[str]:
        return ["stages.plot_claims"]


class ReportJob(Job):
    """The page with claims, figures and their origins."""

    stage: ClassVar[str] = "write_report"
    study: str
    page: str
    """The digest of the files of the page that are no Python, captions among them."""
    preview: bool

    def modules(self) -> list[str]:
        return ["report.write"]


JOBS = {
    job.stage: job
    for job in (
        *(PrepareJob, TrainJob, MeasureJob, TabulateJob),
        *(PlotJob, JudgeJob, PlotClaimsJob, ReportJob),
    )
}
"""The kind of job of each stage, but for `compare`, which has two."""


def kind_of_comparison(text: str) -> str:
    """What a job of `compare` is about: "networks" or "files", which may refuse it: it may be no
    JSON."""
    try:
        values = json.loads(text)
    except json.JSONDecodeError:
        return "files"
    return "networks" if "specs" in values else "files"


def parsed(stage: str, text: str) -> Any:
    """The typed job of a text."""
    if stage != CompareJob.stage:
        return JOBS[stage].model_validate_json(text)
    job = CompareNetworksJob if kind_of_comparison(text) == "networks" else CompareJob
    return job.model_validate_json(text)
