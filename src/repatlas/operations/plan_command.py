"""plan: networks to train, jobs and core-minutes, for each figure and in all.

A sweep that no figure draws has a separate line. A network that two figures need is counted for
both, and once in all.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from repatlas.artifacts.files import Unreadable, read_header
from repatlas.artifacts.recipes.networks import ShardJob, TrainJob
from repatlas.artifacts.runs import Parts, serves
from repatlas.artifacts.versions import versions
from repatlas.named import names
from repatlas.operations.blocks import Blocks
from repatlas.operations.costs import cost
from repatlas.operations.expected import Expectations, expected_files, is_there, missing
from repatlas.operations.freshness import job_of
from repatlas.operations.options import parser_of, read_plan, with_figure_option
from repatlas.plan.places import Product, Shard
from repatlas.plan.plan import Plan

LINE = "{:{width}}{:>10}{:>7}{:>14}"


def main(arguments: list[str]) -> None:
    parser = with_figure_option(parser_of("plan", __doc__))
    text = "this study alone; may be given for several"
    parser.add_argument("--study", choices=names("studies"), action="append", help=text)
    options = parser.parse_args(arguments)
    plan = read_plan(options)
    files = expected_files(plan)
    products = [each for each in plan.products if each.study in (options.study or plan.studies)]
    lines = {plan.name_of(product): [product] for product in products} | {"in all": products}
    width = max(map(len, ["figure", *lines])) + 2
    print(LINE.format("figure", "networks", "jobs", "core-minutes", width=width))
    for name, of_line in lines.items():
        networks, jobs, seconds = work_left(plan, of_line, files)
        print(LINE.format(name, networks, jobs, f"{seconds / 60:.1f}", width=width))
    print("Minutes are of one core of an AMD EPYC, also where a GPU would train.")
    sizes = [path.stat().st_size for path in plan.store.rglob("*") if path.is_file()]
    print(f"{plan.store}: {len(sizes)} files, {sum(sizes) / 1e6:.0f} MB, of all configs")


def work_left(plan: Plan, products: list[Product], files: Expectations) -> tuple[int, int, float]:
    """Return the networks to train, the jobs and their seconds for these figures, or sweeps without
    one."""
    needed = set().union(*map(plan.networks, products))
    blocks = Blocks(files, lambda name: is_there(files[name]))
    networks, seconds, starts = 0, 0.0, {}
    for path in missing(files, [path for product in products for path in plan.files(product)]):
        job, keys = job_of(files[path]), None
        if isinstance(job, ShardJob):
            shard = Shard(job.experiment, job.family, job.seed)
            keys = {key for key in job.wanted() if (shard, key) in needed}
            if isinstance(job, TrainJob):
                keys -= _trained(files[path].path, job, files[files[path].inputs[0]].path)
                networks += len(keys)
        start, work = cost(job, keys)
        [known] = blocks.known([path])
        starts[known.with_suffix("")] = start  # one job draws PDF and PNG
        seconds += work
    return networks, len(starts), sum(starts.values()) + seconds


def _trained(path: Path, job: TrainJob, data: Path) -> set[str]:
    """Return the keys of the networks that other versions of a file have at all their steps."""
    digests: dict[str, str] = {}
    for header in _headers(versions(data), "data"):
        digests = header["digests"] | digests
    wanted, basis = job.wanted(), job.basis(digests)
    return {
        key
        for header in _headers([*versions(path), *Parts(path).files()], "runs")
        for key, about in header["runs"].items()
        if key in wanted
        and about["steps"][-1] >= wanted[key].steps[-1]
        and serves(about, wanted[key].steps, basis[key])
    }


def _headers(paths: Iterable[Path], kind: str) -> Iterator[dict]:
    for path in paths:
        with suppress(Unreadable):
            yield read_header(path, kind)
