"""The contents of a config: its studies, figures, sweeps, shards and tiles, and their names."""

from functools import cached_property
from itertools import pairwise
from pathlib import Path
from string import ascii_lowercase

from pydantic_core import PydanticCustomError

from repatlas.artifacts import layout
from repatlas.claims.ledger import ledger_file, read_ledger
from repatlas.config.comparisons import Cohort, NetworkComparison
from repatlas.config.config import Config
from repatlas.config.representations import Comparison
from repatlas.config.sweeps import OfSweep
from repatlas.plan.places import CohortTile, Overview, Product, Shard, Tile, shards_of
from repatlas.plan.tiles import tiles_of_cohorts, tiles_of_families
from repatlas.record import Refused
from repatlas.representation import Decoders

CLAIMS_OF_PAGE = 18
"""The largest number of claims, of three lines each, on a page as high as the paper's, with a
caption."""


class Contents:
    """Everything that a config implies, without the jobs that make it."""

    def __init__(self, config: Config, folder: str = "results"):
        self.config = config.part().as_trained()
        self.is_whole = config.only is None
        """Whether this is everything that the config names."""
        self.folder = folder
        self.results = f"{folder}/preview" if config.preview else folder
        """The folder with the names of the files, which are links into the store. The folder of a
        preview is inside the folder of the full run."""
        self.store = layout.store_of(folder)
        """The folder of the files themselves, which all configs and previews share."""
        self.studies = self.config.studies
        self.figures = {
            Product(name, figure): options
            for name, study in self.studies.items()
            for figure, options in study.figures.items()
        }
        self.tables = {
            Product(name, figure): options
            for name, study in self.studies.items()
            for figure, options in study.tabulated.items()
        }
        """The figures, and the figures of each setting of a multiverse, which are not drawn."""
        self.multiverses = [
            Product(name, layout.MULTIVERSE)
            for name, study in self.studies.items()
            if study.multiverse
        ]
        self.data_sweeps = [
            Product(name, sweep)
            for name, study in self.studies.items()
            for sweep in study.data_sweeps()
        ]
        self.products = [Product(*each) for each in self.config.products()]

    def product(self, name: str, key: str) -> Product:
        """Return the product that a command names under this key. Raises Refused."""
        try:
            return Product(*self.config.product(name, key))
        except PydanticCustomError as error:
            raise Refused(error.message()) from None

    def name_of(self, product: Product) -> str:
        """Return the name of a product in a command."""
        return product.name if len(self.studies) == 1 else "/".join(product)

    def files(self, product: Product) -> list[Path]:
        """Return the pictures of a figure, or the metrics of a sweep."""
        if product in (*self.figures, *self.multiverses):
            return self.pictures(product)
        places = [layout.METRICS.format(**shard.place) for shard in self.shards_of(product)]
        return [Path(self.results) / place for place in places]

    def pictures(self, figure: Product | Overview) -> list[Path]:
        """Return the names of the PDF and of the PNG of a figure."""
        place = {"study": figure.study, "figure": figure.name}
        kinds = (layout.PDF, layout.PNG)
        return [Path(self.results) / kind.format(**place) for kind in kinds]

    def study_figures(self, study: str) -> list[Product]:
        """Return the figures of a study."""
        return [figure for figure in self.figures if figure.study == study]

    def figures_of_settings(self, study: str) -> list[Product]:
        """Return the figures of all settings of the multiverse of a study."""
        return [f for f in self.tables if f.study == study and f not in self.figures]

    @cached_property
    def sweeps(self) -> list[OfSweep]:
        """All grids of networks of the config."""
        return [grid for _, _, grid in self.config.sweeps()]

    def figure_sweeps(self, figure: Product) -> dict[str, list[OfSweep]]:
        """Return the grids of each role of a figure."""
        roles = self.studies[figure.study].sweeps_of(figure.name)
        return {role: list(grids.values()) for role, grids in roles.items()}

    def sweeps_of(self, product: Product) -> list[OfSweep]:
        """Return the grids that a figure draws, or the grids of a sweep."""
        if product in self.multiverses:
            of_study = self.studies[product.study]
            return [g for name in of_study.setting_sweeps() for g in of_study.sweeps[name]]
        if product in self.tables:
            return [grid for grids in self.figure_sweeps(product).values() for grid in grids]
        return self.studies[product.study].sweeps[product.name]

    @cached_property
    def shards(self) -> list[Shard]:
        return sorted({shard for sweep in self.sweeps for shard in shards_of(sweep)})

    def shards_of(self, product: Product) -> list[Shard]:
        return sorted({shard for sweep in self.sweeps_of(product) for shard in shards_of(sweep)})

    @cached_property
    def tiles(self) -> list[Tile | CohortTile]:
        """The tiles of all comparisons."""
        return [
            tile
            for name, study in self.studies.items()
            for comparison in study.compare
            for tile in self._tiles(name, comparison)
        ]

    @cached_property
    def tile_of(self) -> dict[Path, Tile | CohortTile]:
        """The tile of each file of pairs, by its name in the results."""
        return {Path(self.results, layout.PAIRS.format(**t.place)): t for t in self.tiles}

    def tiles_of(self, figure: Product) -> list[Tile | CohortTile]:
        """Return the tiles of the comparisons that a figure draws."""
        drawn = {name for names in self.tables[figure].comparisons().values() for name in names}
        return [t for t in self.tiles if t.study == figure.study and t.comparison in drawn]

    def networks(self, product: Product) -> set[tuple[Shard, str]]:
        """Return the networks that a product needs, each as its shard and key."""
        compared = self.tiles_of(product) if product in self.figures else []
        cohorts = [self._cohorts[tile] for tile in compared if isinstance(tile, CohortTile)]
        groups = [(sweep.specs(), sweep.seeds) for sweep in self.sweeps_of(product)]
        groups += [(list(cohort.specs), cohort.seeds) for cohort in cohorts]
        found = set()
        for specs, seeds in groups:
            for spec in specs:
                # All seeds have the same names, which take 0.1 ms to make.
                experiment, family, key = spec.experiment, spec.family, spec.key
                found |= {(Shard(experiment, family, seed), key) for seed in range(seeds)}
        return found

    def overviews(self, study: str) -> list[Overview]:
        """Return the pages of the figure of a study's claims. The pages have about the same number
        of claims. There are none if no claim is tested, as in a preview."""
        if self.config.preview:
            return []
        drawn = {figure.name for figure in self.study_figures(study)}
        claims = read_ledger(study).claims if study in self.judged else []
        # A claim whose networks are still to be computed has nothing to show.
        shown = tuple(c.id for c in claims if c.figure in drawn and not c.later)
        number, pages = len(shown), -(-len(shown) // CLAIMS_OF_PAGE)
        ends = [number * page // pages for page in range(pages + 1)] if pages else []
        letters = ["", *ascii_lowercase[1:pages]]
        return [
            Overview(study, f"{layout.OVERVIEW}{letter}", shown[first:last])
            for letter, (first, last) in zip(letters, pairwise(ends), strict=False)
        ]

    @cached_property
    def judged(self) -> list[str]:
        """The studies whose claims are tested: if any claim is about a figure of the config. Claims
        are about all figures of a study, so a part of a config tests none."""
        return [name for name in self.studies if self.is_whole and self._has_claims(name)]

    def step_of(self, figure: Product) -> int | None:
        """Return the training step that a figure shows; None if it shows no single step."""
        return getattr(self.tables[figure], "step", None)

    def data_place(self, shard: Shard) -> tuple[str, str]:
        """Return the experiment of a shard, and the name of its data."""
        return self._data_places[shard]

    def decoders_of(self, shard: Shard) -> Decoders:
        """Return the decoder settings of the family of a shard. The config rejects sweeps of one
        family with different settings."""
        return self.config.decoders_of(self._sweeps(shard)[0])

    def _has_claims(self, study: str) -> bool:
        """Return True if any claim of a study is about one of its figures."""
        drawn = {figure.name for figure in self.study_figures(study)}
        if not drawn or not ledger_file(study).exists():
            return False
        return any(claim.figure in drawn for claim in read_ledger(study).claims)

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

    @cached_property
    def _data_places(self) -> dict[Shard, tuple[str, str]]:
        return {
            shard: (shard.experiment, self._sweeps(shard)[0].data(shard.family, shard.seed)[0])
            for shard in self.shards
        }

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
