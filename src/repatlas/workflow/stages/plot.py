"""A figure: its table, from the rows of its sweeps, and its picture, from the table alone.

Above the picture stands what the figure found, if the claims that carry this sentence are judged
so, or else what it draws. The claims are about its own table, and are judged here, too, so that a
figure does not wait for other figures.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from repatlas.artifacts.drawings import write_drawing
from repatlas.artifacts.files import METRICS_SCHEMA, NETWORK_PAIRS_SCHEMA, PAIRS_SCHEMA, read_table
from repatlas.claims.claims_file import Claim
from repatlas.claims.judging import Tables
from repatlas.claims.rows import RowsByKind
from repatlas.claims.selection import NoRows
from repatlas.claims.verdicts import judge, outcome
from repatlas.config.multiverse import number_of
from repatlas.config.sweeps import OfSweep
from repatlas.figures.columns import (
    COLUMNS,
    SORTED_BY,
    schema_of,
    typed,
    with_all_columns,
    without_empty,
)
from repatlas.figures.figure import Finding, Options
from repatlas.figures.rows import BETWEEN_STEPS, DTYPES, ending_at, pair_rows
from repatlas.named import named, trains
from repatlas.plots.style import (
    REASON,
    Style,
    applied,
    settle,
    title_above,
)
from repatlas.workflow import scopes
from repatlas.workflow.groups import base_of
from repatlas.workflow.plan import Plan, Result
from repatlas.workflow.results import MADE, write_rows
from repatlas.workflow.stages import Job, log


def make(job: Job) -> None:
    """Write the table and the pictures of a figure."""
    study, figure, options = job.what
    job.declare(*scopes.figure(study, options.draw, job.plan.grids_of(study, options)))
    table = Inputs(job.plan, study).table(options)
    paths = [job.output(suffix) for suffix in (".parquet", ".pdf", ".png")]
    nothing = empty_because(write_figure(paths, job.recipe, table, lambda: job.header))
    log(f"{figure} is empty: {nothing}" if nothing else f"drew {figure}: {len(table)} rows")


def write_figure(
    paths: list[Path],
    recipe: dict[str, Any],
    table: pa.Table,
    header: Callable[[], dict[str, Any]],
    partial: str | None = None,
) -> Any:
    """Write a table and its pictures, and return the drawing. paths: of the table and the pictures.
    header: asked before each is written. partial: how much of the table is there, if not all."""
    place, *pictures = paths
    write_rows(place, "table", header(), [table])
    title = "" if partial else title_of(recipe, place)
    about = {name: recipe[name] for name in ("preview", "step")}
    style = Style(**recipe["style"], **about, partial=partial)
    with applied(style):
        module = named(f"studies.{recipe['study']}", recipe["draw"])
        drawing = module.draw(with_all_columns(table).to_pandas(), style)
        title_above(drawing, style, title)
        settle(drawing)
        for path in pictures:
            write_drawing(drawing, path, header())
    return drawing


def empty_because(drawing: Any) -> str:
    """Return why no panel of a figure shows anything, in the words of the panels; an empty text if
    one does."""
    panels = [
        [" ".join(text.get_text().split()) for text in ax.texts if text.get_gid() == REASON]
        for ax in drawing.axes
        if ax.axison
    ]
    return "; ".join({text: 1 for of in panels for text in of}) if all(panels) else ""


def title_of(recipe: dict[str, Any], table: Path) -> str:
    """Return the sentence that the figure says, or what it draws where its table says otherwise; an
    empty text for a figure without a title."""
    if recipe["title"] is None:
        return ""
    finding = Finding(recipe["title"]["says"], recipe["title"]["carried"])
    if not finding.carried:
        return finding.says
    claims = [Claim(**claim) for claim in recipe["title"]["claims"]]
    judged = [claim for claim in claims if not claim.later]
    rows = Tables({recipe["figure"]: table})[recipe["figure"]][1](judged) if judged else None
    outcomes = {claim.id: _outcome(claim, rows) for claim in claims}
    return finding.sentence_if(outcomes) or recipe["title"]["about"]


def _outcome(claim: Claim, rows: RowsByKind | None) -> str | None:
    if claim.later or rows is None:
        return None
    try:
        return outcome(judge(claim, rows.with_measures(claim.measures))).verdict
    except NoRows:
        return None


Read = Callable[[Path], tuple[dict[str, Any], pa.Table]]
"""Returns the header and the rows of a file of metrics."""


def read_metrics(path: Path) -> tuple[dict[str, Any], pa.Table]:
    """Return the header and the rows of a file of metrics. Raises Unreadable."""
    return read_table(path, "metrics")


class Inputs:
    """The metrics and the pairs from which the tables of a study are made: those that are used."""

    def __init__(
        self,
        plan: Plan,
        study: str,
        used: Callable[[Result], bool] = lambda _: True,
        read: Read = read_metrics,
    ):
        self._plan, self._used, self._study = plan, used, study
        self._config = plan.studies[study]
        self._read, self._pairs = cache(read), cache(self._read_pairs)

    def table(self, options: Options) -> pa.Table:
        """Return the table of a figure."""
        rows = {
            role: pd.concat([self._rows_of(name) for name in of], ignore_index=True)
            for role, of in options.sweeps().items()
        }
        for role, of in options.comparisons().items():
            rows[role] = pd.concat([self._compared(key) for key in of], ignore_index=True)
        module = named(f"studies.{self._study}", str(options.draw))
        step = getattr(options, "step", None)
        if hasattr(module, "per_network"):
            table = _in_order(module, module.per_network(rows, step))
            if hasattr(module, "over_networks"):
                table = pd.concat([table, module.over_networks(table)], ignore_index=True)
        else:
            table = module.tabulate(rows, step)
        table = _in_order(module, table)
        experiments = {grid.experiment for grid in self._plan.grids_of(self._study, options)}
        return without_empty(typed(table, schema_of(table, experiments)))

    def _rows_of(self, name: str) -> pd.DataFrame:
        """Return the rows of a sweep. A setting has some of the rows of all settings."""
        results = [*filter(self._used, self._plan.metrics_of(self._study, name))]
        grids = self._config.sweeps[name]
        if not results:  # a preview may leave all seeds out
            (experiment,) = {grid.experiment for grid in grids}
            settings = named(f"experiments.{experiment}", "columns").COLUMNS
            names = dict.fromkeys([*METRICS_SCHEMA.names, *settings])
            return pd.DataFrame(columns=[*names]).drop(columns="by")
        if number_of(name) is None:
            frames = [self._metrics(each) for each in results]
        else:
            frames = [_in_grid(self._metrics(r, grid), grid) for grid in grids for r in results]
        rows = pd.concat(frames, ignore_index=True).drop(columns="by", errors="ignore")
        for grid in grids:
            columns = named(f"experiments.{grid.experiment}", "columns")
            if hasattr(columns, "columns_of_set"):
                keys = [spec.key for spec in grid.specs()]
                rows = rows.join(pd.DataFrame(columns.columns_of_set(grid), keys), on="run")
        return rows

    def _metrics(self, result: Result, grid: OfSweep | None = None) -> pd.DataFrame:
        """Return the rows of a file, or of the networks of a grid in it."""
        header, rows = self._read(self._plan.version(result.names[0]))
        if grid:
            rows = rows.filter(pc.is_in(rows["run"], pa.array([s.key for s in grid.specs()])))
        settings, experiment = header["settings"], result.what.experiment
        of_networks = trains(experiment)
        # A brace of a user's may have the name of another column, such as layer or seed.
        types = COLUMNS if of_networks else named(f"experiments.{experiment}", "columns").COLUMNS
        found = rows.drop_columns([MADE]).to_pandas()
        kinds = {name: DTYPES.get(str(types.get(name))) for name in settings}
        found = found.reindex(columns=[*dict.fromkeys([*found, *settings])])
        found = found.astype({name: kind for name, kind in kinds.items() if kind})
        if not of_networks:
            return found.drop(columns={"seed", "step", "by"} - {*settings})
        lacking = [name for name in METRICS_SCHEMA.names if name not in found]
        return found.reindex(columns=[*found, *lacking])

    def _compared(self, key: str) -> pd.DataFrame:
        """Return the rows of a comparison, with the settings of both sides."""
        between = [self._config.sweeps[name] for name in self._config.comparison(key).between]
        rows = self._pairs(base_of(key))
        return pair_rows(rows[rows["comparison"] == key], between[0], between[-1])

    def _read_pairs(self, base: str) -> pd.DataFrame:
        results = self._plan.pairs.get((self._study, base), [])  # a preview may leave none
        paths = [self._plan.version(each.names[0]) for each in results if self._used(each)]
        frames = [read_table(path, "pairs")[1].drop_columns([MADE]).to_pandas() for path in paths]
        schema = NETWORK_PAIRS_SCHEMA
        if results and results[0].stage == "compare_files":
            schema = PAIRS_SCHEMA
        names = ["comparison", *schema.names]
        return pd.concat([f.reindex(columns=names) for f in [*frames, _frame(schema)]])


def _in_grid(rows: pd.DataFrame, grid: OfSweep) -> pd.DataFrame:
    """Return the rows that are at the seeds and the steps of a grid. Networks of other
    settings may be trained longer."""
    last = max(grid.steps)
    between = rows["by"].isin(BETWEEN_STEPS) & (rows["step"] <= last)
    chosen = (rows["seed"] < grid.seeds) & (between | rows["step"].isin(grid.steps))
    return ending_at(rows[chosen], last)


def _in_order(module: Any, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows in the order of the figure, or in the order of all figures."""
    by = [name for name in getattr(module, "SORTED_BY", SORTED_BY) if name in table]
    return table.sort_values(by, kind="stable", ignore_index=True)


def _frame(schema: pa.Schema) -> pd.DataFrame:
    return schema.empty_table().to_pandas()
