"""What the terminal shows of a run: how long it takes, and the paths of the figures at its end."""

import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from repatlas.artifacts import layout
from repatlas.operations.blocks import Blocks
from repatlas.operations.ending import ending
from repatlas.operations.expected import Expected, missing
from repatlas.operations.terminal import Run
from repatlas.operations.time_left import TimeLeft, expected_seconds
from repatlas.plan.plan import Plan

TARGETS = {"all", "write_reports"}
"""Rules that name the files that a command asks for, in addition to one for each study."""


def run_ahead(
    plan: Plan,
    expected: Mapping[Path, Expected],
    blocks: Blocks,
    asked: Iterable[Path],
    workers: int,
) -> Run:
    """Return how long the missing files among these, and all that they are made from, will take.
    workers: how many jobs run at a time."""
    jobs = {}
    for path in missing(expected, asked):
        [known] = blocks.known([path])
        wanted = expected[known]
        jobs[wanted.identity] = wanted.stage, wanted.job, len(blocks.together(known))
    seconds = expected_seconds(jobs, [Path(plan.folder), Path(plan.folder) / "preview"])
    return Run(
        TimeLeft(seconds, workers, time.monotonic),
        lambda path: expected[path].identity if path in expected else str(path),
        TARGETS | {*plan.studies},
    )


def run_end(plan: Plan, targets: Iterable[str], drawn: int) -> str:
    """Return what a run that went well says at its end. targets: the files and rules that its
    command names. drawn: how many figures it drew."""
    asked = {*targets}
    everything = not asked or asked & TARGETS
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
