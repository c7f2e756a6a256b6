"""Every claim in each setting of the choices that a paper leaves open, as a figure, a page and a
table."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pyarrow as pa

from repatlas.artifacts.drawings import write_drawing
from repatlas.artifacts.files import read_table, write_table
from repatlas.artifacts.pages import write_page
from repatlas.claims.claims_file import Claim
from repatlas.claims.in_settings import seeds_of_figures, shown, verdicts
from repatlas.claims.judging import Tables
from repatlas.claims.multiverse import MULTIVERSE_SCHEMA, summaries
from repatlas.claims.multiverse_page import multiverse_page
from repatlas.config.multiverse import UNTRAINED
from repatlas.plots.multiverse import draw_multiverse
from repatlas.plots.style import Style, applied, settle
from repatlas.workflow import scopes
from repatlas.workflow.results import write_rows
from repatlas.workflow.stages import Job, log
from repatlas.workflow.stages.plot import Inputs


def make(job: Job) -> None:
    """Write the claims of a study in all settings."""
    (study, figures), recipe = job.what, job.recipe
    modules = {
        module
        for options in figures.values()
        for module in scopes.figure(study, options.draw, job.plan.grids_of(study, options))
    }
    job.declare(*scopes.multiverse(study), *modules)
    settings, values, preview = recipe["settings"], recipe["values"], recipe["preview"]
    rows = _verdicts(job)
    found = summaries(rows, settings, values)
    style = Style(colours={}, **recipe["style"], preview=preview)
    with applied(style):
        figure = draw_multiverse([shown(each) for each in found], len(settings), style)
        settle(figure)
        for suffix in (".pdf", ".png"):
            write_drawing(figure, job.output(suffix), job.header)
    write_page(job.output(".md"), job.header, multiverse_page(found, settings, values, preview))
    whole = {"setting": "int32", "check": "Int32"}
    table = pa.Table.from_pandas(rows.astype(whole), schema=MULTIVERSE_SCHEMA, preserve_index=False)
    write_table(job.output(".parquet"), "multiverse", job.header, table)
    log(f"{len(found)} claims in {len(settings)} settings")


def _verdicts(job: Job) -> pd.DataFrame:
    """Return the verdict on each claim in each setting. Claims are judged on tables in files, which
    are removed."""
    (study, figures), recipe = job.what, job.recipe
    claims = [Claim.model_validate(each) for each in recipe["claims"]]
    with TemporaryDirectory(prefix="repatlas-") as folder:
        inputs = Inputs(job.plan, study, read=partial(_read_mapped, Path(folder)))
        paths = {figure: Path(folder, f"{figure}.parquet") for figure in figures}
        for figure, options in figures.items():
            about = {"identity": "", "job": recipe["tables"][figure]}
            write_rows(paths[figure], "table", about, [inputs.table(options)])
        seeds = seeds_of_figures(study, paths)
        untrained, tables = recipe["varies"] == UNTRAINED, Tables(paths)
        settings, numbers = recipe["settings"], recipe["figures"]
        return verdicts(claims, settings, numbers, tables, seeds, untrained)


def _read_mapped(folder: Path, path: Path) -> tuple[dict[str, Any], pa.Table]:
    """Return the header and the rows of a file of metrics. The rows are written to this folder, and
    memory holds what is in use: the rows of all settings together may be some gigabytes."""
    header, rows = read_table(path, "metrics")
    file = str(folder / f"{path.stem}.arrow")
    with pa.ipc.new_file(file, rows.schema) as writer:
        writer.write_table(rows)
    return header, pa.ipc.open_file(pa.memory_map(file)).read_all()
