"""Compares the networks of cohorts: a row for each number of a pair, with its comparison.

Each row says what it was made from, in the column `made`: both networks, step, items, layers, and
the similarity with its settings and code. Rows of other versions of the file that were made from
the same are taken as they are.
"""

import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from threadpoolctl import threadpool_limits

from repatlas.artifacts.files import NETWORK_PAIRS_SCHEMA, Arrays
from repatlas.config.comparisons import PACKAGE, Cohort, NetworkComparison
from repatlas.named import named
from repatlas.pairs import seen
from repatlas.pairs.floor import rows_and_floor
from repatlas.pairs.seed_pairs import seed_pairs
from repatlas.record import Refused
from repatlas.workflow import code, scopes
from repatlas.workflow.groups import Group
from repatlas.workflow.networks import trained
from repatlas.workflow.results import MADE, OF_MADE, with_comparison, write_rows
from repatlas.workflow.stages import Job, log
from repatlas.workflow.stages.prepare import data_of_seed

SCHEMA = pa.schema([*NETWORK_PAIRS_SCHEMA, OF_MADE])
Side = tuple[int, int]
"""The number of a spec of the cohort, and a seed"""


def make(job: Job) -> None:
    """Measure what no other version of the file has, and write all rows of the cohorts."""
    groups, cohorts = job.what
    job.declare(*scopes.pairs(cohorts))
    data, network = _data(job, groups), trained(job)
    known, tables = job.known("pairs", SCHEMA), []
    # The last bits of BLAS depend on its number of threads.
    with threadpool_limits(limits=1):
        for comparison, cohort in cohorts:
            found = _Comparing(job, comparison, cohort, data, network).tables(known)
            tables.append(with_comparison(comparison.key, found))
    write_rows(job.output(".parquet"), "pairs", job.header, tables)


def _data(job: Job, groups: list[Group]) -> Callable[[Any, int], Any]:
    """Return a function of a spec and a seed, which returns the data of this network."""
    job.inputs("data")
    opened = cache(lambda name: Arrays(job.plan.version(name), "data"))
    own = cache(lambda name, seed: data_of_seed(opened(name), seed))
    names = {}
    for group in groups:
        for grid, seeds in group.grids:
            names |= {(spec.key, seed): group.data for spec in grid.specs() for seed in seeds}
    return lambda spec, seed: own(names[spec.key, seed], seed)


class Part(NamedTuple):
    """The rows of a similarity of two networks, at a step and for a set of items."""

    made: str
    a: Side
    b: Side
    step: int
    items: str
    by: str


class _Comparing:
    """Compares the networks of a cohort."""

    def __init__(self, job: Job, comparison: NetworkComparison, cohort: Cohort, data, network):
        self.job, self.comparison, self.cohort = job, comparison, cohort
        of_sides = {
            (n, s): spec for n, spec in enumerate(cohort.specs) for s in range(cohort.seeds)
        }
        self.networks = {side: network(spec.key, side[1]) for side, spec in of_sides.items()}
        experiment = named(f"experiments.{cohort.specs[0].experiment}", "compared")
        compared = cache(experiment.Compared)  # one shows all networks of the same data and seed
        self.compared = {s: compared(data(spec, s[1]), s[1]) for s, spec in of_sides.items()}

    def tables(self, known: dict[str, pa.Table]) -> list[pa.Table]:
        """Return the rows of each part. Measures those that are not known, and adds them there."""
        started, parts = time.perf_counter(), list(self._parts())
        missing = [part for part in parts if part.made not in known]
        log(f"{self.cohort.name}: {len(parts) - len(missing)} of {len(parts)} parts kept")
        place = attrgetter("step", "items")
        for _, together in groupby(sorted(missing, key=place), place):
            for part, rows in self._measured(list(together)).items():
                made = [row | {MADE: part.made} for row in rows]
                known[part.made] = pa.Table.from_pylist(made, schema=SCHEMA)
        log(f"{len(missing)} measured in {time.perf_counter() - started:.0f} s")
        return [known[part.made] for part in parts]

    def _parts(self) -> Iterator[Part]:
        comparison, two = self.comparison, len(self.cohort.specs) == 2
        similarities = {name: self._similarity(name) for name in comparison.similarities}
        for i, j in seed_pairs(comparison.pairs, self.cohort.seeds, two):
            a, b = (0, i), (int(two), j)
            both = self.networks[a].identity, self.networks[b].identity, i, j  # seeds draw floors
            for step in self.cohort.steps:
                for items in comparison.items:
                    for name, about in similarities.items():
                        if getattr(named(PACKAGE, name), "ON", items) == items:
                            made = code.key("pair", both, step, items, comparison.layers, about)
                            yield Part(made, a, b, step, items, name)

    def _similarity(self, name: str) -> list[Any]:
        """Return what the rows of a similarity are made from."""
        read = {*getattr(named(PACKAGE, name), "SETTINGS", ())}
        settings = self.comparison.settings.model_dump(include=read)
        return [name, settings, self.job.plan.code(*scopes.pair(self.cohort, name))]

    def _measured(self, parts: list[Part]) -> dict[Part, list[dict[str, Any]]]:
        """Return the rows of parts of one step and set of items. They are measured layer by layer:
        each thin SVD is made once, and memory holds the SVDs of one layer."""
        step, items = parts[0].step, parts[0].items
        sides = sorted({side for part in parts for side in (part.a, part.b)})
        networks = {side: self._at(side, step) for side in sides}
        lost = {side: why for side in sides if (why := self._lost(side, networks[side], parts[0]))}
        rows: dict[Part, list[dict[str, Any]]] = {part: [] for part in parts}
        for part in parts:
            if reason := lost.get(part.a) or lost.get(part.b):
                row = seen.Row(part.by, "diverged", np.nan, reason=reason)
                rows[part].append(self._columns_of_pair(part) | _values(row))
        whole = [part for part in parts if not rows[part]]
        layers = {side: networks[side].layers(items) for side in sides if side not in lost}
        places = dict.fromkeys(place for of_network in layers.values() for place in of_network)
        for place in sorted(places, key=lambda place: place[0]):
            shown = cache(lambda side, place=place: networks[side].seen(items, *place))
            for part in whole:
                if place in layers[part.a] and place in layers[part.b]:
                    x, y = shown(part.a), shown(part.b)
                    about = self._columns_of_pair(part) | _columns_of_layer(x, y)
                    rows[part] += [about | _values(row) for row in self._rows(part, x, y)]
        return rows

    def _at(self, side: Side, step: int) -> seen.Network:
        spec, parameters = self.cohort.specs[side[0]], self.networks[side].at(step)
        wanted = self.comparison.layers
        return seen.Network(self.compared[side], spec, side[1], parameters, wanted)

    def _lost(self, side: Side, network: seen.Network, part: Part) -> str | None:
        """Return why a network cannot be compared; None if it can. Raises Refused for items and
        layers that it does not have."""
        if (diverged := self.networks[side].end("diverged", part.step)) is not None:
            return f"the network of seed {side[1]} had diverged at step {diverged}"
        try:
            layers = network.layers(part.items)
        except ValueError as error:
            raise Refused(f"compare: {self.comparison.key}: {error}") from None
        if not all(np.isfinite(layer.rows).all() for layer in layers.values()):
            return f"the activity of the network of seed {side[1]} is not finite"
        return None

    def _rows(self, part: Part, x: seen.Seen, y: seen.Seen) -> Iterator[seen.Row]:
        """Yield the values of a similarity of a pair, and its noise floor."""
        if len(x.rows) != len(y.rows):
            raise Refused(
                f"compare: found layer {x.number} {x.variant} of {len(x.rows)} rows in one network"
                f" and of {len(y.rows)} in another, allowed: the same items in both"
            )
        similarity, seeds = named(PACKAGE, part.by), (part.a[1], part.b[1])
        yield from rows_and_floor(similarity, x, y, self.comparison.settings, seeds)

    def _columns_of_pair(self, part: Part) -> dict[str, Any]:
        """Return the columns of a pair, without a layer."""
        found = {"items": part.items, "by": part.by, "reduction": ""}
        for name, (number, seed) in (("a", part.a), ("b", part.b)):
            common = {"run": self.cohort.specs[number].key, "seed": seed, "step": part.step}
            common |= {"layer": -1, "name": ""}
            found |= {f"{name}_{column}": value for column, value in common.items()}
        return found


def _columns_of_layer(x: seen.Seen, y: seen.Seen) -> dict[str, Any]:
    """Return the columns that all rows of a pair and layer share."""
    sizes = {"h_a": x.rows.shape[1], "h_b": y.rows.shape[1], "rank_a": x.rank, "rank_b": y.rank}
    both = {"a_layer": x.number, "a_name": x.name, "b_layer": y.number, "b_name": y.name}
    return both | sizes | {"reduction": x.variant, "m": len(x.rows)}


def _values(row: seen.Row) -> dict[str, Any]:
    values = row._asdict()
    kept = values.pop("kept") or (None, None)
    for name in ("value", "sd"):
        values[name] = float(values[name]) if np.isfinite(values[name]) else None
    return values | {"kept_a": kept[0], "kept_b": kept[1]}
