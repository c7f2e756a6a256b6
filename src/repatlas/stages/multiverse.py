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
from repatlas.artifacts.recipes.study import MultiverseJob
from repatlas.claims.ledger import Claim
from repatlas.claims.multiverse import (
    MULTIVERSE_SCHEMA,
    NOT_APPLICABLE,
    Summary,
    summaries,
    verdict,
    with_limit,
)
from repatlas.claims.multiverse_page import decided, held, multiverse_page
from repatlas.named import named
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
    rows = verdicts(job, Tables(paths, schema))
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


def verdicts(job: MultiverseJob, tables: Tables) -> pd.DataFrame:
    """Return the verdict on each claim in each setting, in the columns of MULTIVERSE_SCHEMA."""
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
            found[claim.id] += _rows(about, claim, rows.with_measures(claim.measures))
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


def _rows(about: dict[str, Any], claim: Claim, rows: Any) -> list[dict[str, Any]]:
    outcome, reason, checks = verdict(claim, rows)
    about |= {"outcome": outcome, "reason": reason}
    return [
        about
        | {"check": place, "number": check.number or check.description}
        | {"expected": check.expected, "value": finding.value}
        for place, (check, finding) in enumerate(checks)
    ] or [about]
