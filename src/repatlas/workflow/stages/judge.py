"""Every claim of the claims file of a study, with its statistic, interval and verdict."""

from repatlas.artifacts.files import write_table
from repatlas.artifacts.pages import write_page
from repatlas.claims.claims_file import read_claims
from repatlas.claims.judging import Tables, claims_table, in_schema
from repatlas.claims.summary import claims_page
from repatlas.workflow import scopes
from repatlas.workflow.stages import Job


def make(job: Job) -> None:
    """Write the claims of a study as they were judged, as a table and as a page."""
    study, preview = job.what, job.recipe["preview"]
    file = read_claims(study)
    job.declare(*scopes.verdicts(), *sorted(file.modules()))
    figures = sorted(job.plan.studies[study].figures)
    tables = Tables(dict(zip(figures, job.inputs("figures"), strict=True)))
    frame = claims_table(file, tables, preview)
    write_table(job.output(".parquet"), "claims", job.header, in_schema(frame))
    write_page(job.output(".md"), job.header, claims_page(frame, preview))
