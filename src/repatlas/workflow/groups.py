"""The groups of a sweep: the networks that one job trains, and one job measures.

A group has a few seeds of all networks of a sweep. The seeds are on a fixed grid, 0 to 3, 4 to 7
and so on, so one more seed changes one group. A group of a user's arrays has the arrays of one
unit.
"""

import json
import math
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, NamedTuple

from repatlas.artifacts.layout import file_name
from repatlas.config.multiverse import number_of
from repatlas.config.study import Study
from repatlas.config.sweeps import OfSweep
from repatlas.named import named
from repatlas.runs import Wanted

SEEDS = 4
"""Seeds of a group: the start of a job takes seconds."""
ONE_SEED = ("drawn", "images")
"""Experiments whose jobs take minutes or hours for a seed."""


class Group(NamedTuple):
    study: str
    sweep: str
    label: str
    grids: list[tuple[OfSweep, list[int]]]
    """The grids of the sweep that have some of these seeds, with these"""

    @property
    def experiment(self) -> str:
        return self.grids[0][0].experiment

    @property
    def place(self) -> str:
        """Part of the names of its files."""
        return f"{self.study}/{self.sweep}/{self.label}"

    @property
    def seeds(self) -> list[int]:
        return sorted({seed for _, seeds in self.grids for seed in seeds})

    @property
    def data(self) -> str:
        """The name of the file of its data. Images are the same for all sweeps, and tasks of a few
        items for all seeds."""
        grid, _ = self.grids[0]
        prepare = named(f"experiments.{self.experiment}", "prepare")
        if hasattr(grid, "data_set"):
            return f"images/{self.experiment}/{grid.data_set}.safetensors"
        own = prepare.OWN_DATA or self.experiment == "files"
        return f"tasks/{self.study}/{self.sweep}/{self.label if own else 'all'}.safetensors"

    def records(self, measured: bool = False) -> list[dict[str, Any]]:
        """Return the grids as records, each with its seeds."""
        return [record_of(grid, measured) | {"seeds": seeds} for grid, seeds in self.grids]

    def modules(self) -> list[str]:
        """Return the modules that its networks name."""
        return sorted({module for grid, _ in self.grids for module in grid.modules()})

    def networks(self, seed: int) -> dict[str, Wanted]:
        """Return each network of a seed by its key, with the steps and the measures of all grids
        that hold it."""
        found: dict[str, Wanted] = {}
        for grid in (grid for grid, seeds in self.grids if seed in seeds):
            measures = dict.fromkeys(grid.measures, grid.steps)
            for step, names in grid.more_measures.items():
                measures |= {name: [*measures.get(name, []), step] for name in names}
            for spec in grid.specs():
                known = found.get(key := spec.key, Wanted(spec, [], {}))
                at = {
                    name: sorted({*known.measures.get(name, []), *steps})
                    for name, steps in measures.items()
                }
                steps = sorted({*known.steps, *grid.steps})
                found[key] = Wanted(spec, steps, dict(sorted((known.measures | at).items())))
        return found

    def shares(self, other: "Group") -> bool:
        """Return True if another group has networks of this one: some grids of both have a value
        of each setting in common."""
        return any(
            a.axes.keys() == b.axes.keys()
            and not any(values.isdisjoint(b.axes[name]) for name, values in a.axes.items())
            for (a, _), (b, _) in product(self.grids, other.grids)
        )

    @property
    def number(self) -> int:
        """The number of its networks; the same network in two grids counts twice."""
        return sum(len(seeds) * math.prod(map(len, g.axes.values())) for g, seeds in self.grids)


def record_of(grid: OfSweep, measured: bool = False) -> dict[str, Any]:
    """Return a grid as a record, without the paths of a user's files: their data say what is in
    them. measured: with its measures."""
    fields = {"steps", *grid.settings} | ({"measures", "more_measures"} if measured else set())
    found = grid.model_dump(mode="json", include=fields, exclude_defaults=True)
    if measured:
        found["measures"] = list(grid.measures)
    for each in found.get("arrays", ()):
        del each["parts"]
    return with_experiment(found, grid)


def with_experiment(record: dict[str, Any], of: Any) -> dict[str, Any]:
    """Return the record of a grid, or of a spec, with its experiment if that is not the default."""
    return record | ({} if of.experiment == "clusters" else {"experiment": of.experiment})


def with_seeds(grids: Iterable[OfSweep]) -> list[dict[str, Any]]:
    """Return each of these grids once, with the number of its seeds, sorted."""
    found = (record_of(grid) | {"seeds": grid.seeds} for grid in grids)
    return [*map(json.loads, sorted({json.dumps(each, sort_keys=True) for each in found}))]


def groups_of(study: str, sweep: str, grids: list[OfSweep]) -> Iterator[Group]:
    """Yield the groups of a sweep, in the order of their seeds."""
    experiment, place = grids[0].experiment, file_name(sweep)
    if experiment == "files":
        for family in grids[0].families:
            yield Group(study, place, family, [(grids[0].of(family), [0])])
        return
    size = 1 if experiment in ONE_SEED else SEEDS
    for first in range(0, max(grid.seeds for grid in grids), size):
        own = [(g, [*range(first, min(first + size, g.seeds))]) for g in grids if g.seeds > first]
        yield Group(study, place, f"seeds-{first}", own)


def base_of(name: str) -> str:
    """Return the name of a sweep, a figure or a comparison without its number in a multiverse.

    >>> base_of("noise_setting017"), base_of("noise")
    ('noise_settings', 'noise')
    """
    return name if number_of(name) is None else f"{name.rpartition('_setting')[0]}_settings"


def sweeps_of(study: Study) -> dict[str, list[OfSweep]]:
    """Return the sweeps of a study by name. The networks of all settings of a multiverse are one
    sweep, with each grid once."""
    found: dict[str, dict[str, OfSweep]] = {}
    for name, grids in study.sweeps.items():
        found.setdefault(base_of(name), {}).update({g.model_dump_json(): g for g in grids})
    return {name: [*grids.values()] for name, grids in found.items()}
