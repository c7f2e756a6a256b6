"""Builds the jobs of a config. A job is a record of all that one result file depends on.

Nothing here reads results of networks, and nothing needs torch or pandas. The jobs of a user's own
files depend on what these files hold, so these jobs read them, and the results keep what was read:
data/files/.digests.json.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from repatlas.artifacts.recipes.grids import MEASURING
from repatlas.artifacts.recipes.job import Job
from repatlas.artifacts.recipes.networks import MeasureJob, PrepareJob, TrainJob, trains
from repatlas.artifacts.recipes.pairs import CompareJob, CompareNetworksJob
from repatlas.artifacts.recipes.study import (
    JudgeJob,
    MultiverseJob,
    PlotClaimsJob,
    PlotJob,
    ReportJob,
    TabulateJob,
    Title,
)
from repatlas.claims.ledger import TOLD, ledger_file, read_ledger
from repatlas.config.comparisons import NetworkComparison
from repatlas.config.config import Config
from repatlas.config.multiverse import number_of
from repatlas.config.sweeps import OfSweep
from repatlas.figures.captions import texts_of
from repatlas.named import named
from repatlas.plan.contents import Contents
from repatlas.plan.places import CohortTile, Overview, Product, Shard, Tile
from repatlas.plan.records import named_by_experiment, record_of, sorted_records, with_seeds
from repatlas.record import canonical

PAGE = Path(__file__).parents[1] / "report/page"
"""The files of the report page that are no Python, so that its fingerprint doesn't cover them."""


class Plan(Contents):
    """The jobs of a config. A job is a record of all that one result file depends on."""

    def __init__(self, config: Config, folder: str = "results", reads_again: bool = False):
        """Plan a config. reads_again: True if all numbers of the user's files must be read again,
        although these files seem to be the same as before."""
        super().__init__(config, folder)
        self._reads_again = reads_again
        self.whole = (
            self
            if self.is_whole
            else Plan(config.model_copy(update={"only": None}), folder, reads_again)
        )
        """The plan of everything that the config names. A plan of one figure uses
        the files of the whole plan that exist."""
        self._of_family: dict[tuple, tuple[Job, list[OfSweep]]] = {}

    @cached_property
    def data(self) -> dict[tuple[str, str], PrepareJob]:
        """The job of each file of data, by experiment and place."""
        shards: dict[tuple[str, str], list[Shard]] = {}
        for shard in self.shards:
            shards.setdefault(self.data_place(shard), []).append(shard)
        return {place: self._prepare_job(of, self._sweeps) for place, of in sorted(shards.items())}

    def source(self, experiment: str, data: str) -> dict[str, Any]:
        """Return where the user's files of these data are: `folder`, `url` and `download`.

        For the experiment `files`, return `digests`, the path of the digests that are stored for
        them. Return an empty dictionary for data that need no files."""
        if experiment == "files":
            return {"digests": f"{self.results}/data/files/.digests.json"}
        source = self.config.image_sets.get(data)
        return source.model_dump(mode="json", exclude={"subset"}) if source else {}

    def train_job(self, shard: Shard) -> TrainJob:
        return self._train_job(shard, self._sweeps(shard))

    def measure_job(self, shard: Shard) -> MeasureJob:
        return self._measure_job(shard, self._sweeps(shard))

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

    def tabulate_job(self, figure: Product) -> TabulateJob:
        sweeps = {role: with_seeds(sweeps) for role, sweeps in self.figure_sweeps(figure).items()}
        study, options = self.studies[figure.study], self.tables[figure]
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
        # Only the colours of activations that it draws: another colour changes no other figure.
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

    def judge_job(self, study: str) -> JudgeJob:
        ledger = read_ledger(study)  # so that a mistake in it is found before anything runs
        named_by = {
            module
            for figure in self.study_figures(study)
            for module in self.tabulate_job(figure).modules()
            if module.startswith(("experiments", "networks"))
        }
        digest = hashlib.sha256(ledger_file(study).read_bytes()).hexdigest()[:12]
        about = sorted(named_by | ledger.modules())
        job = JudgeJob(study=study, ledger=digest, about=about, preview=self.config.preview)
        return self._job(job)

    def plot_claims_job(self, page: Overview) -> PlotClaimsJob:
        style = self.config.style.model_dump(mode="json", exclude={"colours"})
        job = PlotClaimsJob(
            study=page.study,
            figure=page.name,
            claims=list(page.claims),
            style=style,
        )
        return self._job(job)

    def multiverse_job(self, study: str) -> MultiverseJob:
        multiverse = self.studies[study].multiverse
        assert multiverse is not None
        numbers = {f.name: number_of(f.name) for f in self.figures_of_settings(study)}
        drawn = {self.tables[f].draw for f in self.figures_of_settings(study)}
        known = read_ledger(study).claims if ledger_file(study).exists() else []
        known = [claim for claim in known if claim.figure in drawn and "choices" in claim.varies]
        claims = [claim for claim in known if not (claim.fact or claim.later)]
        job = MultiverseJob(
            study=study,
            settings=multiverse.chosen()[: max(numbers.values()) + 1],
            values={key: choice.options for key, choice in multiverse.choices.items()},
            figures=numbers,
            claims=[c.model_dump(mode="json", exclude_unset=True, exclude=TOLD) for c in claims],
            style=self.config.style.model_dump(mode="json", exclude={"colours"}),
            preview=self.config.preview,
        )
        return self._job(job)

    def report_job(self, study: str) -> ReportJob:
        texts = [*sorted(PAGE.iterdir()), *texts_of(study)]
        content = b"".join(path.read_bytes() for path in texts)
        page = hashlib.sha256(content).hexdigest()[:12]
        return self._job(ReportJob(study=study, page=page, preview=self.config.preview))

    def networks_of(
        self, sweeps: Iterable[OfSweep], families: set[tuple[str, str]] | None = None
    ) -> list[str]:
        """Return what the networks of these grids and their rows depend on, as texts: the jobs of
        seed 0 of each family, since other seeds differ in nothing else. The code is the code of
        each network and measure. Other sweeps of the config change none of the texts, even if they
        use the same family. Raises KeyError for a family that the plan does not have.

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
            specs = [(spec, sweep) for sweep in own for spec in sweep.specs_of(shard.family)]
            measure = self._measure_job(shard, own)
            modules = {
                tuple(measure.modules_of(spec, name))
                for spec, sweep in specs
                for name in sweep.all_measures
            }
            texts.append(self._with_codes(measure, modules))
            if trains(shard.experiment):
                train = self._train_job(shard, own)
                modules = {tuple(train.modules_of(spec)) for spec, _ in specs}
                texts.append(self._with_codes(train, modules))
        return sorted(texts)

    def _with_codes(self, job: Job, modules: set[tuple[str, ...]]) -> str:
        """Return the text of a job with the code of each of these groups of modules."""
        accepted = self.config.accept_code
        codes = sorted({job.fingerprint([*each], accepted) for each in modules})
        return job.model_copy(update={"code": " ".join(codes)}).text

    def compared_by(self, tile: Tile | CohortTile) -> list[str]:
        """Return what the networks, or representations, of a tile depend on, as `networks_of`."""
        study = self.studies[tile.study]
        between = dict.fromkeys(study.comparison(tile.comparison).between)
        families = {(shard.experiment, shard.family) for shard in tile.shards}
        return self.networks_of((g for name in between for g in study.sweeps[name]), families)

    def _prepare_job(
        self, shards: list[Shard], sweeps: Callable[[Shard], list[OfSweep]]
    ) -> PrepareJob:
        """Return the job of the data that shards share, for these grids of each."""
        experiment, place = self.data_place(shards[0])

        def make() -> PrepareJob:
            wanted = set()
            for shard in shards:
                for sweep in sweeps(shard):
                    about = sweep.data(shard.family, shard.seed)[1]
                    about |= self._source_content(experiment, place, about)
                    wanted.add(json.dumps(about, sort_keys=True))
            return PrepareJob(experiment=experiment, data=place, wanted=sorted_records(wanted))

        if not named(f"experiments.{experiment}", "prepare").OWN_DATA:
            return self._job(make())
        [shard] = shards  # each seed of a family has its own data
        job = self._job_of_seed("prepare", shard, sweeps(shard), make)
        return job.model_copy(update={"data": place})

    def _source_content(self, experiment: str, data: str, about: dict) -> dict[str, Any]:
        """Return what the data depend on in the user's files, for example their digests."""
        prepare = named(f"experiments.{experiment}", "prepare")
        if not hasattr(prepare, "depends_on"):
            return {}
        if experiment == "files":
            source = self.source(experiment, data) | {"believed": not self._reads_again}
            return prepare.depends_on(about, source)
        found = self.config.image_sets.get(data)
        return prepare.depends_on(about, found.model_dump(mode="json") if found else {})

    def _train_job(self, shard: Shard, sweeps: list[OfSweep]) -> TrainJob:
        def make() -> TrainJob:
            return TrainJob(**shard.place, grids=_grids(shard, sweeps, frozenset()))

        return self._job_of_seed("train", shard, sweeps, make)

    def _measure_job(self, shard: Shard, sweeps: list[OfSweep]) -> MeasureJob:
        def make() -> MeasureJob:
            decoders = self.decoders_of(shard).model_dump(mode="json")
            grids = _grids(shard, sweeps, frozenset(MEASURING))
            return MeasureJob(**shard.place, grids=grids, decoders=decoders)

        return self._job_of_seed("measure", shard, sweeps, make)

    def _job_of_seed(
        self, stage: str, shard: Shard, sweeps: list[OfSweep], make: Callable[[], Job]
    ) -> Any:
        """Return the job of a shard. The jobs of all seeds of a family in the same sweeps differ in
        the seed alone."""
        key = stage, shard.experiment, shard.family, *map(id, sweeps)
        if key not in self._of_family:
            # The sweeps are kept, so that no other object can get their ids.
            self._of_family[key] = self._job(make()), sweeps
        return self._of_family[key][0].model_copy(update={"seed": shard.seed})

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
        carrying = [c.model_dump(exclude=TOLD) for c in claims if c.id in finding.carried]
        return Title(says=finding.says, carried=finding.carried, claims=carrying)

    def _job(self, job: Job) -> Any:
        return job.with_code(self.config.accept_code)


def _grids(shard: Shard, sweeps: list[OfSweep], more: frozenset[str]) -> list[dict]:
    records = [record_of(sweep.of(shard.family), more) for sweep in sweeps]
    return sorted_records({json.dumps(record, sort_keys=True) for record in records})


def _activations(sweep: OfSweep) -> list[str]:
    """Return the activations of the networks of a sweep, if they have any."""
    return getattr(getattr(sweep, "network", None), "activation", [])
