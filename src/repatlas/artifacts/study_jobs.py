"""What the tables, figures, claims and page of a study are asked to hold."""

from typing import Any, ClassVar

from repatlas.artifacts.jobs import Job, experiment_of, grid_of
from repatlas.named import module_of
from repatlas.record import Record


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
        own = [f"{room}.columns", f"{room}.figures.{self.draw}.table"]
        return ["stages.tabulate", *own, *settings, *found]


def seeds_of(sweep: dict[str, Any]) -> list[int]:
    """The seeds of a sweep, of which it says the number, or which they are."""
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
    """How many of its seeds are there, in words; nothing where all are."""
    title: Title | None = None
    """What the figure found, if its table says so."""

    def modules(self) -> list[str]:
        room = f"studies.{self.study}"
        return ["stages.plot", f"{room}.columns", f"{room}.figures.{self.draw}.drawing"]


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
    claims: list[str]
    """Their numbers in the ledger."""
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
