"""What the jobs of a run are about, in words: the sweeps, the figures and the settings of a config.

Names of families and of tiles end in hashes, which tell a reader nothing.
"""

from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from typing import Any

from repatlas.config.sweeps import OfSweep
from repatlas.plan.places import CohortTile, Product, Shard, Tile
from repatlas.plan.plan import Plan
from repatlas.record import Record

MOST = 3
"""The most names of one kind that a line has. The others are counted."""


class JobWords:
    """Words for the jobs of a plan."""

    def __init__(self, plan: Plan):
        self._plan = plan
        self._known: dict[Product, dict[str, list[str]]] = {}

    def networks(self, shard: Shard, seeds: str) -> str:
        """Return words for the networks of a shard; seeds: their seeds, in words. Representations
        in files have no seeds, but units, which are among their settings."""
        grids = self._grids(shard)
        found = self._settings(next(iter(grids)))[shard.family]
        if shard.experiment == "files":
            return f"{', '.join([_sweeps(grids), *found])}{self._purpose(grids)}"
        settings = f" ({', '.join(found)})" if found else ""
        return f"{_sweeps(grids)}{settings}, {seeds}{self._purpose(grids)}"

    def data(self, experiment: str, data: str) -> str:
        """Return words for what is trained, or measured, on these data."""
        shards = self._shards_of_data[experiment, data]
        if len(shards) == 1:
            return self.networks(shards[0], f"seed {shards[0].seed}")
        grids: dict[Product, list[OfSweep]] = {}
        for shard in shards:
            for sweep, found in self._grids(shard).items():
                grids[sweep] = found
        return f"{_sweeps(grids)}{self._purpose(grids)}"

    def tile(self, tile: Tile | CohortTile) -> str:
        """Return words for the pairs of a tile."""
        study, comparison = tile.study, tile.comparison
        same = [t for t in self._plan.tiles if (t.study, t.comparison) == (study, comparison)]
        part = f", part {same.index(tile) + 1} of {len(same)}" if len(same) > 1 else ""
        drawn = [f for f in self._plan.study_figures(study) if comparison in self._compared(f)]
        return f"{comparison}{part}{_figures({study: [figure.name for figure in drawn]})}"

    def _grids(self, shard: Shard) -> dict[Product, list[OfSweep]]:
        """Return the grids of each sweep that has networks of this shard."""
        found = {}
        for sweep, grids in self._grids_of_family.get((shard.experiment, shard.family), {}).items():
            if own := [grid for grid in grids if shard.seed < grid.seeds]:
                found[sweep] = own
        return found

    def _settings(self, sweep: Product) -> dict[str, list[str]]:
        """Return the settings that distinguish the networks of each family of a sweep from its
        other networks. They are found once."""
        if sweep not in self._known:
            families: dict[str, list[dict[str, Any]]] = {}
            for grid in self._plan.studies[sweep.study].sweeps[sweep.name]:
                for spec in grid.specs() if grid.seeds else ():
                    families.setdefault(spec.family, []).append(_settings_of(spec))
            self._known[sweep] = _distinguishing(families)
        return self._known[sweep]

    @cached_property
    def _grids_of_family(self) -> dict[tuple[str, str], dict[Product, list[OfSweep]]]:
        """By experiment and family."""
        found: dict[tuple[str, str], dict[Product, list[OfSweep]]] = {}
        for study, of_study in self._plan.studies.items():
            for name, grids in of_study.sweeps.items():
                for grid in grids:
                    for family in grid.families:
                        of_family = found.setdefault((grid.experiment, family), {})
                        of_family.setdefault(Product(study, name), []).append(grid)
        return found

    @cached_property
    def _shards_of_data(self) -> dict[tuple[str, str], list[Shard]]:
        return _grouped(self._plan.shards, self._plan.data_place)

    def _purpose(self, sweeps: Collection[Product]) -> str:
        """Return the figures that draw sweeps, or comparisons of their networks."""
        figures: dict[str, list[str]] = {}
        for study in dict.fromkeys(sweep.study for sweep in sweeps):
            own = [sweep for sweep in sweeps if sweep.study == study]
            drawn = {figure for sweep in own for figure in self._drawn_in[sweep]}
            of_study = [figure.name for figure in self._plan.study_figures(study)]
            figures[study] = [name for name in of_study if name in drawn]
        return _figures(figures)

    @cached_property
    def _drawn_in(self) -> dict[Product, list[str]]:
        """The figures of each sweep."""
        found: dict[Product, list[str]] = {
            Product(study, name): []
            for study, of_study in self._plan.studies.items()
            for name in of_study.sweeps
        }
        for figure, options in self._plan.figures.items():
            comparison = self._plan.studies[figure.study].comparison
            names = {name for names in options.sweeps().values() for name in names}
            names |= {name for key in self._compared(figure) for name in comparison(key).between}
            for name in names:
                found[Product(figure.study, name)].append(figure.name)
        return found

    def _compared(self, figure: Product) -> set[str]:
        """Return the comparisons that a figure draws."""
        drawn = self._plan.figures[figure].comparisons()
        return {name for names in drawn.values() for name in names}


def _sweeps(sweeps: Iterable[Product]) -> str:
    """Return the names of sweeps as words.

    >>> _sweeps([Product("gating", "linear"), Product("gating", "race")])
    'linear and race'
    """
    return _listed(list(dict.fromkeys(sweep.name for sweep in sweeps)), "sweep")


def _figures(figures: dict[str, list[str]]) -> str:
    """Return the figures of each study; only the studies if nothing is drawn."""
    parts = [f"{study} {_listed(names)}" if names else study for study, names in figures.items()]
    return f", for {'; '.join(parts)}"


def _listed(names: list[str], kind: str = "") -> str:
    """Return some names as words, and how many more there are.

    >>> _listed(["noise", "lines", "dots", "deep", "fates"], "sweep")
    'noise, lines, dots and 2 more sweeps'
    """
    if len(names) == 1:
        return names[0]
    *others, last = names
    if (more := len(names) - MOST) > 0:
        others, last = names[:MOST], f"{more} more" + f" {kind}{'s' * (more > 1)}" * bool(kind)
    return f"{', '.join(others)} and {last}"


def _grouped(values: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    found: dict[Any, list[Any]] = {}
    for value in values:
        found.setdefault(key(value), []).append(value)
    return found


def _distinguishing(families: dict[str, list[dict[str, Any]]]) -> dict[str, list[str]]:
    """Return the settings that all networks of a family share, and others lack, in words.

    >>> _distinguishing({"a": [{"depth": 1, "n": 4}, {"depth": 1, "n": 8}], "b": [{"depth": 2}]})
    {'a': ['depth 1'], 'b': ['depth 2']}
    """
    every = [about for of_family in families.values() for about in of_family]
    return {
        family: [
            f"{name} {value}"
            for name, value in own[0].items()
            if all(about.get(name) == value for about in own)
            and any(about.get(name) != value for about in every)
        ][:MOST]
        for family, own in families.items()
    }


def _settings_of(spec: Record) -> dict[str, Any]:
    """Return the settings of a network that are one number or word each, by name."""
    parts = [
        dict(value).items() if isinstance(value, (Record, dict)) else [(name, value)]
        for name, value in spec
    ]
    return {
        name: value
        for part in parts
        for name, value in part
        if isinstance(value, (int, float, str)) and not isinstance(value, bool)
    }
