"""partial: draw the figures from what is measured so far, during a run or after an interruption.

Each figure is drawn from the seeds whose networks are all measured, by the present config and code.
The picture states how many seeds these are. A figure needs seed 0 in each role, since a single
network that it shows is of seed 0; without seed 0 the figure is listed and skipped. Nothing is
trained, measured or tested. Tables and figures are written to the folder `partial` of the results,
and the tables and figures of the full run stay as they are.
"""

import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from repatlas.artifacts import layout
from repatlas.artifacts.recipes.grids import experiment_of, grid_of
from repatlas.artifacts.recipes.study import TabulateJob, seeds_of
from repatlas.operations.expected import expected_files, is_there
from repatlas.operations.options import parser_of, read_plan, with_figure_option
from repatlas.plan.places import Product, Shard
from repatlas.plan.plan import Plan
from repatlas.record import Refused
from repatlas.stages import plot, tabulate

FOLDER = "partial"


def main(arguments: list[str]) -> None:
    parser = with_figure_option(parser_of("partial", __doc__))
    plan = read_plan(parser.parse_args(arguments))
    expected = expected_files(plan)
    metrics = {shard: expected[_metrics(plan, shard)] for shard in plan.shards}
    measured = {shard: wanted.path for shard, wanted in metrics.items() if is_there(wanted)}
    drawn = 0
    for figure in plan.figures:
        name, job = plan.name_of(figure), _job_of_measured_seeds(plan, figure, measured.keys())
        if _is_empty(job):
            print(f"{name}: nothing to draw yet")
            continue
        words = _how_far(job, plan.tabulate_job(figure))
        found = [measured[shard] for shard in plan.shards_of(figure) if shard in measured]
        pairs = [Path(plan.results, layout.PAIRS.format(**t.place)) for t in plan.tiles_of(figure)]
        compared = [expected[path].path for path in pairs if is_there(expected[path])]
        try:
            picture = _draw(plan, figure, job, found, compared, words)
        except Refused as error:
            print(f"{name}: {error}")
            continue
        drawn += 1
        print(f"{name}: {words or 'whole'}: {picture}")
    if not drawn:
        print(f"no figure has its networks of seed 0 yet, in {plan.results}")
        sys.exit(1)


def _metrics(plan: Plan, shard: Shard) -> Path:
    return Path(plan.results, layout.METRICS.format(**shard.place))


def _job_of_measured_seeds(plan: Plan, figure: Product, measured: Collection[Shard]) -> TabulateJob:
    """Return the job of the table of a figure, with only the seeds of each grid whose networks are
    all measured."""

    def with_seeds(sweep: dict[str, Any]) -> dict[str, Any]:
        experiment, families = experiment_of(sweep), grid_of(sweep).families
        there = [
            seed
            for seed in seeds_of(sweep)
            if all(Shard(experiment, family, seed) in measured for family in families)
        ]
        return sweep | {"seeds": there}

    job = plan.tabulate_job(figure)
    sweeps = {role: [with_seeds(each) for each in grids] for role, grids in job.sweeps.items()}
    return job.model_copy(update={"sweeps": sweeps})


def _is_empty(job: TabulateJob) -> bool:
    """Return True if a role lacks seed 0, which figures show if they show a single network."""
    return any(
        not any(0 in each["seeds"] for each in grids) for grids in job.sweeps.values() if grids
    )


def _how_far(job: TabulateJob, whole: TabulateJob) -> str:
    """Return how many of the seeds are measured, in words; nothing if all are."""
    both = {
        (len(each["seeds"]), of["seeds"])
        for role, grids in job.sweeps.items()
        for each, of in zip(grids, whole.sweeps[role], strict=True)
    }
    if all(there == seeds for there, seeds in both):
        return ""
    return " of ".join(_range({each[place] for each in both}) for place in (0, 1)) + " seeds"


def _range(numbers: set[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def _draw(
    plan: Plan,
    figure: Product,
    job: TabulateJob,
    metrics: list[Path],
    pairs: list[Path],
    words: str,
) -> Path:
    """Write the table and the figure, and return the path of the PNG."""
    places = (layout.TABLE, layout.PDF, layout.PNG)
    table, pdf, png = (Path(plan.results, FOLDER, place.format(**figure.place)) for place in places)
    for path in (table, pdf):
        path.parent.mkdir(parents=True, exist_ok=True)
    files = ["--metrics", *map(str, metrics), "--pairs", *map(str, pairs)]
    tabulate.main(["--job", job.text, "--output", str(table), *files])
    plotted = plan.plot_job(figure).model_copy(update={"partial": words or None})
    files = ["--table", str(table), "--output", str(pdf), "--png", str(png)]
    plot.main(["--job", plotted.text, *files])
    return png
