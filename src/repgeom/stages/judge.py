"""judge: every claim of the ledger, with its statistic, interval and verdict."""

from pathlib import Path

import pandas as pd
import pyarrow as pa

from repgeom.claims.ledger import read_ledger
from repgeom.claims.statistics import NoRows
from repgeom.claims.summary import claims_page
from repgeom.claims.verdicts import CLAIMS_SCHEMA, NOT_RUN, checks_of, judge, overall
from repgeom.columns import TABLE_SCHEMA
from repgeom.files import read_table, write_page, write_table
from repgeom.plan import LEDGER
from repgeom.stages.job import log, made_from, read_job, stage_parser


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    parser.add_argument("--tables", type=Path, nargs="*", required=True)
    parser.add_argument("--page", type=Path, required=True, help="the same as Markdown")
    options = parser.parse_args(arguments)
    job = read_job(options.job, "judge")
    claims = read_ledger(LEDGER)

    files = {path: read_table(path, "table", TABLE_SCHEMA) for path in options.tables}
    header = made_from(options, "judge", {path: header for path, (header, _) in files.items()})
    tables = {header["job"]["figure"]: table.to_pandas() for header, table in files.values()}
    checks = {claim.id: checks_of(claim, tables.get(claim.figure)) for claim in claims}
    family = sum(map(len, checks.values()))
    rows = []
    for claim in claims:
        table = tables.get(claim.figure)
        findings = []
        if table is not None:
            try:
                findings = judge(claim, table, family)
            except NoRows as reason:  # of a config with other values, or a preview
                log(f"claim {claim.id}: {reason}")
        about = {
            "claim": claim.id,
            "by": claim.by,
            "says": claim.claim,
            "place": claim.where,
            "figure": claim.figure,
            "claim_verdict": overall([found.verdict for found in findings]),
            "claim_family_verdict": overall([found.family_verdict for found in findings]),
        }
        if not findings:
            rows.append(about | {"verdict": NOT_RUN, "family_verdict": NOT_RUN})
        for number, (check, found) in enumerate(zip(checks[claim.id], findings, strict=False)):
            rows.append(
                about
                | {"check": number, "statistic": check.description, "expected": check.expected}
                | found._asdict()
            )
        log(f"claim {claim.id}: {about['claim_verdict']}")
    frame = pd.DataFrame(rows).reindex(columns=CLAIMS_SCHEMA.names)
    whole = {n: "Int32" for n in CLAIMS_SCHEMA.names if CLAIMS_SCHEMA.field(n).type == "int32"}
    table = pa.Table.from_pandas(frame.astype(whole), schema=CLAIMS_SCHEMA, preserve_index=False)
    write_table(options.output, "claims", header, table)
    write_page(options.page, header, claims_page(claims, frame, job["preview"]))
