"""The jobs that compare pairs: of networks, or of representations in files."""

from typing import Any, ClassVar

from pydantic import Field

from repatlas.artifacts.recipes.grids import experiment_of, grid_of, modules_of_sweep
from repatlas.artifacts.recipes.job import Job, accepted_now
from repatlas.named import module_of, named

SIMILARITIES = "own.similarities"
"""The folder of the measures of pairs of representations in files."""
NETWORK_SIMILARITIES = "pairs.similarities"
"""The folder of the measures of pairs of networks."""


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
        named_by_grids = {module for grid in self.grids for module in modules_of_sweep(grid)}
        return ["stages.compare_files", *of_experiments, *named_by_grids]

    def measures_of_pairs(self) -> list[str]:
        return self.measures

    def basis(self, items: str) -> dict[str, Any]:
        """Return the dependencies of all pairs, except their two representations: the items that
        all share, as a digest, the permutations, and the code of each measure."""
        accepted = accepted_now()
        codes = {
            name: self.fingerprint(modules, accepted)
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
            measures[name] = {"code": self.fingerprint(modules, accepted), "settings": settings}
        return {"layers": self.layers, "measures": measures}
