"""The typed job of a text from the header of a file."""

from typing import Any

from repatlas.artifacts.jobs import (
    CompareJob,
    CompareNetworksJob,
    MeasureJob,
    PrepareJob,
    TrainJob,
    kind_of_comparison,
)
from repatlas.artifacts.study_jobs import (
    JudgeJob,
    PlotClaimsJob,
    PlotJob,
    ReportJob,
    TabulateJob,
)

JOBS = {
    job.stage: job
    for job in (
        *(PrepareJob, TrainJob, MeasureJob, TabulateJob),
        *(PlotJob, JudgeJob, PlotClaimsJob, ReportJob),
    )
}
"""The kind of job of each stage, except `compare`, which has two."""


def parsed(stage: str, text: str) -> Any:
    """Return the typed job of a text."""
    if stage != CompareJob.stage:
        return JOBS[stage].model_validate_json(text)
    job = CompareNetworksJob if kind_of_comparison(text) == "networks" else CompareJob
    return job.model_validate_json(text)
