"""What the terminal shows of a run: the jobs ahead, and the paths of the figures at its end."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from repatlas.artifacts import layout
from repatlas.operations.blocks import Blocks
from repatlas.operations.ending import ending
from repatlas.operations.expected import Expected
from repatlas.operations.terminal import Run
from repatlas.operations.time_left import TimeLeft, expected_seconds
from repatlas.plan.plan import Plan


def run_ahead(workflow: Any, plan: Plan, expected: Mapping[Path, Expected], blocks: Blocks) -> Run:
    """Return the jobs that Snakemake will run, in words, and how long they take. The graph is read
    for display, and decides nothing here."""
    jobs = {job.jobid: job for job in workflow.dag.needrun_jobs() if not job.is_norun}
    made = {number: Path(next(iter(job.output), "")) for number, job in jobs.items()}
    seconds = expected_seconds(
        {
            number: (expected[path].stage, expected[path].job, len(blocks.together(path)))
            if path in expected
            else None
            for number, path in made.items()
        },
        [Path(plan.folder), Path(plan.folder) / "preview"],
    )
    settings = workflow.resource_settings
    return Run(
        {number: job.message or job.rule.name for number, job in jobs.items()},
        TimeLeft(seconds, settings.nodes or settings.cores, time.monotonic),
        sum(path.suffix == ".pdf" for path in made.values()),
    )


def run_end(workflow: Any, plan: Plan, drawn: int) -> str:
    """Return what a run that went well says at its end. drawn: how many figures it drew."""
    asked = {*workflow.dag_settings.targets}
    everything = not asked or asked & {"all", "complete", "write_reports"}
    pages_of_claims = [page for study in plan.studies for page in plan.overviews(study)]
    figures = [*plan.multiverses, *plan.figures, *pages_of_claims]
    pictures = [
        png
        for figure in sorted(figures, key=lambda each: [*plan.studies].index(each.study))
        for pdf, png in [plan.pictures(figure)]
        if everything or asked & {figure.study, str(pdf), str(png)}
    ]
    places = [layout.REPORT.format(study=study) for study in plan.studies]
    pages = [Path(plan.results, place) for place in places if "write_reports" in asked]
    return ending(pictures, drawn, pages)
