"""partial: draw the figures from what is measured so far.

Each figure has the seeds whose networks are all measured, and states how many these are. It needs
seed 0 in each of its parts, since a single network that a figure shows is of seed 0. Tables and
pictures are written to the folder `partial` of the results; all others stay as they are.
"""

import sys
from itertools import chain

from repatlas.record import Refused
from repatlas.workflow.commands import asked, is_there
from repatlas.workflow.plan import Plan, Result
from repatlas.workflow.stages.plot import Inputs, write_figure


def main(arguments: list[str]) -> None:
    plan, results = asked("partial", __doc__, arguments)
    there = {each for each in results if is_there(plan, each)}
    said = {f"{r.what[0]}/{r.what[1]}": _draw(plan, r, there) for r in results if r.stage == "plot"}
    for figure, words in said.items():
        print(f"{figure}: {words}")
    if not any(".png" in words for words in said.values()):
        sys.exit(1)


def _draw(plan: Plan, result: Result, there: set[Result]) -> str:
    """Write the picture of a figure from the results that are there, and return what it has."""
    (study, name, options), numbers = result.what, set()
    for sweeps in options.sweeps().values():
        groups = [each for sweep in sweeps for each in plan.metrics_of(study, sweep)]
        seeds = [seed for each in groups if each in there for seed in each.what.seeds]
        if groups and 0 not in seeds:
            return "nothing to draw yet"
        numbers.add((len(seeds), sum(len(each.what.seeds) for each in groups)))
    words = f"{' of '.join(map(_range, zip(*numbers, strict=True)))} seeds"
    if {*chain(*result.inputs.values())} <= there:
        words = None
    folder = plan.folder / "partial" / study
    try:
        table = Inputs(plan, study, there.__contains__).table(options)
        paths = [folder / "tables" / f"{name}.parquet"]
        paths += [folder / "figures" / f"{name}.{suffix}" for suffix in ("pdf", "png")]
        write_figure(paths, result.recipe, table, lambda: {"job": result.recipe}, words)
    except Refused as error:
        return str(error)
    return f"{words or 'whole'}: {paths[-1]}"


def _range(numbers: tuple[int, ...]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"
