"""Which networks of a study are compared with which, and how."""

import json
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, Field

from repatlas.artifacts.layout import file_name
from repatlas.config.sweeps import OfSweep
from repatlas.grids import Steps, sorted_unique, unique
from repatlas.named import named, names
from repatlas.pairs.seed_pairs import How, seed_pairs
from repatlas.pairs.seen import Settings
from repatlas.record import Record, refuse
from repatlas.texts import Name

PACKAGE = "pairs.similarities"
Similarity = Literal[*names(PACKAGE)]
BEYOND = 3
"""The largest number of layers after the layers that the depth of a network counts: a dense hidden
layer after convolutions, logits and softmax. Only the networks know the exact number."""
Sweeps = dict[str, list[OfSweep]]


class Cohort(NamedTuple):
    """The networks of one comparison job: all seeds of one spec, or of two."""

    specs: tuple[Any, ...]
    seeds: int
    steps: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name of the cohort in the names of files."""
        return "-".join([self.specs[0].family, *(spec.key for spec in self.specs)])


class NetworkComparison(Record):
    """Networks of one sweep, or of two, compared pair by pair on the same items."""

    between: Annotated[list[str], AfterValidator(unique)] = Field(min_length=1, max_length=2)
    """One sweep: networks of each of its specs with different seeds. Two sweeps: networks of one
    sweep with networks of the other. Their specs must agree in the settings that vary within a
    sweep."""
    name: Name | None = None
    """The name that figures and files use. If not given, the names of the sweeps, with - between
    them."""
    pairs: How = "all"
    """"all" of different seeds; "disjoint", 0 and 1, 2 and 3 and so on; "cyclic", each seed with
    the next, and the last with 0; "first", 0 and 1 alone; "same_seed", of two sweeps."""
    similarities: Annotated[list[Similarity], AfterValidator(sorted_unique)] = Field(min_length=1)
    """Measures of two networks."""
    items: Annotated[list[str], AfterValidator(unique)] = Field(min_length=1)
    """The sets of items, such as "train" and "test". The experiment defines the sets."""
    steps: Annotated[Steps, Field(min_length=1)] | None = None
    """Steps at which networks are compared; if not given, the first and the last that are stored.
    """
    layers: Annotated[list[Annotated[int, Field(ge=0)]], AfterValidator(sorted_unique)] | None = (
        Field(None, min_length=1)
    )
    """Numbers of layers: 0 is the input, 1 the first hidden layer, the logits come after the last
    one. If not given, all."""
    svcca_k: Annotated[list[Annotated[int, Field(ge=1)]], AfterValidator(sorted_unique)] = Field(
        [8]
    )
    """Numbers of leading directions that SVCCA keeps, in addition to the directions with 99 % of
    the variance."""

    @property
    def key(self) -> str:
        """The name that figures and files use."""
        return self.name or "-".join(self.between)

    @property
    def folder(self) -> str:
        """The folder of the files of the comparison."""
        return file_name(*([self.name] if self.name else self.between))

    @property
    def settings(self) -> Settings:
        """The settings of the measures."""
        return Settings(svcca_k=self.svcca_k)

    def cohorts(self, sweeps: Sweeps) -> list[Cohort]:
        """Return the cohorts of these sweeps that have a pair, by name."""
        first, *second = (_networks(sweeps[name]) for name in self.between)
        found = []
        for place, (spec, grid) in _by_what_varies(first, second).items():
            specs, grids = [spec], [grid]
            if second:
                partner = _by_what_varies(second[0], [first]).get(place)
                if partner is None:  # left out by a preview
                    continue
                specs.append(partner[0])
                grids.append(partner[1])
            seeds = min(each.seeds for each in grids)
            stored = sorted(set.intersection(*(set(each.steps) for each in grids)))
            steps = self.steps or stored[:1] + stored[1:][-1:]
            if seed_pairs(self.pairs, seeds, bool(second)):
                found.append(Cohort(tuple(specs), seeds, tuple(steps)))
        return found

    def check(self, sweeps: Sweeps) -> None:
        """Refuse sweeps of the study that cannot be compared."""
        for name in self.between:
            if name not in sweeps:
                allowed = ", ".join(sweeps) or "a sweep, and there is none"
                refuse(f"compare: found {name!r} in between, allowed: {allowed}")
        two = len(self.between) == 2
        if self.pairs == "same_seed" and not two:
            refuse(
                f"compare: pairs: same_seed needs two sweeps in between, since a network is not"
                f" compared with itself; found {self.between[0]!r}"
            )
        experiments = {sweeps[name][0].experiment for name in self.between}
        if len(experiments) > 1:
            found = " and ".join(sorted(experiments))
            refuse(f"compare: between names sweeps of experiments {found}; all must be of one")
        experiment = experiments.pop()
        if not shows_layers(experiment):
            refuse(
                f"compare: networks of experiment {experiment!r} cannot be compared: it has no"
                " compared.py"
            )
        for name in self.between:
            for grid in sweeps[name]:
                self._check_sweep(name, grid)
        self._check_draws(sweeps)
        if two:
            self._check_correspondence(*(_networks(sweeps[name]) for name in self.between))
        if not all(cohort.steps for cohort in self.cohorts(sweeps)):
            both = " and ".join(self.between)
            refuse(f"compare: {both} store no step in common; add a step that both store")
        for name in self.similarities:
            on = getattr(named(PACKAGE, name), "ON", None)
            if on and on not in self.items:
                refuse(
                    f"compare: {name!r} is fitted on items {on}, found items"
                    f" {', '.join(self.items)}; add {on}"
                )

    def _check_sweep(self, name: str, grid: OfSweep) -> None:
        if self.pairs != "same_seed" and grid.seeds < 2:
            refuse(
                f"compare: found sweep {name!r} of {grid.seeds} seed, allowed: 2 seeds or more,"
                " since networks of one seed begin alike"
            )
        if lacking := sorted(set(self.steps or ()) - set(grid.steps)):
            refuse(
                f"compare: found step {lacking[0]}, allowed: the steps of sweep {name!r}:"
                f" {grid.steps}"
            )
        for spec in grid.specs():
            if self.pairs != "same_seed" and has_own_items(spec):
                refuse(
                    f"compare: found pairs: {self.pairs} for sweep {name!r}, but each of its seeds"
                    " has another task, allowed: pairs: same_seed, between two sweeps"
                )
            most = getattr(getattr(spec, "network", None), "depth", None)
            if most is not None and self.layers and self.layers[-1] > most + BEYOND:
                refuse(
                    f"compare: found layer {self.layers[-1]}, allowed: up to {most + BEYOND} for"
                    f" networks of sweep {name!r}, which have {most} hidden layers"
                )

    def _check_draws(self, sweeps: Sweeps) -> None:
        """Refuse pairs of networks that learn different draws of their task."""
        grids = [grid for name in self.between for grid in sweeps[name]]
        shared = {_seeds_per_draw(spec) for grid in grids for spec in grid.specs()}
        if len(shared) > 1:
            found = " and ".join(sorted("null" if n is None else str(n) for n in shared))
            refuse(
                f"compare: found task.seeds_per_draw {found} between {' and '.join(self.between)},"
                " allowed: one value, since networks are compared on the same images"
            )
        number = shared.pop()
        pairs = seed_pairs(self.pairs, max(grid.seeds for grid in grids), len(self.between) == 2)
        if number and any(a // number != b // number for a, b in pairs):
            refuse(
                f"compare: found pairs: {self.pairs} for sweep {self.between[0]!r}, but only"
                f" {number} of its seeds share a draw of the images. Allowed: pairs: disjoint with"
                " task.seeds_per_draw: 2; or task.seeds_per_draw: null"
            )

    def _check_correspondence(self, first: list, second: list) -> None:
        """Refuse a network of one sweep that has no partner in the other."""
        both = _by_what_varies(first, [second]), _by_what_varies(second, [first])
        one, other = self.between
        if len(both[0]) == 1 == len(both[1]):
            return
        for (name, rest), mine, theirs in zip(
            ((one, other), (other, one)), both, both[::-1], strict=True
        ):
            if alone := [place for place in mine if place not in theirs]:
                settings = ", ".join(f"{key} {value}" for key, value in alone[0])
                refuse(
                    f"compare: networks of sweep {name!r} ({settings}) have no partner in {rest!r};"
                    " allowed: one spec in each sweep, or the same values of all settings that vary"
                    " within a sweep"
                )


def shows_layers(experiment: str) -> bool:
    """Return True if the networks of an experiment can be compared: if it has a module
    `compared`."""
    return "compared" in names(f"experiments.{experiment}")


def has_own_items(spec: Any) -> bool:
    """Return True if the networks of each seed have a separate task, and so separate items. A task
    with a `geometry`, the number by which it is drawn, is the same for all seeds."""
    own_data = named(f"experiments.{spec.experiment}", "prepare").OWN_DATA
    return own_data and not hasattr(getattr(spec, "task", None), "geometry")


def _seeds_per_draw(spec: Any) -> int | None:
    return getattr(getattr(spec, "task", None), "seeds_per_draw", None)


Network = tuple[Any, OfSweep]


def _networks(grids: list[OfSweep]) -> list[Network]:
    """Return every spec of a sweep, with its grid."""
    return [(spec, grid) for grid in grids for spec in grid.specs()]


def _by_what_varies(
    own: list[Network], others: list[list[Network]]
) -> dict[tuple[tuple[str, str], ...], Network]:
    """Return the networks of a sweep by the settings that vary within it, or within one of the
    other sweeps."""
    flat = [[_flat(spec) for spec, _ in each] for each in (own, *others)]
    varying = sorted(
        {
            place
            for settings in flat
            for each in settings
            for place in {*settings[0], *each}
            if each.get(place, "none") != settings[0].get(place, "none")
        }
    )
    return {
        tuple((place, _text(settings, place)) for place in varying): network
        for settings, network in zip(flat[0], own, strict=True)
    }


def _text(settings: dict[str, Any], place: str) -> str:
    return json.dumps(settings[place]) if place in settings else "none"


def _flat(settings: Any, place: str = "") -> dict[str, Any]:
    """Return the settings of a record by their path, such as "network.width"."""
    if not isinstance(settings, Record):
        return {place: settings}
    found: dict[str, Any] = {}
    for name, value in settings:
        found |= _flat(value, f"{place}.{name}" if place else name)
    return found
