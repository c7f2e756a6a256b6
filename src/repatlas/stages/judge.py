"""judge: every claim of the ledger, with its statistic, interval and verdict."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from repatlas.artifacts.files import read_header, write_table
from repatlas.artifacts.pages import write_page
from repatlas.artifacts.pieces import TableFile
from repatlas.artifacts.study_jobs import JudgeJob
from repatlas.claims.ledger import Check, Claim, Ledger, read_ledger
from repatlas.claims.settings import grids_of, other_settings, sentence
from repatlas.claims.statistics import NoRows
from repatlas.claims.summary import claims_page
from repatlas.claims.verdicts import (
    CLAIMS_SCHEMA,
    NOT_JUDGED,
    Finding,
    checks_of,
    corrected,
    judge,
    outcome,
)
from repatlas.named import named
from repatlas.stages.job import log, made_from, stage_parser


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    parser.add_argument("--tables", type=Path, nargs="*", required=True)
    parser.add_argument("--page", type=Path, required=True, help="the same as Markdown")
    options = parser.parse_args(arguments)
    job = JudgeJob.read(options.job)
    ledger = read_ledger(job.study)
    schema = named(f"studies.{job.study}", "columns").TABLE_SCHEMA

    abouts = {path: read_header(path, "table") for path in options.tables}
    header = made_from(options, job, abouts)
    paths = {about["job"]["figure"]: path for path, about in abouts.items()}
    frame = claims_table(ledger, Tables(paths, schema), job.preview)
    whole = {n: "Int32" for n in CLAIMS_SCHEMA.names if CLAIMS_SCHEMA.field(n).type == "int32"}
    table = pa.Table.from_pandas(frame.astype(whole), schema=CLAIMS_SCHEMA, preserve_index=False)
    write_table(options.output, "claims", header, table)
    write_page(options.page, header, claims_page(ledger.claims, frame, job.preview))


Rows = Callable[[Claim], pd.DataFrame]
"""Of a table, those that a claim is about."""
ALWAYS = {"run", "seed", "step", "measure", "variant", "contrast", "value"}
"""The columns that each claim may need."""


class Tables(Mapping[str, tuple[dict, Rows]]):
    """The header of the table of each figure, and of its rows what one claim needs, since all of it
    may be more than memory holds: those of its measures, in the columns that it names or that tell
    rows apart."""

    def __init__(self, paths: dict[str, Path], schema: pa.Schema):
        self._paths, self._schema = paths, schema
        self._whole: set[str] = set()
        """The figures whose tables were found to be as they were written"""
        self._last: tuple[str, set[str], list[str]] | None = None
        self._rows = pd.DataFrame()

    def __getitem__(self, figure: str) -> tuple[dict, Rows]:
        table = TableFile(self._paths[figure], "table", self._schema)
        if figure not in self._whole:
            table.check()
            self._whole.add(figure)
        return table.header, partial(self._rows_of, table)

    def _rows_of(self, table: TableFile, claim: Claim) -> pd.DataFrame:
        """Those of the last claim again where it needed the same."""
        needed = ALWAYS | claim.words | table.varying
        columns = [name for name in table.schema.names if name in needed]
        if self._last != (claim.figure, claim.measures, columns):
            self._rows = pd.DataFrame()
            rows = table.chosen("measure", claim.measures, columns)
            self._rows = frame_of(map(own, rows), [table.schema.field(name) for name in columns])
            self._last = claim.figure, claim.measures, columns
        return self._rows

    def __contains__(self, figure: object) -> bool:
        return figure in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def own(rows: pa.Table) -> pa.Table:
    """The columns that have values, those of texts with each text once."""
    there = [name for name in rows.column_names if rows[name].null_count < len(rows)]
    columns = [
        rows[name].dictionary_encode() if pa.types.is_string(rows[name].type) else rows[name]
        for name in there
    ]
    return pa.Table.from_arrays(columns, there)


def frame_of(pieces: Iterable[pa.Table], fields: list[pa.Field]) -> pd.DataFrame:
    """Rows in these columns. Some may have no values: those of texts are categories then, of which
    there are none, and the others have numbers of half the size."""
    # No name for the pieces, so that each column of Arrow's is freed when it is one of pandas'.
    frame = (
        pa.concat_tables([pa.table({}), *pieces], promote_options="default")
        .unify_dictionaries()
        .to_pandas(split_blocks=True, self_destruct=True)
    )
    no_texts = pd.Categorical.from_codes(np.full(len(frame), -1), [])
    no_numbers = np.full(len(frame), np.nan, np.float32)
    return pd.DataFrame(
        {
            field.name: frame.pop(field.name)
            if field.name in frame
            else (no_texts if pa.types.is_string(field.type) else no_numbers)
            for field in fields
        },
        copy=False,
    )


def claims_table(
    ledger: Ledger, tables: Mapping[str, tuple[dict, Rows]], preview: bool
) -> pd.DataFrame:
    """A row for each check of each claim, in the columns of CLAIMS_SCHEMA. `tables` has the header
    and the rows of each figure's table. A claim that cannot be judged says why, and hinders no
    other."""
    abouts: dict[str, dict] = {}
    checks: dict[str, list[Check]] = {}
    findings: dict[str, list[Finding]] = {}
    # Those about the same rows after one another, so that these are read once.
    for claim in sorted(ledger.claims, key=lambda claim: (claim.figure, sorted(claim.measures))):
        about = abouts[claim.id] = {
            "claim": claim.id,
            "by": claim.by,
            "says": claim.claim,
            "place": claim.where,
            "figure": claim.figure,
        }
        if preview:
            about["not_judged"] = "a preview has few networks on coarse grids"
        elif claim.figure not in tables:
            about["not_judged"] = f"the config does not draw {claim.figure}"
        elif (drawn := tables[claim.figure][0]["job"]["draw"]) != claim.figure:
            about["not_judged"] = f"what the config calls {claim.figure} is {drawn}"
        else:
            header, rows_of = tables[claim.figure]
            table = rows_of(claim)
            wanted = [ledger.settings[name] for name in claim.settings]
            differences = other_settings(wanted, grids_of(header["job"]))
            about["other_settings"] = sentence(differences) or None
            try:
                findings[claim.id] = judge(claim, table)
                checks[claim.id] = checks_of(claim, table)
            except NoRows as reason:
                about["not_judged"] = str(reason)
        if "not_judged" in about:
            log(f"claim {claim.id}: not judged: {about['not_judged']}")
    _add_verdicts(abouts, findings)
    rows = [
        row
        for claim in ledger.claims
        for row in _rows(abouts[claim.id], checks.get(claim.id, []), findings.get(claim.id))
    ]
    return pd.DataFrame(rows).reindex(columns=CLAIMS_SCHEMA.names)


def _add_verdicts(abouts: dict[str, dict], findings: dict[str, list[Finding]]) -> None:
    """Corrected are the claims of one source together, those judged on other settings apart."""
    outcomes = {name: outcome(found) for name, found in findings.items()}
    families: dict[tuple, list[str]] = {}
    for name in outcomes:
        about = abouts[name]
        families.setdefault((about["by"], about["other_settings"] is None), []).append(name)
    for names in families.values():
        for name, after in zip(names, corrected([outcomes[n] for n in names]), strict=True):
            before = outcomes[name]
            abouts[name] |= {
                "claim_p": before.p,
                "claim_verdict": before.verdict,
                "claim_corrected_p": after.p,
                "claim_corrected_verdict": after.verdict,
                "networks_needed": after.needed,
            }
            log(f"claim {name}: {before.verdict}, corrected: {after.verdict}")


def _rows(about: dict, checks: list[Check], found: list[Finding] | None) -> list[dict]:
    if found is None:
        return [about | {"claim_verdict": NOT_JUDGED, "claim_corrected_verdict": NOT_JUDGED}]
    return [
        about
        | {"check": number, "statistic": check.description, "expected": check.expected}
        | finding._asdict()
        for number, (check, finding) in enumerate(zip(checks, found, strict=True))
    ]
