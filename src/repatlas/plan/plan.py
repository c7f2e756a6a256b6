"""The jobs of a config: which shards there are, and what each job depends on.

Everything here is pure, and needs neither torch nor pandas.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from pydantic_core import PydanticCustomError

from repatlas.artifacts import layout
from repatlas.artifacts.job_grids import MEASURING
from repatlas.artifacts.jobs import (
    CompareJob,
    CompareNetworksJob,
    Job,
    MeasureJob,
    PrepareJob,
    TrainJob,
    trains,
)
from repatlas.artifacts.study_jobs import (
    JudgeJob,
    PlotClaimsJob,
    PlotJob,
    ReportJob,
    TabulateJob,
    Title,
)
from repatlas.claims.ledger import ledger_file, read_ledger
from repatlas.config.comparisons import Cohort, NetworkComparison
from repatlas.config.config import Config
from repatlas.config.representations import Comparison
from repatlas.config.sweeps import OfSweep
from repatlas.figures.captions import texts_of
from repatlas.named import named
from repatlas.plan.places import CohortTile, Overview, Product, Shard, Tile, shards_of
from repatlas.plan.records import named_by_experiment, record_of, sorted_records, with_seeds
from repatlas.plan.tiles import tiles_of_cohorts, tiles_of_families
from repatlas.record import Refused, canonical
from repatlas.representation import Decoders

PAGE = Path(__file__).parents[1] / "report/page"
"""The files of the report page that are no Python, so that its fingerprint doesn't cover them."""
CLAIMS_OF_PAGE = 20
"""So many claims, of three lines each, fit a page as high as the paper's, with a caption."""


class Plan:
    """The jobs of a config, whose results have a folder of their own, with a preview's in it."""

    def __init__(self, config: Config, folder: str = "results", reads_again: bool = False):
        """reads_again: whether all numbers of the user's files are read, though they were read
        before and these files seem to be the same."""
        self.config = config.part().edition()
        self._reads_again = reads_again
        self.is_whole = config.only is None
        """Whether the plan is of everything that the config names."""
        self.whole = (
            self
            if self.is_whole
            else Plan(config.model_copy(update={"only": None}), folder, reads_again)
        )
        """The same plan, but of everything that the config names."""
        self.folder = folder
        self.results = f"{folder}/preview" if config.preview else folder
        """The folder with the names of the files, which are links into the store."""
        self.store = layout.store_of(folder)
        """The folder of the files themselves, which all configs and previews share."""
        self.studies = self.config.studies
        self.figures = {
            Product(name, figure): options
            for name, study in self.studies.items()
            for figure, options in study.figures.items()
        }
        self.data_sweeps = [
            Product(name, sweep)
            for name, study in self.studies.items()
            for sweep in study.data_sweeps()
        ]
        self.products = [Product(*each) for each in self.config.products()]
        self._texts: dict[tuple[int, frozenset[str], str], str] = {}

    def product(self, name: str, key: str) -> Product:
        """The product that a command names under this key. Raises Refused."""
        try:
            return Product(*self.config.product(name, key))
        except PydanticCustomError as error:
            raise Refused(error.message()) from None

    def name_of(self, product: Product) -> str:
        """Its name in a command."""
        return product.name if len(self.studies) == 1 else "/".join(product)

    def files(self, product: Product) -> list[Path]:
        """The files of a figure, or the metrics of a sweep."""
        if product in self.figures:
            return self.pictures(product)
        places = [layout.METRICS.format(**shard.place) for shard in self.shards_of(product)]
        return [Path(self.results) / place for place in places]

    def pictures(self, figure: Product | Overview) -> list[Path]:
        """The PDF and the PNG of a figure."""
        place = {"study": figure.study, "figure": figure.name}
        kinds = (layout.PDF, layout.PNG)
        return [Path(self.results) / kind.format(**place) for kind in kinds]

    def of_study(self, study: str) -> list[Product]:
        """Its figures."""
        return [figure for figure in self.figures if figure.study == study]

    @cached_property
    def sweeps(self) -> list[OfSweep]:
        """All grids of networks."""
        return [grid for _, _, grid in self.config.sweeps()]

    def figure_sweeps(self, figure: Product) -> dict[str, list[OfSweep]]:
        """The grids of each role of a figure."""
        roles = self.studies[figure.study].sweeps_of(figure.name)
        return {role: list(grids.values()) for role, grids in roles.items()}

    def sweeps_of(self, product: Product) -> list[OfSweep]:
        """The grids behind a figure, or those of a sweep."""
        if product in self.figures:
            return [grid for grids in self.figure_sweeps(product).values() for grid in grids]
        return self.studies[product.study].sweeps[product.name]

    @cached_property
    def shards(self) -> list[Shard]:
        return sorted({shard for sweep in self.sweeps for shard in shards_of(sweep)})

    def shards_of(self, product: Product) -> list[Shard]:
        return sorted({shard for sweep in self.sweeps_of(product) for shard in shards_of(sweep)})

    @cached_property
    def tiles(self) -> list[Tile | CohortTile]:
        """Of all comparisons."""
        return [
            tile
            for name, study in self.studies.items()
            for comparison in study.compare
            for tile in self._tiles(name, comparison)
        ]

    def compared_by(self, tile: Tile | CohortTile) -> list[str]:
        """Return what the networks, or representations, of a tile depend on, as `networks_of`."""
        study = self.studies[tile.study]
        between = dict.fromkeys(study.comparison(tile.comparison).between)
        families = {(shard.experiment, shard.family) for shard in tile.shards}
        return self.networks_of((g for name in between for g in study.sweeps[name]), families)

    def tiles_of(self, figure: Product) -> list[Tile | CohortTile]:
        """Those of the comparisons that a figure draws."""
        drawn = {name for names in self.figures[figure].comparisons().values() for name in names}
        return [t for t in self.tiles if t.study == figure.study and t.comparison in drawn]

    def compare_job(self, tile: Tile | CohortTile) -> CompareJob | CompareNetworksJob:
        comparison = self.studies[tile.study].comparison(tile.comparison)
        if isinstance(comparison, NetworkComparison):
            return self._job(self._cohort_job(tile, comparison))
        job = CompareJob(
            **tile.place | {"comparison": tile.comparison},
            grids=[
                record_of(grid.of(shard.family), frozenset())
                for shard in (tile.family, *tile.others)
                for grid in self._sweeps(shard)
            ],
            within=tile.within,
            itself=tile.within and not tile.part,
            measures=comparison.measures,
            permutations=comparison.permutations,
        )
        return self._job(job)

    def _cohort_job(self, tile: CohortTile, comparison: NetworkComparison) -> CompareNetworksJob:
        cohort = self._cohorts[tile]
        return CompareNetworksJob(
            **tile.place | {"comparison": tile.comparison},
            specs=[named_by_experiment(json.loads(canonical(spec)), spec) for spec in cohort.specs],
            seeds=cohort.seeds,
            pairs=comparison.pairs,
            similarities=comparison.similarities,
            items=comparison.items,
            steps=list(cohort.steps),
            layers=comparison.layers,
            settings=comparison.settings.model_dump(mode="json"),
        )

    @cached_property
    def _cohorts(self) -> dict[CohortTile, Cohort]:
        found: dict[CohortTile, Cohort] = {}
        for name, study in self.studies.items():
            for comparison in study.compare:
                if isinstance(comparison, NetworkComparison):
                    found |= tiles_of_cohorts(name, comparison, study.sweeps)
        return found

    def _tiles(
        self, study: str, comparison: Comparison | NetworkComparison
    ) -> list[Tile] | list[CohortTile]:
        if isinstance(comparison, NetworkComparison):
            of_study = [tile for tile in self._cohorts if tile.study == study]
            return [tile for tile in of_study if tile.comparison == comparison.key]
        return tiles_of_families(study, comparison, self.studies[study].sweeps, self._sweeps)

    def networks(self, product: Product) -> set[tuple[Shard, str]]:
        """The networks that a product needs: their shard and key."""
        compared = self.tiles_of(product) if product in self.figures else []
        cohorts = [self._cohorts[tile] for tile in compared if isinstance(tile, CohortTile)]
        return {
            (Shard(sweep.experiment, spec.family, seed), spec.key)
            for sweep in self.sweeps_of(product)
            for spec in sweep.specs()
            for seed in range(sweep.seeds)
        } | {
            (Shard(spec.experiment, spec.family, seed), spec.key)
            for cohort in cohorts
            for spec in cohort.specs
            for seed in range(cohort.seeds)
        }

    @cached_property
    def data(self) -> dict[tuple[str, str], PrepareJob]:
        """The job of each file of data, by experiment and place."""
        shards: dict[tuple[str, str], list[Shard]] = {}
        for shard in self.shards:
            shards.setdefault(self.data_place(shard), []).append(shard)
        return {place: self._prepare_job(of, self._sweeps) for place, of in sorted(shards.items())}

    def _prepare_job(
        self, shards: list[Shard], sweeps: Callable[[Shard], list[OfSweep]]
    ) -> PrepareJob:
        """Return the job of the data that shards share, for these grids of each."""
        experiment, place = self.data_place(shards[0])
        wanted = set()
        for shard in shards:
            for sweep in sweeps(shard):
                about = sweep.data(shard.family, shard.seed)[1]
                about |= self._source_content(experiment, place, about)
                wanted.add(json.dumps(about, sort_keys=True))
        own = named(f"experiments.{experiment}", "prepare").OWN_DATA
        seed = min(shard.seed for shard in shards) if own else None
        wanted = sorted_records(wanted)
        return self._job(PrepareJob(experiment=experiment, data=place, seed=seed, wanted=wanted))

    def networks_of(
        self, sweeps: Iterable[OfSweep], families: set[tuple[str, str]] | None = None
    ) -> list[str]:
        """Return what the networks of these grids and their rows depend on, as texts: the jobs of
        seed 0 of each family, since other seeds differ in nothing else. The code is the code of
        each network and measure. What else is asked of a family changes none of the texts.

        families: only these, by experiment and name; if None, all."""
        grids: dict[Shard, list[OfSweep]] = {}
        for sweep in sweeps:
            for family in sweep.families if sweep.seeds else ():
                if families is None or (sweep.experiment, family) in families:
                    grids.setdefault(Shard(sweep.experiment, family, 0), []).append(sweep)
        texts = []
        for shard, own in grids.items():
            # A file of data states the code of all that it holds.
            code = self.data[self.data_place(shard)].code
            data = self._prepare_job([shard], grids.__getitem__)
            texts.append(data.model_copy(update={"code": code}).text)
            jobs: list[TrainJob | MeasureJob] = [self._measure_job(shard, own)]
            if trains(shard.experiment):
                jobs.append(self._train_job(shard, own))
            for job in jobs:
                codes = sorted(job.codes(self.config.accept_code))
                texts.append(job.model_copy(update={"code": " ".join(codes)}).text)
        return sorted(texts)

    def data_place(self, shard: Shard) -> tuple[str, str]:
        """Experiment and place of the data of a shard."""
        return self._data_places[shard]

    def source(self, experiment: str, data: str) -> dict[str, Any]:
        """Where the user's files of these data are, or what is remembered of them; nothing where
        there are none."""
        if experiment == "files":
            return {"digests": f"{self.results}/data/files/.digests.json"}
        source = self.config.image_sets.get(data)
        return source.model_dump(mode="json", exclude={"subset"}) if source else {}

    def train_job(self, shard: Shard) -> TrainJob:
        return self._train_job(shard, self._sweeps(shard))

    def _train_job(self, shard: Shard, sweeps: list[OfSweep]) -> TrainJob:
        grids = self._grids(shard, sweeps, frozenset())
        return self._job(TrainJob(**shard.place, grids=grids))

    def measure_job(self, shard: Shard) -> MeasureJob:
        return self._measure_job(shard, self._sweeps(shard))

    def _measure_job(self, shard: Shard, sweeps: list[OfSweep]) -> MeasureJob:
        decoders = self.decoders_of(shard).model_dump(mode="json")
        grids = self._grids(shard, sweeps, frozenset(MEASURING))
        return self._job(MeasureJob(**shard.place, grids=grids, decoders=decoders))

    def decoders_of(self, shard: Shard) -> Decoders:
        """The decoders of any sweep of the family: the config lets all have the same."""
        return self.config.decoders_of(self._sweeps(shard)[0])

    def tabulate_job(self, figure: Product) -> TabulateJob:
        sweeps = {role: with_seeds(sweeps) for role, sweeps in self.figure_sweeps(figure).items()}
        study, options = self.studies[figure.study], self.figures[figure]
        comparisons = {
            role: [
                {
                    "name": name,
                    "between": [
                        with_seeds(study.sweeps[sweep]) for sweep in study.comparison(name).between
                    ],
                }
                for name in names
            ]
            for role, names in options.comparisons().items()
        }
        job = TabulateJob(
            **figure.place,
            draw=options.draw,
            step=self.step_of(figure),
            sweeps=sweeps,
            comparisons=comparisons or None,
        )
        return self._job(job)

    def plot_job(self, figure: Product) -> PlotJob:
        style = self.config.style.model_dump(mode="json")
        sweeps = self.sweeps_of(figure)
        shown = {name for sweep in sweeps for name in _activations(sweep)}
        # Of the activations that it draws, so that another one's changes no figure.
        style["colours"] = {k: colour for k, colour in style["colours"].items() if k in shown}
        job = PlotJob(
            **figure.place,
            draw=self.figures[figure].draw,
            step=self.step_of(figure),
            style=style,
            preview=self.config.preview,
            title=self._title(figure),
        )
        return self._job(job)

    def _title(self, figure: Product) -> Title | None:
        """Return the finding of a figure with the claims that carry it. No claim is judged in a
        preview, or about a figure under another name."""
        options = self.figures[figure]
        finding = options.figure.finding
        if finding is None:
            return None
        if finding.carried and (self.config.preview or options.draw != figure.name):
            return None
        claims = read_ledger(figure.study).claims if finding.carried else []
        carrying = [claim.model_dump() for claim in claims if claim.id in finding.carried]
        return Title(says=finding.says, carried=finding.carried, claims=carrying)

    def judge_job(self, study: str) -> JudgeJob:
        ledger = read_ledger(study)  # so that a mistake in it is found before anything runs
        named_by = {
            module
            for figure in self.of_study(study)
            for module in self.tabulate_job(figure).modules()
            if module.startswith(("experiments", "networks"))
        }
        digest = hashlib.sha256(ledger_file(study).read_bytes()).hexdigest()[:12]
        about = sorted(named_by | ledger.modules())
        job = JudgeJob(study=study, ledger=digest, about=about, preview=self.config.preview)
        return self._job(job)

    def overviews(self, study: str) -> list[Overview]:
        """The pages of the figure of a study's claims about figures that it draws, with as many on
        each, nearly; none where nothing is judged, as in a preview."""
        if self.config.preview:
            return []
        drawn = {figure.name for figure in self.of_study(study)}
        claims = read_ledger(study).claims if study in self.judged else []
        shown = tuple(claim.id for claim in claims if claim.figure in drawn)
        number, pages = len(shown), -(-len(shown) // CLAIMS_OF_PAGE)
        ends = [number * page // pages for page in range(pages + 1)] if pages else []
        letters = ["", *ascii_lowercase[1:pages]]
        return [
            Overview(study, f"{layout.OVERVIEW}{letter}", shown[first:last])
            for letter, (first, last) in zip(letters, pairwise(ends), strict=False)
        ]

    def plot_claims_job(self, page: Overview) -> PlotClaimsJob:
        style = self.config.style.model_dump(mode="json", exclude={"colours"})
        job = PlotClaimsJob(
            study=page.study,
            figure=page.name,
            claims=list(page.claims),
            style=style,
        )
        return self._job(job)

    @property
    def judged(self) -> list[str]:
        """The studies whose claims are judged: claims are about all figures of a study."""
        return [name for name in self.studies if self.is_whole and ledger_file(name).exists()]

    def report_job(self, study: str) -> ReportJob:
        texts = [*sorted(PAGE.iterdir()), *texts_of(study)]
        content = b"".join(path.read_bytes() for path in texts)
        page = hashlib.sha256(content).hexdigest()[:12]
        return self._job(ReportJob(study=study, page=page, preview=self.config.preview))

    def step_of(self, figure: Product) -> int | None:
        """The training step that a figure shows, if one."""
        return getattr(self.figures[figure], "step", None)

    def _source_content(self, experiment: str, data: str, about: dict) -> dict[str, Any]:
        """What of the user's files the data depend on."""
        prepare = named(f"experiments.{experiment}", "prepare")
        if not hasattr(prepare, "depends_on"):
            return {}
        if experiment == "files":
            source = self.source(experiment, data) | {"believed": not self._reads_again}
            return prepare.depends_on(about, source)
        found = self.config.image_sets.get(data)
        return prepare.depends_on(about, found.model_dump(mode="json") if found else {})

    @cached_property
    def _data_places(self) -> dict[Shard, tuple[str, str]]:
        return {
            shard: (shard.experiment, self._sweeps(shard)[0].data(shard.family, shard.seed)[0])
            for shard in self.shards
        }

    def _grids(self, shard: Shard, sweeps: list[OfSweep], more: frozenset[str]) -> list[dict]:
        return sorted_records({self._text(sweep, more, shard.family) for sweep in sweeps})

    def _text(self, sweep: OfSweep, more: frozenset[str], family: str) -> str:
        """The record of a sweep, which the jobs of all seeds of a family have."""
        of_family = sweep.of(family)
        key = id(sweep), more, "" if of_family is sweep else family
        if key not in self._texts:
            self._texts[key] = json.dumps(record_of(of_family, more), sort_keys=True)
        return self._texts[key]

    def _job(self, job: Job) -> Any:
        return job.with_code(self.config.accept_code)

    def _sweeps(self, shard: Shard) -> list[OfSweep]:
        return [
            sweep
            for sweep in self._sweeps_of.get((shard.experiment, shard.family), [])
            if shard.seed < sweep.seeds
        ]

    @cached_property
    def _sweeps_of(self) -> dict[tuple[str, str], list[OfSweep]]:
        found: dict[tuple[str, str], list[OfSweep]] = {}
        for sweep in self.sweeps:
            for family in sweep.families:
                found.setdefault((sweep.experiment, family), []).append(sweep)
        return found


def _activations(sweep: OfSweep) -> list[str]:
    """Those of its networks, where these say one."""
    return getattr(getattr(sweep, "network", None), "activation", [])
