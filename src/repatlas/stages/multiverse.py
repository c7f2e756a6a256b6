"""multiverse: every claim in each setting of the choices that a paper leaves open, as a figure, a
page and a table."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from repatlas.artifacts.drawings import write_drawing
from repatlas.artifacts.files import read_header, write_table
from repatlas.artifacts.pages import write_page
from repatlas.artifacts.pieces import TableFile
from repatlas.artifacts.recipes.study import MultiverseJob
from repatlas.claims.ledger import Claim
from repatlas.claims.multiverse import (
    MULTIVERSE_SCHEMA,
    NO_SEEDS,
    NOT_APPLICABLE,
    Seeds,
    Summary,
    summaries,
    verdict,
    with_limit,
)
from repatlas.claims.multiverse_page import decided, held, multiverse_page
from repatlas.claims.settings import grids_of
from repatlas.named import named, names
from repatlas.plots.multiverse import Row, draw_multiverse
from repatlas.plots.style import Style, applied, settle
from repatlas.stages.job import log, made_from, show, stage_parser
from repatlas.stages.judge import Tables


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    parser.add_argument("--tables", type=Path, nargs="*", required=True)
    options = parser.parse_args(arguments)
    job = MultiverseJob.read(options.job)
    schema = named(f"studies.{job.study}", "columns").TABLE_SCHEMA

    abouts = {path: read_header(path, "table") for path in options.tables}
    header = made_from(options, job, abouts)
    paths = {about["job"]["figure"]: path for path, about in abouts.items()}
    tables = Tables(paths, schema)
    rows = verdicts(job, tables, seeds_of_figures(job, paths, schema))
    found = summaries(rows, job.settings, job.values)

    style = Style(colours={}, **job.style, preview=job.preview)
    with applied(style):
        figure = draw_multiverse([_row(each) for each in found], len(job.settings), style)
        settle(figure)
        for suffix in (".pdf", ".png"):
            write_drawing(figure, options.output.with_suffix(suffix), header)
    page = options.output.with_suffix(".md")
    write_page(page, header, multiverse_page(found, job.settings, job.values, job.preview))
    whole = {"setting": "int32", "check": "Int32"}
    table = pa.Table.from_pandas(rows.astype(whole), schema=MULTIVERSE_SCHEMA, preserve_index=False)
    write_table(options.output.with_suffix(".parquet"), "multiverse", header, table)
    show(options, *(options.output.with_suffix(s) for s in (".png", ".md", ".parquet")))
    log(f"{len(found)} claims in {len(job.settings)} settings")


def seeds_of_figures(
    job: MultiverseJob, paths: dict[str, Path], schema: pa.Schema
) -> dict[str, Seeds]:
    """Return the seeds of each figure's networks, and the seeds that did not learn, for studies
    with a module `learned`. Tables of the others have the test accuracy of their networks."""
    if "learned" not in names(f"studies.{job.study}"):
        return {}
    rule = named(f"studies.{job.study}", "learned")
    found: dict[str, pd.Series] = {}
    runs: dict[str, set[str]] = {}
    columns = ["run", "seed", "step", "measure", "value", *rule.COLUMNS]
    for figure in job.figures:
        table = TableFile(paths[figure], "table", schema)
        parts = [part.to_pandas() for part in table.chosen("measure", rule.MEASURES, columns)]
        rows = pd.concat(parts) if parts else pd.DataFrame(columns=columns)
        found[figure] = rule.learned(rows[rows["run"].notna() & rows["seed"].notna()])
        grids = grids_of(table.header["job"])
        runs[figure] = {spec.key for grid in grids for spec in grid.specs()}
    if rule.KNOWN_BY_ALL:
        every = pd.concat([*found.values()])
        found = {f: every[every.index.get_level_values("run").isin(runs[f])] for f in found}
    seeds = {f: of.groupby(level="seed").all() for f, of in found.items()}
    return {f: Seeds({*of.index}, {*of.index[~of]}) for f, of in seeds.items()}


def verdicts(
    job: MultiverseJob, tables: Tables, seeds: dict[str, Seeds] | None = None
) -> pd.DataFrame:
    """Return the verdict on each claim in each setting, in the columns of MULTIVERSE_SCHEMA. seeds:
    the seeds of each figure, and the seeds that did not learn."""
    claims = [Claim.model_validate(claim) for claim in job.claims]
    found: dict[str, list[dict[str, Any]]] = {claim.id: [] for claim in claims}
    for figure, number in job.figures.items():
        header, read = tables[figure]
        own = [with_limit(claim) for claim in claims if claim.figure == header["job"]["draw"]]
        rows = read(own) if own else None
        for claim in own:
            about = {
                "claim": claim.id,
                "says": claim.claim,
                "by": claim.by,
                "figure": claim.figure,
                "setting": number,
                "choices": json.dumps(job.settings[number]),
            }
            chosen = rows.with_measures(claim.measures)
            of_figure = (seeds or {}).get(figure, NO_SEEDS)
            found[claim.id] += _rows(about, claim, chosen, of_figure)
    every = [row for of_claim in found.values() for row in of_claim]
    return pd.DataFrame(every).reindex(columns=MULTIVERSE_SCHEMA.names)


def _row(summary: Summary) -> Row:
    """Return a claim as the figure shows it."""
    out = summary.counts[NOT_APPLICABLE]
    effect = summary.decisive
    return Row(
        summary.claim,
        summary.says,
        held(summary) + (f"\n{out} not applicable" if out else ""),
        summary.share if summary.applicable else None,
        decided(effect).replace(": ", "\n") if summary.applicable else "",
        effect.difference if effect else None,
    )


def _rows(about: dict[str, Any], claim: Claim, rows: Any, seeds: Seeds) -> list[dict[str, Any]]:
    outcome, reason, checks = verdict(claim, rows, seeds)
    about |= {"outcome": outcome, "reason": reason}
    return [
        about
        | {"check": place, "number": check.number or check.description}
        | {"expected": check.expected, "value": finding.value}
        for place, (check, finding) in enumerate(checks)
    ] or [about]
