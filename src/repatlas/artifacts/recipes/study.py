"""The jobs of a study: what its tables, figures, claims and page depend on."""

from typing import Any, ClassVar

from repatlas.artifacts.recipes.grids import experiment_of, modules_of_sweep
from repatlas.artifacts.recipes.job import Job
from repatlas.named import module_of, names
from repatlas.record import Record


class TabulateJob(Job):
    """The table of a figure: the rows of its roles' sweeps."""

    stage: ClassVar[str] = "tabulate"
    study: str
    figure: str
    draw: str
    """The figure of the study whose module makes the table: most often the figure itself."""
    step: int | None = None
    sweeps: dict[str, list[dict[str, Any]]]
    """The grids of each role, each with `seeds`: the number of seeds, or, for a figure of a run
    that has not ended, the list of the seeds that exist."""
    comparisons: dict[str, list[dict[str, Any]]] | None = None
    """The comparisons of each role for comparisons, if there are any. Each has a `name`, and
    `between`: the grids of both sides with their numbers of seeds."""

    def grids(self) -> list[dict[str, Any]]:
        """Return all grids, of sweeps and of comparisons."""
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
            for module in (*modules_of_sweep(grid), f"experiments.{experiment_of(grid)}.spec")
        }
        experiments = {experiment_of(grid) for grid in self.grids()}
        package = f"studies.{self.study}"
        settings = [module_of(f"{package}.settings", experiment) for experiment in experiments]
        own = [f"{package}.columns", f"{package}.figures.{self.draw}.table"]
        return ["stages.tabulate", *own, *settings, *found]


def seeds_of(sweep: dict[str, Any]) -> list[int]:
    """Return the seeds of a sweep, which lists them or gives their number."""
    seeds = sweep["seeds"]
    return seeds if isinstance(seeds, list) else list(range(seeds))


class Title(Record):
    """The sentence above a figure, and what it depends on."""

    says: str
    carried: dict[str, str]
    """The outcomes of claims about the figure without which the sentence is left out, by the
    number of the claim."""
    claims: list[dict[str, Any]]
    """These claims."""


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
    """The number of its seeds that exist, in words; None if all do."""
    title: Title | None = None
    """What the figure found, if its table says so."""

    def modules(self) -> list[str]:
        package = f"studies.{self.study}"
        return ["stages.plot", f"{package}.columns", f"{package}.figures.{self.draw}.drawing"]


class JudgeJob(Job):
    """Every claim of a study, judged by the tables of its figures."""

    stage: ClassVar[str] = "judge"
    study: str
    ledger: str
    """The digest of the claims file."""
    about: list[str]
    """The modules that the networks of its claims name, and the networks of its tables."""
    preview: bool

    def modules(self) -> list[str]:
        return ["stages.judge", f"studies.{self.study}.columns", *self.about]


class MultiverseJob(Job):
    """The claims of a study, judged in each setting of the choices that a paper leaves open."""

    stage: ClassVar[str] = "multiverse"
    study: str
    settings: list[dict[str, Any]]
    """The value of each choice, in each setting."""
    values: dict[str, list[Any]]
    """The values of each choice."""
    figures: dict[str, int]
    """The setting of each figure whose table is judged, by its name."""
    claims: list[dict[str, Any]]
    style: dict[str, Any]
    preview: bool

    def modules(self) -> list[str]:
        package = f"studies.{self.study}"
        learned = [f"{package}.learned"] if "learned" in names(package) else []
        return ["stages.multiverse", f"{package}.columns", *learned]


class PlotClaimsJob(Job):
    """A page of the figure of a study's claims, as they were judged."""

    stage: ClassVar[str] = "plot_claims"
    study: str
    figure: str
    """The name of the figure, which states the page."""
    claims: list[str]
    """The numbers of the claims in the claims file."""
    style: dict[str, Any]

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
