"""The jobs of a shard: its data, its runs and its metrics."""

import ast
import json
from functools import cache
from typing import Any, ClassVar, NamedTuple

from repatlas.artifacts.recipes.grids import grid_and_specs, modules_named, steps_of_measures
from repatlas.artifacts.recipes.job import Job, accepted_now
from repatlas.named import ROOT, module_of, named
from repatlas.named import names as names_in


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


def package_of_measures(experiment: str) -> str:
    """Return the package of the measures of an experiment. Representations that a user brings have
    known rows, items or trials. Their estimators differ from the estimators of networks, which
    have all conditions."""
    return "measures" if trains(experiment) else "own.measures"


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
                key = spec.key  # takes longer than all else here
                known = found.get(key, Wanted(spec, [], {}))
                at = {
                    name: sorted({*known.measures.get(name, []), *steps})
                    for name, steps in measures.items()
                }
                found[key] = Wanted(
                    spec,
                    sorted({*known.steps, *grid.steps}),
                    dict(sorted((known.measures | at).items())),
                )
    return found


class TrainJob(ShardJob):
    """Runs: the networks of a shard at the steps that are wanted."""

    stage: ClassVar[str] = "train"

    def own_modules(self) -> list[str]:
        package = f"experiments.{self.experiment}"
        return ["stages.train", f"{package}.train", f"{package}.spec"]

    def basis(self, digests: dict[str, str]) -> dict[str, dict[str, Any]]:
        """Return the dependencies of a stored run, except its spec, by key. A run that matches is
        kept.

        digests: of the arrays of the data, which may be others under the same name.
        """
        accepted = accepted_now()
        return {
            key: {
                "seed": self.seed,
                "code": self.fingerprint(self.modules_of(run.spec), accepted),
                "data": {
                    name: digest
                    for name, digest in digests.items()
                    if name.startswith(f"{run.spec.data}/")
                },
            }
            for key, run in self.wanted().items()
        }

    def modules_of(self, spec: Any) -> list[str]:
        """Return the modules that a network of the job depends on."""
        return [*self.own_modules(), *spec.modules()]


class MeasureJob(ShardJob):
    """Metrics: what is measured of the networks of a shard."""

    stage: ClassVar[str] = "measure"
    decoders: dict[str, Any]

    def own_modules(self) -> list[str]:
        package = f"experiments.{self.experiment}"
        return ["stages.measure", f"{package}.represent", f"{package}.spec"]

    def modules(self) -> list[str]:
        measures = {name for each in self.grids for name in steps_of_measures(each, [])}
        package = package_of_measures(self.experiment)
        found = {module_of(package, name) for name in measures}
        for name in measures:
            if _activations_by_kind(package, name):
                specs = [run.spec for run in self.wanted().values() if name in run.measures]
                found |= _activations(package, name, *specs)
        return [*super().modules(), *found]

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
                        "code": self.fingerprint(self.modules_of(run.spec, name), accepted),
                        "steps": steps,
                    }
                    for name, steps in run.measures.items()
                },
            }
            for key, run in self.wanted().items()
            if key in runs
        }

    def modules_of(self, spec: Any, measure: str) -> list[str]:
        """Return the modules that a measure of a network of the job depends on."""
        package = package_of_measures(self.experiment)
        of_measure = [module_of(package, measure), *_activations(package, measure, spec)]
        return [*self.own_modules(), *spec.modules(), *of_measure]


def _activations(package: str, measure: str, *specs: Any) -> set[str]:
    """Return the modules of the activations that a measure names for networks of these specs."""
    by_kind = _activations_by_kind(package, measure)
    kinds = {spec.network.kind for spec in specs} if by_kind else set()
    return {module_of("networks.activations", by_kind[kind]) for kind in kinds & by_kind.keys()}


@cache
def _activations_by_kind(package: str, measure: str) -> dict[str, str]:
    """Return ACTIVATIONS of a measure, if it has them, read from its source: a plan imports no
    measure."""
    path = ROOT.joinpath(*module_of(package, measure).split(".")).with_suffix(".py")
    for each in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "ACTIVATIONS":
            return ast.literal_eval(each.value)
    return {}


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


def without_measures(basis: dict[str, Any]) -> dict[str, Any]:
    """Return the dependencies of the rows of a network, without its measures."""
    return {name: value for name, value in basis.items() if name != "measures"}
