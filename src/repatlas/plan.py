"""From the config to jobs: which shards there are, and what each job depends on.

A shard is one family and one seed: a job trains all its networks together. A job is one JSON text
that holds exactly what its result depends on; Snakemake reruns the job when that text changes.
"""

import hashlib
import json
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from repatlas.artifacts.provenance import fingerprint, identity
from repatlas.claims.ledger import LEDGER, read_ledger
from repatlas.config.config import Config, Sweep
from repatlas.experiments.clusters.spec import canonical
from repatlas.experiments.images.content import content_digests
from repatlas.experiments.images.grid import ImageSweep
from repatlas.experiments.images.known import DATA_SETS
from repatlas.operations.front_door import identity_stated

PAGE = Path(__file__).parent / "report/page"
"""The files of the report page that are no Python, so that its fingerprint doesn't cover them."""


class Shard(NamedTuple):
    family: str
    seed: int


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
            places = [f"figures/{product}.{suffix}" for suffix in ("pdf", "png")]
        else:
            places = [f"metrics/{f}/seed-{s}.parquet" for f, s in self.sweep_shards(product)]
        return [Path(self.results) / place for place in places]

    @cached_property
    def shards(self) -> list[Shard]:
        return sorted({shard for name in self.config.sweeps for shard in self.sweep_shards(name)})

    def sweep_shards(self, name: str) -> list[Shard]:
        sweep = self.config.sweeps[name]
        return [Shard(family, seed) for family in sweep.families for seed in range(sweep.seeds)]

    def figure_shards(self, figure: str) -> list[Shard]:
        names = self._figure_sweeps(figure)
        return sorted({shard for name in names for shard in self.sweep_shards(name)})

    def networks(self, product: str) -> set[tuple[Shard, str]]:
        """The networks that a figure, or a sweep without one, needs: their shard and key."""
        drawn = product in self.figures
        names = self._figure_sweeps(product) if drawn else [product]
        sweeps = [self.config.sweeps[name] for name in names]
        sweeps += self.image_sweeps if drawn and self.figures[product].draws_images else []
        return {
            (Shard(spec.family, seed), spec.key)
            for sweep in sweeps
            for spec in sweep.specs()
            for seed in range(sweep.seeds)
        }

    def tasks_job(self, family: str, seed: int) -> str:
        # The noise around the centres is drawn in training.
        exclude = {"noise_variance"}
        grids = {canonical(sweep.task, exclude) for sweep in self._sweeps(family, seed)}
        return self._job("make_tasks", seed=seed, tasks=_sorted_records(grids))

    def train_job(self, family: str, seed: int) -> str:
        return self._shard_job("train", family, seed, {"task", "network", "training", "steps"})

    def measure_job(self, family: str, seed: int) -> str:
        fields = {"task", "network", "training", "steps", "measures", "more_measures"}
        # Those of any sweep of the family: the config lets them all have the same.
        name = next(n for n, sweep in self.config.sweeps.items() if family in sweep.families)
        decoders = self.config.decoders_of(name).model_dump(mode="json")
        return self._shard_job("measure", family, seed, fields, decoders=decoders)

    @property
    def image_sweeps(self) -> list[ImageSweep]:
        """Those that figures draw."""
        drawn = any(figure.draws_images for figure in self.figures.values())
        if not drawn or self.config.images is None:
            return []
        return self.config.image_sweeps[self.config.images]

    @property
    def image_sets(self) -> list[str]:
        return sorted({sweep.data_set for sweep in self.image_sweeps})

    def image_source_options(self, data_set: str) -> list[str]:
        """Where its files are, for the command; nothing for one that needs none."""
        source = self.config.image_sets.get(data_set)
        if source is None:
            return []
        options = ["--folder", source.folder]
        if source.url:
            options += ["--url", source.url]
        return [*options, "--download"] if source.download else options

    def prepare_images_job(self, data_set: str) -> str:
        source = self.config.image_sets.get(data_set)
        subset = source is not None and source.subset
        # Whole, it is what was published; of a cut one there may be more or less another time.
        names = DATA_SETS[data_set].CUTTABLE
        content = {"files": content_digests(Path(source.folder), names)} if subset else {}
        return self._job("prepare_images", data_set=data_set, subset=subset, **content)

    @cached_property
    def image_shards(self) -> list[Shard]:
        return sorted(
            {
                Shard(family, seed)
                for sweep in self.image_sweeps
                for family in sweep.families
                for seed in range(sweep.seeds)
            }
        )

    def figure_image_shards(self, figure: str) -> list[Shard]:
        return self.image_shards if self.figures[figure].draws_images else []

    def data_set_of(self, family: str) -> str:
        return next(s.data_set for s in self.image_sweeps if family in s.families)

    def train_images_job(self, family: str, seed: int) -> str:
        return self._images_job("train_images", family, seed)

    def measure_images_job(self, family: str, seed: int) -> str:
        regularisation = self.config.decoders.regularisation
        return self._images_job("measure_images", family, seed, regularisation=regularisation)

    def _images_job(self, stage: str, family: str, seed: int, **more) -> str:
        grids = {
            canonical(sweep, {"seeds"})
            for sweep in self.image_sweeps
            if seed < sweep.seeds and family in sweep.families
        }
        return self._job(stage, family=family, seed=seed, grids=_sorted_records(grids), **more)

    def tabulate_job(self, figure: str) -> str:
        fields = {"task", "network", "training", "steps"}
        sweeps = {
            role: sorted(
                (
                    _record(self.config.sweeps[name], fields)
                    | {"seeds": self.config.sweeps[name].seeds}
                    for name in names
                ),
                key=lambda record: json.dumps(record, sort_keys=True),
            )
            for role, names in self.figures[figure].sweeps().items()
        }
        step = getattr(self.figures[figure], "step", None)
        images = {}
        if self.figure_image_shards(figure):
            images = {"images": _sorted_records({canonical(s) for s in self.image_sweeps})}
        return self._job("tabulate", figure=figure, step=step, sweeps=sweeps, **images)

    def plot_job(self, figure: str) -> str:
        style = self.config.style.model_dump(mode="json")
        step = getattr(self.figures[figure], "step", None)
        return self._job("plot", figure=figure, step=step, style=style, preview=self.config.preview)

    def judge_job(self) -> str:
        read_ledger()  # so that a mistake in it is found before anything runs
        ledger = hashlib.sha256(LEDGER.read_bytes()).hexdigest()[:12]
        return self._job("judge", ledger=ledger, preview=self.config.preview)

    def report_job(self) -> str:
        content = b"".join(path.read_bytes() for path in sorted(PAGE.iterdir()))
        page = hashlib.sha256(content).hexdigest()[:12]
        return self._job("write_report", page=page, preview=self.config.preview)

    def facts(self, figure: str) -> dict:
        """What the caption of a figure may say: for each role of its sweeps every setting of their
        networks, as the list of its values, and the number of seeds likewise; and the training step
        that the figure shows, if one."""
        chosen = self.figures[figure]
        found = {}
        for role, names in chosen.sweeps().items():
            deviations = [self.config.decoders_of(name).test_deviations for name in names]
            found[role] = _settings(self.config.sweeps[name] for name in names)
            found[role]["test_deviations"] = sorted(set().union(*deviations))
        if chosen.draws_images:
            found["images"] = _settings(self.image_sweeps)
        return found | {"step": getattr(chosen, "step", None)}

    def _shard_job(self, stage, family, seed, fields, **more) -> str:
        grids = {
            json.dumps(_record(sweep, fields), sort_keys=True)
            for sweep in self._sweeps(family, seed)
        }
        return self._job(stage, family=family, seed=seed, grids=_sorted_records(grids), **more)

    def _job(self, stage: str, **content) -> str:
        code = fingerprint(stage, content.get("figure"))
        accepted = self.config.accept_code.get(stage, {}).get(code, code)
        return json.dumps(content | {"code": accepted}, sort_keys=True)

    def _sweeps(self, family: str, seed: int) -> list[Sweep]:
        return [
            sweep
            for sweep in self.config.sweeps.values()
            if seed < sweep.seeds and family in sweep.families
        ]

    def _figure_sweeps(self, figure: str) -> list[str]:
        return [name for names in self.figures[figure].sweeps().values() for name in names]


def _settings(sweeps: Iterable[Sweep | ImageSweep]) -> dict[str, list]:
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

    def expect(stage: str, place: str, job: str, *inputs: Path, split: str = "") -> Path:
        path = results / place
        known = [split] if split else [expected[source].identity for source in inputs]
        expected[path] = Expected(stage, job, identity(job, known), list(inputs))
        if path in whole and path.is_file() and identity_stated(path) == whole[path].identity:
            expected[path] = whole[path]
        return path

    metrics = {}
    for shard in plan.shards:
        place = f"{shard.family}/seed-{shard.seed}"
        tasks = expect("make_tasks", f"tasks/{place}.safetensors", plan.tasks_job(*shard))
        runs = expect("train", f"runs/{place}.safetensors", plan.train_job(*shard), tasks)
        job = plan.measure_job(*shard)
        metrics[shard] = expect("measure", f"metrics/{place}.parquet", job, tasks, runs)
    image_metrics = {}
    for data_set in plan.image_sets:
        for split in ("train", "test"):
            job = plan.prepare_images_job(data_set)
            place = f"images/{data_set}/{split}.safetensors"
            expect("prepare_images", place, job, split=split)
    for shard in plan.image_shards:
        family, seed = shard
        images = results / f"images/{plan.data_set_of(family)}"
        train, test = images / "train.safetensors", images / "test.safetensors"
        place = f"image_{{}}/{family}/seed-{seed}"
        job = plan.train_images_job(family, seed)
        runs = expect("train_images", place.format("runs") + ".safetensors", job, train)
        job = plan.measure_images_job(family, seed)
        path = place.format("metrics") + ".parquet"
        image_metrics[shard] = expect("measure_images", path, job, train, test, runs)
    for figure in plan.figures:
        sources = [metrics[shard] for shard in plan.figure_shards(figure)]
        sources += [image_metrics[shard] for shard in plan.figure_image_shards(figure)]
        job = plan.tabulate_job(figure)
        table = expect("tabulate", f"tables/{figure}.parquet", job, *sources)
        for suffix in ("pdf", "png"):
            expect("plot", f"figures/{figure}.{suffix}", plan.plot_job(figure), table)
    tables = [results / f"tables/{figure}.parquet" for figure in plan.figures]
    for suffix in ("parquet", "md") if plan.whole is plan else ():
        expect("judge", f"claims/claims.{suffix}", plan.judge_job(), *tables)
    return expected


def set_aside(expected: Iterable[Path]) -> list[Path]:
    """Of these files those that were set aside, since they were damaged, and not made again."""
    missing = [path for path in expected if not path.exists()]
    return [path for path in missing if any(path.parent.glob(f"{path.name}.aside-*"))]


def _record(sweep: Sweep, fields: set[str]) -> dict:
    return sweep.model_dump(mode="json", include=fields, exclude_defaults=True)


def _sorted_records(texts: set[str]) -> list[dict]:
    """Each once, in an order that the config's order doesn't change."""
    return [json.loads(text) for text in sorted(texts)]
