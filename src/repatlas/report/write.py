"""write_report: the page with the claims, the figures and their origins, in one file.

`verify` does not know it: it is packed from files that `verify` checks, and says in itself which of
them were not what the config and the code imply.
"""

import hashlib
from datetime import UTC, datetime
from pathlib import Path

from repatlas.artifacts.files import read_table, whole_file
from repatlas.artifacts.jobs import ReportJob
from repatlas.claims.ledger import read_ledger
from repatlas.claims.verdicts import CLAIMS_SCHEMA
from repatlas.figures.captions import about_study
from repatlas.operations.planned import add_plan, read_plan
from repatlas.record import canonical
from repatlas.report.captions import in_html
from repatlas.report.origins import origins
from repatlas.report.page import Shown, report_page
from repatlas.stages.job import log, stage_parser

NO_RESULTS = {"accept_code", "anyway", "only"}
"""What of a config is no part of its results."""


def main(arguments: list[str]) -> None:
    parser = add_plan(stage_parser(__doc__.splitlines()[0]))
    parser.add_argument("--claims", type=Path, nargs="*", required=True, help="if there are any")
    options = parser.parse_args(arguments)
    job = ReportJob.read(options.job)
    plan = read_plan(options)

    figures = [
        Shown(
            figure.name,
            plan.files(figure)[1].read_bytes(),
            in_html(plan.caption(figure)),
            len(plan.networks(figure)),
        )
        for figure in plan.of_study(job.study)
    ]
    found, claims = CLAIMS_SCHEMA.empty_table().to_pandas(), []
    for path in options.claims:
        found, claims = (
            read_table(path, "claims", CLAIMS_SCHEMA)[1].to_pandas(),
            read_ledger(job.study).claims,
        )
    title, about = about_study(job.study)
    page = report_page(
        title,
        in_html(about),
        claims,
        found,
        figures,
        origins(plan, job.study),
        hashlib.sha256(
            canonical(plan.config, {"accept_code", "anyway", "only"}).encode()
        ).hexdigest()[:12],
        job.preview,
        datetime.now(UTC),
    )
    with whole_file(options.output) as temporary:
        temporary.write_text(page, encoding="utf-8")
    log(f"{len(figures)} figures, {found['claim'].nunique()} claims, {len(page) / 1e6:.1f} MB")
