"""The page of a study: its figures and its claims, in one file."""

from datetime import UTC, datetime

from repatlas.artifacts.files import read_table
from repatlas.artifacts.layout import MULTIVERSE
from repatlas.artifacts.pages import write_page
from repatlas.claims.claims_file import read_claims
from repatlas.claims.judging import with_verdicts
from repatlas.claims.multiverse import read_tried
from repatlas.claims.summary import OWNERS, counted
from repatlas.claims.verdicts import CLAIMS_SCHEMA
from repatlas.report.captions import about_study
from repatlas.report.page import report_page
from repatlas.report.rows import claim_rows
from repatlas.report.write import in_html, shown, shown_multiverse
from repatlas.workflow import scopes
from repatlas.workflow.stages import Job, log


def make(job: Job) -> None:
    """Write the page of a study."""
    study, config = job.what, job.plan.config
    of_study, folder = config.studies[study], job.plan.folder / job.what
    job.declare(*scopes.report(study, of_study.figures.values()))
    found, claims = CLAIMS_SCHEMA.empty_table().to_pandas(), []
    for path in job.inputs("claims"):
        found = read_table(path, "claims", CLAIMS_SCHEMA)[1].to_pandas()
        claims = [c for c in read_claims(study).claims if c.figure in of_study.figures]
    figures, several = [], []
    for pdf in job.inputs("multiverse"):
        several.append(read_tried(pdf.with_suffix(".parquet")))
        table = str(folder / f"figures/{MULTIVERSE}.parquet")
        figures.append(shown_multiverse(of_study, pdf.with_suffix(".png"), table))
    if several and claims:
        found = with_verdicts(found, read_claims(study), several)
    rows = claim_rows(claims, found)
    for name, png in zip(of_study.figures, job.inputs("figures", ".png"), strict=True):
        table = str(folder / f"tables/{name}.parquet")
        figures.append(shown(config, study, name, png, table, rows))
    title, about = about_study(study)
    sources = [] if config.preview else [by for by in OWNERS if by in {*found["by"]}]
    page = report_page(
        title,
        in_html(about),
        rows,
        [counted(found, by) for by in sources],
        figures,
        job.recipe["config"],
        config.preview,
        datetime.now(UTC),
    )
    write_page(job.output(".html"), job.header, page)
    log(f"{len(figures)} figures, {len(rows)} claims, {len(page) / 1e6:.1f} MB")
