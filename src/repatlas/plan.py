"""From the config to jobs: which shards there are, and what each job depends on.

A shard is an experiment, one family of its networks and one seed: a job trains them together.
Everything here is pure, and needs neither torch nor pandas.
"""

import hashlib
import json
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from repatlas.artifacts import layout
from repatlas.artifacts.headers import identity_stated
from repatlas.artifacts.jobs import (
    Job,
    JudgeJob,
    MeasureJob,
    PlotJob,
    PrepareJob,
    ReportJob,
    TabulateJob,
    TrainJob,
)
from repatlas.artifacts.provenance import identity
from repatlas.claims.ledger import LEDGER, read_ledger
from repatlas.config.config import Config, Sweep
from repatlas.config.images import ImageSweep
from repatlas.named import named

PAGE = Path(__file__).parent / "report/page"
"""The files of the report page that are no Python, so that its fingerprint doesn't cover them."""
AnySweep = Sweep | ImageSweep
GRID = {"experiment", "data_set", "pairing", "task", "network", "training", "steps", "epochs"}
"""The keys of a sweep that say which networks it has, and when they are stored."""
MEASURING = {"measures", "more_measures"}


class Shard(NamedTuple):
    experiment: str
    family: str
    seed: int

    @property
    def place(self) -> dict[str, Any]:
        """What stands in the names of its files."""
        return self._asdict()


class Plan:
    """The jobs of a config, whose results have a folder of their own, with a preview's in it."""

    def __init__(self, config: Config, folder: str = "results"):
        self.config = config.part().edition()
        self.whole = (
            self if config.only is None else Plan(config.model_copy(update={"only": None}), folder)
        )
        """The same plan, but of everything that the config names."""
        self.folder = folder
        editions = [folder, f"{folder}/preview"]
        self.results, self.twin = reversed(editions) if config.preview else editions
        """Of this edition and of the other: a network found there isn't trained again."""
        self.figures = self.config.figures.chosen()
        self.data_sweeps = self.config.data_sweeps()
        self.products = self.config.products()

    def files(self, product: str) -> list[Path]:
        """The files of a figure, or the metrics of a sweep."""
        if product in self.figures:
            places = [each.format(figure=product) for each in (layout.PDF, layout.PNG)]
        else:
            places = [layout.METRICS.format(**shard.place) for shard in self.sweep_shards(product)]
        return [Path(self.results) / place for place in places]

    @cached_property
    def sweeps(self) -> list[AnySweep]:
        """All sweeps of networks: those of the config by name, and those on images that figures
        draw."""
        return [*self.config.sweeps.values(), *self.image_sweeps]

    @property
    def image_sweeps(self) -> list[ImageSweep]:
        """Those that figures draw."""
        drawn = any(figure.draws_images for figure in self.figures.values())
        if not drawn or self.config.images is None:
            return []
        return self.config.image_sweeps[self.config.images]

    def figure_sweeps(self, figure: str) -> dict[str, list[AnySweep]]:
        """The sweeps of each role of a figure."""
        chosen = self.figures[figure]
        found: dict[str, list[AnySweep]] = {
            role: [self.config.sweeps[name] for name in names]
            for role, names in chosen.sweeps().items()
        }
        return found | ({"images": self.image_sweeps} if self._draws_images(figure) else {})

    def _draws_images(self, figure: str) -> bool:
        return self.figures[figure].draws_images and bool(self.image_sweeps)

    @cached_property
    def shards(self) -> list[Shard]:
        return sorted({shard for sweep in self.sweeps for shard in _shards(sweep)})

    def sweep_shards(self, name: str) -> list[Shard]:
        return _shards(self.config.sweeps[name])

    def figure_shards(self, figure: str) -> list[Shard]:
        sweeps = [sweep for of_role in self.figure_sweeps(figure).values() for sweep in of_role]
        return sorted({shard for sweep in sweeps for shard in _shards(sweep)})

    def networks(self, product: str) -> set[tuple[Shard, str]]:
        """The networks that a figure, or a sweep without one, needs: their shard and key."""
        if product in self.figures:
            roles = self.figure_sweeps(product).values()
            sweeps = [sweep for of_role in roles for sweep in of_role]
        else:
            sweeps = [self.config.sweeps[product]]
        return {
            (Shard(sweep.experiment, spec.family, seed), spec.key)
            for sweep in sweeps
            for spec in sweep.specs()
            for seed in range(sweep.seeds)
        }

    @cached_property
    def data(self) -> dict[tuple[str, str], PrepareJob]:
        """The job of each file of data, by experiment and place."""
        wanted: dict[tuple[str, str], set[str]] = {}
        seeds: dict[tuple[str, str], set[int]] = {}
        for shard in self.shards:
            place = self.data_place(shard)
            seeds.setdefault(place, set()).add(shard.seed)
            for sweep in self._sweeps(shard):
                about = sweep.data(shard.family, shard.seed)[1]
                about |= self._source_content(shard.experiment, about)
                wanted.setdefault(place, set()).add(json.dumps(about, sort_keys=True))
        jobs = {}
        for (experiment, place), texts in sorted(wanted.items()):
            own = named(f"experiments.{experiment}", "prepare").OWN_DATA
            job = PrepareJob(
                experiment=experiment,
                data=place,
                seed=min(seeds[experiment, place]) if own else None,
                wanted=_sorted_records(texts),
            )
            jobs[experiment, place] = self._job(job)
        return jobs

    def data_place(self, shard: Shard) -> tuple[str, str]:
        """Experiment and place of the data of a shard."""
        return self._data_places[shard]

    def source(self, data: str) -> dict[str, Any]:
        """Where the user's files of these data are; nothing where none are needed."""
        source = self.config.image_sets.get(data)
        return source.model_dump(mode="json", exclude={"subset"}) if source else {}

    def train_job(self, shard: Shard) -> TrainJob:
        return self._job(TrainJob(**shard.place, grids=self._grids(shard, GRID)))

    def measure_job(self, shard: Shard) -> MeasureJob:
        decoders = self.decoders_of(shard).model_dump(mode="json")
        grids = self._grids(shard, GRID | MEASURING)
        return self._job(MeasureJob(**shard.place, grids=grids, decoders=decoders))

    def decoders_of(self, shard: Shard):
        """Those of any sweep of the family: the config lets them all have the same."""
        for name, sweep in self.config.sweeps.items():
            if shard.family in sweep.families:
                return self.config.decoders_of(name)
        return self.config.decoders

    def tabulate_job(self, figure: str) -> TabulateJob:
        sweeps = {
            role: _sorted_records(
                {
                    json.dumps(_record(sweep, GRID) | {"seeds": sweep.seeds}, sort_keys=True)
                    for sweep in sweeps
                }
            )
            for role, sweeps in self.figure_sweeps(figure).items()
        }
        return self._job(TabulateJob(figure=figure, step=self._step(figure), sweeps=sweeps))

    def plot_job(self, figure: str) -> PlotJob:
        style = self.config.style.model_dump(mode="json")
        roles = self.figure_sweeps(figure).values()
        shown = {name for sweeps in roles for sweep in sweeps for name in sweep.network.activation}
        # Of the activations that it draws, so that another one's changes no figure.
        style["colours"] = {k: colour for k, colour in style["colours"].items() if k in shown}
        job = PlotJob(
            figure=figure, step=self._step(figure), style=style, preview=self.config.preview
        )
        return self._job(job)

    def judge_job(self) -> JudgeJob:
        ledger = read_ledger()  # so that a mistake in it is found before anything runs
        named_by = {
            module
            for figure in self.figures
            for module in self.tabulate_job(figure).modules()
            if module.startswith(("experiments", "networks"))
        }
        digest = hashlib.sha256(LEDGER.read_bytes()).hexdigest()[:12]
        about = sorted(named_by | ledger.modules())
        return self._job(JudgeJob(ledger=digest, about=about, preview=self.config.preview))

    def report_job(self) -> ReportJob:
        content = b"".join(path.read_bytes() for path in sorted(PAGE.iterdir()))
        page = hashlib.sha256(content).hexdigest()[:12]
        return self._job(ReportJob(page=page, preview=self.config.preview))

    def facts(self, figure: str) -> dict:
        """What the caption of a figure may say: for each role of its sweeps every setting of their
        networks, as the list of its values, and the number of seeds likewise; and the training step
        that the figure shows, if one."""
        chosen = self.figures[figure]
        found = {role: _settings(sweeps) for role, sweeps in self.figure_sweeps(figure).items()}
        if chosen.draws_images:
            found.setdefault("images", {})
        for role, names in chosen.sweeps().items():
            deviations = [self.config.decoders_of(name).test_deviations for name in names]
            found[role]["test_deviations"] = sorted(set().union(*deviations))
        return found | {"step": self._step(figure)}

    def _step(self, figure: str) -> int | None:
        return getattr(self.figures[figure], "step", None)

    def _source_content(self, experiment: str, about: dict) -> dict[str, Any]:
        """What of the user's files the data depend on."""
        prepare = named(f"experiments.{experiment}", "prepare")
        if not hasattr(prepare, "depends_on"):
            return {}
        found = self.config.image_sets.get(about["data_set"])
        return prepare.depends_on(about, found.model_dump(mode="json") if found else {})

    @cached_property
    def _data_places(self) -> dict[Shard, tuple[str, str]]:
        return {
            shard: (shard.experiment, self._sweeps(shard)[0].data(shard.family, shard.seed)[0])
            for shard in self.shards
        }

    def _grids(self, shard: Shard, fields: set[str]) -> list[dict]:
        return _sorted_records(
            {json.dumps(_record(sweep, fields), sort_keys=True) for sweep in self._sweeps(shard)}
        )

    def _job(self, job: Job) -> Any:
        return job.with_code(self.config.accept_code)

    def _sweeps(self, shard: Shard) -> list[AnySweep]:
        return [
            sweep
            for sweep in self._sweeps_of.get((shard.experiment, shard.family), [])
            if shard.seed < sweep.seeds
        ]

    @cached_property
    def _sweeps_of(self) -> dict[tuple[str, str], list[AnySweep]]:
        found: dict[tuple[str, str], list[AnySweep]] = {}
        for sweep in self.sweeps:
            for family in sweep.families:
                found.setdefault((sweep.experiment, family), []).append(sweep)
        return found


def _shards(sweep: AnySweep) -> list[Shard]:
    return [
        Shard(sweep.experiment, family, seed)
        for family in sweep.families
        for seed in range(sweep.seeds)
    ]


def _settings(sweeps: Iterable[AnySweep]) -> dict[str, list]:
    """Every value of each setting, in ascending order where they are numbers."""
    found: dict[str, list] = {}
    for sweep in sweeps:
        values = sweep.model_dump(mode="json")
        for part in (values.get("task", {}), values["network"], values["training"], values):
            for name, value in part.items():
                of_setting = found.setdefault(name, [])
                several = value if isinstance(value, list) else [value]
                of_setting += [each for each in several if each not in of_setting]
    return {
        name: sorted(values) if all(type(v) in (int, float) for v in values) else values
        for name, values in found.items()
    }


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
    metrics = {}
    for shard in plan.shards:
        source = data[plan.data_place(shard)]
        runs = expect(layout.RUNS.format(**shard.place), plan.train_job(shard), source)
        job = plan.measure_job(shard)
        metrics[shard] = expect(layout.METRICS.format(**shard.place), job, source, runs)
    tables = []
    for figure in plan.figures:
        sources = [metrics[shard] for shard in plan.figure_shards(figure)]
        place = layout.TABLE.format(figure=figure)
        tables.append(expect(place, plan.tabulate_job(figure), *sources))
        job = plan.plot_job(figure)
        for kind in (layout.PDF, layout.PNG):
            expect(kind.format(figure=figure), job, tables[-1])
    for place in (layout.CLAIMS, layout.CLAIMS_PAGE) if plan.whole is plan else ():
        expect(place, plan.judge_job(), *tables)
    return expected


def set_aside(expected: Iterable[Path]) -> list[Path]:
    """Of these files those that were set aside, since they were damaged, and not made again."""
    missing = [path for path in expected if not path.exists()]
    return [path for path in missing if any(path.parent.glob(f"{path.name}.aside-*"))]


def _record(sweep: AnySweep, fields: set[str]) -> dict:
    named_by = {} if sweep.experiment == "clusters" else {"experiment": sweep.experiment}
    values = sweep.model_dump(mode="json", include=fields, exclude_defaults=True)
    if "measures" in fields:
        values["measures"] = list(sweep.measures)
    return values | named_by


def _sorted_records(texts: set[str]) -> list[dict]:
    """Each once, in an order that the config's order doesn't change."""
    return [json.loads(text) for text in sorted(texts)]
