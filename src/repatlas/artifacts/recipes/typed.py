"""The typed job of a text from the header of a file."""

from typing import Any

from repatlas.artifacts.recipes.networks import MeasureJob, PrepareJob, TrainJob
from repatlas.artifacts.recipes.pairs import CompareJob, CompareNetworksJob
from repatlas.artifacts.recipes.study import (
    JudgeJob,
    MultiverseJob,
    PlotClaimsJob,
    PlotJob,
    ReportJob,
    TabulateJob,
)

JOBS = {
    job.stage: job
    for job in (
        *(PrepareJob, TrainJob, MeasureJob, CompareJob, CompareNetworksJob),
        *(TabulateJob, PlotJob, JudgeJob, MultiverseJob, PlotClaimsJob),
        ReportJob,
    )
}
"""The type of job of each stage."""


def parsed(stage: str, text: str) -> Any:
    """Return the typed job of a text."""
    return JOBS[stage].model_validate_json(text)
