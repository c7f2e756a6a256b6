"""Every file that a plan implies, and what it should be."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from repatlas.artifacts import layout
from repatlas.artifacts.headers import identity_stated
from repatlas.artifacts.jobs import Job, trains
from repatlas.artifacts.provenance import identity
from repatlas.plan.places import Product
from repatlas.plan.plan import Plan


class Expected(NamedTuple):
    stage: str
    job: str
    identity: str
    inputs: list[Path]


def expected_files(plan: Plan) -> dict[Path, Expected]:
    """Every file that the plan implies, from the plan alone, each after those it is made from.

    Where the plan is of one figure alone, a file that is what the whole config implies is expected
    to stay so: it has what the figure needs. There are no claims then.
    """
    results = Path(plan.results)
    expected: dict[Path, Expected] = {}
    whole = {} if plan.whole is plan else expected_files(plan.whole)

    def expect(place: str, job: Job, *inputs: Path) -> Path:
        path, text = results / place, job.text
        known = identity(text, [expected[source].identity for source in inputs])
        expected[path] = Expected(job.stage, text, known, list(inputs))
        if path in whole and path.is_file() and identity_stated(path) == whole[path].identity:
            expected[path] = whole[path]
        return path

    data = {
        place: expect(layout.DATA.format(experiment=place[0], data=place[1]), job)
        for place, job in plan.data.items()
    }
    runs, metrics = {}, {}
    for shard in plan.shards:
        sources = [data[plan.data_place(shard)]]
        if trains(shard.experiment):
            job = plan.train_job(shard)
            runs[shard] = expect(layout.RUNS.format(**shard.place), job, *sources)
            sources.append(runs[shard])
        job = plan.measure_job(shard)
        metrics[shard] = expect(layout.METRICS.format(**shard.place), job, *sources)
    pairs = {}
    for tile in plan.tiles:
        of_tile = [data[plan.data_place(shard)] for shard in tile.shards]
        of_tile += [runs[shard] for shard in tile.shards if shard in runs]
        place, job = layout.PAIRS.format(**tile.place), plan.compare_job(tile)
        # One file may be of several shards.
        pairs[tile] = expect(place, job, *dict.fromkeys(of_tile))
    tables: dict[Product, Path] = {}
    for figure in plan.figures:
        sources = [metrics[shard] for shard in plan.shards_of(figure)]
        sources += [pairs[tile] for tile in plan.tiles_of(figure)]
        place = layout.TABLE.format(**figure.place)
        tables[figure] = expect(place, plan.tabulate_job(figure), *sources)
        job = plan.plot_job(figure)
        for kind in (layout.PDF, layout.PNG):
            expect(kind.format(**figure.place), job, tables[figure])
    for study in plan.judged:
        of_study = [tables[figure] for figure in plan.of_study(study)]
        for place in (layout.CLAIMS, layout.CLAIMS_PAGE):
            expect(place.format(study=study), plan.judge_job(study), *of_study)
        claims = results / layout.CLAIMS.format(study=study)
        for page in plan.overviews(study):
            for kind in (layout.PDF, layout.PNG):
                place = kind.format(study=study, figure=page.name)
                expect(place, plan.plot_claims_job(page), claims)
    return expected


def set_aside(expected: Iterable[Path]) -> list[Path]:
    """The files that were set aside, since they were damaged, and were not made again."""
    missing = [path for path in expected if not path.exists()]
    # Each folder is looked at once: it may have thousands of files.
    named_aside = {
        folder / name.rpartition(".aside-")[0]
        for folder in {path.parent for path in missing}
        for name in (os.listdir(folder) if folder.is_dir() else ())
        if ".aside-" in name
    }
    return [path for path in missing if path in named_aside]
