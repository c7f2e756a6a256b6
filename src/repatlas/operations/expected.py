"""Every file that a plan implies, and what it should be."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
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


class Expectations(Mapping[Path, Expected]):
    """The files, each after those it is made from. What one should be is found when it is asked
    for: a job on a cluster, which reads the whole plan, asks for its own alone.

    whole: those of the whole config where these are of a part of it. A file that is what they say
    is expected to stay so.
    """

    def __init__(self, whole: Mapping[Path, Expected]):
        self._whole = whole
        self._made: dict[Path, tuple[Callable[[], Job], list[Path]]] = {}
        self._known: dict[Path, Expected] = {}

    def add(self, path: Path, job: Callable[[], Job], inputs: Iterable[Path]) -> None:
        """Add a file. `job` returns the job that makes it from these inputs, which were added
        before."""
        self._made[path] = job, list(inputs)

    def __getitem__(self, path: Path) -> Expected:
        if path not in self._known:
            self._known[path] = self._find(path)
        return self._known[path]

    def _find(self, path: Path) -> Expected:
        job, inputs = self._made[path]
        if path in self._whole and path.is_file():
            as_of_all = self._whole[path]
            if identity_stated(path) == as_of_all.identity:
                return as_of_all
        text = job().text
        known = identity(text, [self[source].identity for source in inputs])
        return Expected(job().stage, text, known, inputs)

    def __contains__(self, path: object) -> bool:
        return path in self._made

    def __iter__(self) -> Iterator[Path]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


def expected_files(plan: Plan) -> Mapping[Path, Expected]:
    """Every file that the plan implies, from the plan alone, each after those it is made from.

    Where the plan is of one figure alone, a file that is what the whole config implies is expected
    to stay so: it has what the figure needs. There are no claims then.
    """
    results = Path(plan.results)
    expected = Expectations({} if plan.whole is plan else expected_files(plan.whole))

    def expect(place: str, job: Callable[[], Job], *inputs: Path) -> Path:
        path = results / place
        expected.add(path, job, inputs)
        return path

    data = {}
    for experiment, name in plan.data:
        place = layout.DATA.format(experiment=experiment, data=name)
        data[experiment, name] = expect(place, _once(plan.data.get, (experiment, name)))
    runs, metrics = {}, {}
    for shard in plan.shards:
        sources = [data[plan.data_place(shard)]]
        if trains(shard.experiment):
            place = layout.RUNS.format(**shard.place)
            runs[shard] = expect(place, _once(plan.train_job, shard), *sources)
            sources.append(runs[shard])
        place = layout.METRICS.format(**shard.place)
        metrics[shard] = expect(place, _once(plan.measure_job, shard), *sources)
    pairs = {}
    for tile in plan.tiles:
        of_tile = [data[plan.data_place(shard)] for shard in tile.shards]
        of_tile += [runs[shard] for shard in tile.shards if shard in runs]
        place = layout.PAIRS.format(**tile.place)
        # One file may be of several shards.
        pairs[tile] = expect(place, _once(plan.compare_job, tile), *dict.fromkeys(of_tile))
    tables: dict[Product, Path] = {}
    for figure in plan.figures:
        sources = [metrics[shard] for shard in plan.shards_of(figure)]
        sources += [pairs[tile] for tile in plan.tiles_of(figure)]
        place = layout.TABLE.format(**figure.place)
        tables[figure] = expect(place, _once(plan.tabulate_job, figure), *sources)
        plots = _once(plan.plot_job, figure)
        for kind in (layout.PDF, layout.PNG):
            expect(kind.format(**figure.place), plots, tables[figure])
    for study in plan.judged:
        of_study = [tables[figure] for figure in plan.of_study(study)]
        judges = _once(plan.judge_job, study)
        for place in (layout.CLAIMS, layout.CLAIMS_PAGE):
            expect(place.format(study=study), judges, *of_study)
        claims = results / layout.CLAIMS.format(study=study)
        for page in plan.overviews(study):
            plots = _once(plan.plot_claims_job, page)
            for kind in (layout.PDF, layout.PNG):
                expect(kind.format(study=study, figure=page.name), plots, claims)
    return expected


def _once(make: Callable[..., Job], *of: object) -> Callable[[], Job]:
    """Return this job, made when it is first requested."""
    return cache(partial(make, *of))


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
