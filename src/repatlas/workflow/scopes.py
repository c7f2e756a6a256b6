"""The modules that a network, a row of metrics, and a file depend on, without what these import."""

import ast
from collections.abc import Iterable
from functools import cache
from typing import Any

from repatlas.config.comparisons import PACKAGE as SIMILARITIES
from repatlas.config.comparisons import Cohort, NetworkComparison
from repatlas.config.sweeps import OfSweep
from repatlas.figures.figure import Options
from repatlas.named import ROOT, module_of, names, package_of_measures, trains
from repatlas.workflow.groups import Group

OF_REPORT = ("report.write", "claims.multiverse")
"""The modules that write the page of a study."""


def training(experiment: str) -> list[str]:
    """Return the modules that train the networks of an experiment. Each network also depends on
    those that its spec names."""
    return [f"experiments.{experiment}.train", f"experiments.{experiment}.spec"]


def measuring(experiment: str) -> list[str]:
    """Return the modules that show networks to measures. Each row also depends on those that its
    network and its measure name."""
    return [f"experiments.{experiment}.represent", f"experiments.{experiment}.spec"]


def showing(spec: Any) -> tuple[str, ...]:
    """Return the modules that show a network to measures."""
    return *measuring(spec.experiment), *spec.modules()


def row(spec: Any, measure: str) -> list[str]:
    """Return the modules on which the rows of a measure of a network depend."""
    package = package_of_measures(spec.experiment)
    own = [module_of(package, measure), *_activations(package, measure, spec)]
    return [*showing(spec), *own]


def metrics(group: Group) -> list[str]:
    """Return the modules on which the metrics of a group depend."""
    specs = [spec for grid, _ in group.grids for spec in grid.specs()]
    measures = {name for grid, _ in group.grids for name in grid.all_measures}
    package = package_of_measures(group.experiment)
    found = {module_of(package, name) for name in measures}
    for name in measures:
        found |= _activations(package, name, *specs)
    settings = f"experiments.{group.experiment}.columns"
    return [*measuring(group.experiment), settings, *group.modules(), *found]


def parts(stage: str, what: Any) -> tuple[list[str], list[list[str]]]:
    """Return the modules on which a list of networks, or a file of metrics or pairs, depends, and
    the modules of each network, or of what measures it, in it."""
    if stage == "compare_networks":
        parts = [pair(cohort, name) for c, cohort in what[1] for name in c.similarities]
        return [module for part in parts for module in part], parts
    group: Group = what
    specs = [spec for grid, _ in group.grids for spec in grid.specs()]
    if stage == "train":
        own = training(group.experiment)
        return [*own, *group.modules()], [[*own, *spec.modules()] for spec in specs]
    measures = {name for grid, _ in group.grids for name in grid.all_measures}
    return metrics(group), [row(spec, name) for spec in specs for name in measures]


def pair(cohort: Cohort, similarity: str) -> list[str]:
    """Return the modules on which the similarity of two networks of a cohort depends."""
    found = [module_of(SIMILARITIES, similarity), "pairs.seed_pairs", "pairs.floor", "pairs.seen"]
    for spec in cohort.specs:
        folder = f"experiments.{spec.experiment}"
        found += [f"{folder}.compared", f"{folder}.spec", *spec.modules()]
    return found


def pairs(cohorts: Iterable[tuple[NetworkComparison, Cohort]]) -> list[str]:
    """Return the modules on which the pairs of these cohorts depend."""
    return [
        module
        for comparison, cohort in cohorts
        for name in comparison.similarities
        for module in pair(cohort, name)
    ]


def pairs_of_arrays(groups: Iterable[Group], similarities: Iterable[str]) -> list[str]:
    """Return the modules on which these similarities of a user's arrays depend."""
    found = ["experiments.files.represent", "experiments.files.spec"]
    found += [module for group in groups for module in group.modules()]
    return [*found, *(module_of("own.similarities", name) for name in similarities)]


def figure(study: str, draw: str, grids: Iterable[OfSweep]) -> list[str]:
    """Return the modules that make the table and the picture of a figure of these grids, and judge
    the claims that carry its title."""
    found = [f"studies.{study}.{draw}", "claims.judging", "plots.style"]
    found += ["figures.rows", "figures.columns"]
    for grid in grids:
        found += [f"experiments.{grid.experiment}.{part}" for part in ("columns", "spec")]
        if trains(grid.experiment):  # how a user's files are read matters to what is measured alone
            found += grid.modules()
    return found


def verdicts() -> list[str]:
    """Return the modules that judge claims."""
    return ["claims.judging", "claims.summary"]


def multiverse(study: str) -> list[str]:
    """Return the modules that judge the claims of a study in each setting, and draw the result."""
    learned = [f"studies.{study}.learned"] if "learned" in names(f"studies.{study}") else []
    return ["claims.in_settings", "claims.multiverse_page", *learned]


def report(study: str, figures: Iterable[Options]) -> list[str]:
    """Return the modules that write the page of a study with these figures."""
    draws = {figure.draw for figure in figures}
    return [*(f"studies.{study}.{draw}" for draw in draws), *OF_REPORT]


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
