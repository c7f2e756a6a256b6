"""Every file that a plan implies, by its name in the results, and what it should be."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from repatlas.artifacts import layout
from repatlas.artifacts.headers import identity_stated
from repatlas.artifacts.provenance import identity
from repatlas.artifacts.recipes.job import Job
from repatlas.artifacts.recipes.networks import trains
from repatlas.config.multiverse import number_of
from repatlas.named import named
from repatlas.plan.places import Product, Shard
from repatlas.plan.plan import Plan

TABLES = 16
"""Settings of a multiverse whose tables, or comparisons, one job makes."""


class Expected(NamedTuple):
    stage: str
    job: str
    identity: str
    inputs: list[Path]
    """The names of the files that it is made from"""
    path: Path
    """The place in the store, which ends in the identity"""


class Expectations(Mapping[Path, Expected]):
    """The files of a plan by their names, each after those it is made from. What a file should be
    is found when it is asked for: a job on a cluster, which reads the whole plan, asks for its own
    files alone.

    whole: the files of the whole config, if the plan is of a part. If such a file is there, it is
    expected: it has what the part needs.
    """

    def __init__(self, plan: Plan, whole: Mapping[Path, Expected]):
        self._results, self._store, self._whole = Path(plan.results), plan.store, whole
        self._made: dict[
            Path, tuple[str, Callable[[], Job], list[Path], Callable[[], list[str]]]
        ] = {}
        self._known: dict[Path, Expected] = {}
        self._blocks: dict[tuple, list[Path]] = {}
        self._block_of: dict[Path, list[Path]] = {}

    def add(
        self,
        place: str,
        job: Callable[[], Job],
        *inputs: Path,
        depends: Callable[[], list[str]] | None = None,
        block: tuple = (),
    ) -> Path:
        """Add a file, and return its name. `job` returns the job that makes it from these inputs,
        which were added before. Its identity follows from the job and from `depends`, or else from
        the identities of the inputs. One run of a command makes all files of the same block; a
        file without a block is made alone."""
        path, sources = self._results / place, list(inputs)
        self._made[path] = place, job, sources, depends or partial(self._identities, sources)
        if block:
            self._block_of[path] = self._blocks.setdefault(block, [])
            self._block_of[path].append(path)
        return path

    def block_of(self, path: Path) -> list[Path]:
        """Return the files of the block of a file, with the file itself."""
        return self._block_of.get(path, [path])

    def _identities(self, inputs: list[Path]) -> list[str]:
        return [self[source].identity for source in inputs]

    def __getitem__(self, path: Path) -> Expected:
        if path not in self._known:
            self._known[path] = self._find(path)
        return self._known[path]

    def _find(self, path: Path) -> Expected:
        place, make, inputs, depends = self._made[path]
        if path in self._whole and is_there(self._whole[path]):
            return self._whole[path]
        job = make()
        text = job.text
        known = identity(text, depends())
        stored = self._store / layout.stored(place, known)
        return Expected(job.stage, text, known, inputs, stored)

    def __contains__(self, path: object) -> bool:
        return path in self._made

    def __iter__(self) -> Iterator[Path]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


def expected_files(plan: Plan) -> Expectations:
    """Return every file that the plan implies, each after those it is made from.

    The identity of a table follows from the grids that its figure draws. It does not follow from
    the files of their networks, since these hold other networks, too.
    """
    expected = Expectations(plan, {} if plan.is_whole else expected_files(plan.whole))
    blocks = {shard: _block_of_seeds(shard) for shard in plan.shards}
    data: dict[tuple[str, str], Path] = {}
    for shard, block in blocks.items():
        if (of_shard := plan.data_place(shard)) not in data:
            experiment, name = of_shard
            place = layout.DATA.format(experiment=experiment, data=name)
            own = named(f"experiments.{experiment}", "prepare").OWN_DATA
            data[of_shard] = expected.add(
                place,
                partial(plan.data.__getitem__, of_shard),
                block=("prepare", *block) if own else (),
            )
    runs, metrics = {}, {}
    for shard, block in blocks.items():
        sources = [data[plan.data_place(shard)]]
        if trains(shard.experiment):
            place, job = layout.RUNS.format(**shard.place), partial(plan.train_job, shard)
            runs[shard] = expected.add(place, job, *sources, block=("train", *block))
            sources.append(runs[shard])
        place, measures = layout.METRICS.format(**shard.place), partial(plan.measure_job, shard)
        metrics[shard] = expected.add(place, measures, *sources, block=("measure", *block))
    pairs = {}
    for tile in plan.tiles:
        of_tile = [data[plan.data_place(shard)] for shard in tile.shards]
        of_tile += [runs[shard] for shard in tile.shards if shard in runs]
        place = layout.PAIRS.format(**tile.place)
        pairs[tile] = expected.add(
            place,
            partial(plan.compare_job, tile),
            *dict.fromkeys(of_tile),  # one file may be of several shards
            depends=partial(plan.compared_by, tile),
            block=_block_of_settings("compare", tile.study, tile.comparison),
        )
    tables: dict[Product, Path] = {}
    for figure in plan.tables:
        compared = [pairs[tile] for tile in plan.tiles_of(figure)]
        place = layout.TABLE.format(**figure.place)
        is_drawn = figure in plan.figures
        tables[figure] = expected.add(
            place,
            partial(plan.tabulate_job, figure),
            *(metrics[shard] for shard in plan.shards_of(figure)),
            *compared,
            depends=partial(_table_depends_on, plan, figure, expected, compared),
            block=() if is_drawn else _block_of_settings("tabulate", *figure),
        )
        if not is_drawn:
            continue
        plots = _once(plan.plot_job, figure)
        for kind in (layout.PDF, layout.PNG):
            expected.add(kind.format(**figure.place), plots, tables[figure])
    for study in plan.judged:
        of_study = [tables[figure] for figure in plan.study_figures(study)]
        judges = _once(plan.judge_job, study)
        claims, _ = [
            expected.add(place.format(study=study), judges, *of_study)
            for place in (layout.CLAIMS, layout.CLAIMS_PAGE)
        ]
        for page in plan.overviews(study):
            plots = _once(plan.plot_claims_job, page)
            for kind in (layout.PDF, layout.PNG):
                expected.add(kind.format(study=study, figure=page.name), plots, claims)
    for study, _ in plan.multiverses:
        of_settings = [tables[figure] for figure in plan.figures_of_settings(study)]
        judges = _once(plan.multiverse_job, study)
        for place in (
            *(layout.MULTIVERSE_PDF, layout.MULTIVERSE_PNG),
            *(layout.MULTIVERSE_PAGE, layout.MULTIVERSE_TABLE),
        ):
            expected.add(place.format(study=study), judges, *of_settings)
    return expected


def is_there(wanted: Expected) -> bool:
    """Return True if a file is in the store, by its header. Its content is not checked."""
    return wanted.path.is_file() and identity_stated(wanted.path) == wanted.identity


def missing(expected: Mapping[Path, Expected], wanted: Iterable[Path]) -> dict[Path, Expected]:
    """Return the files that have to be made for these, each after its inputs. A file that is there
    is right, whatever it was made from."""
    waiting, found = list(wanted), set()
    while waiting:
        path = waiting.pop()
        if path not in found and not is_there(expected[path]):
            found.add(path)
            waiting += expected[path].inputs
    return {path: expected[path] for path in expected if path in found}


def _table_depends_on(
    plan: Plan, figure: Product, expected: Mapping[Path, Expected], compared: list[Path]
) -> list[str]:
    return [*plan.networks_of(plan.sweeps_of(figure)), *(expected[p].identity for p in compared)]


def _block_of_seeds(shard: Shard) -> tuple:
    """Return the block of a shard: some seeds of its family, which a job makes one after the other,
    since its own start takes seconds. The seed alone decides, so that more seeds change none."""
    most = named(f"experiments.{shard.experiment}", "size").MOST_SEEDS
    return shard.experiment, shard.family, layout.block(shard.seed, most)


def _block_of_settings(stage: str, study: str, name: str) -> tuple:
    """Return the block of the table, or the comparison, of a setting of a multiverse; an empty one
    for others."""
    number, base = number_of(name), name.rpartition("_setting")[0]
    return () if number is None else (stage, study, base, number // TABLES)


def _once(make: Callable[..., Job], *of: object) -> Callable[[], Job]:
    """Return this job, made when it is first requested."""
    return cache(partial(make, *of))
