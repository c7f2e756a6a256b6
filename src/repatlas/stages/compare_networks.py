"""compare, of networks: the similarities of the pairs of a cohort, one row each."""

import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from threadpoolctl import threadpool_limits

from repatlas.artifacts.files import (
    NETWORK_PAIRS_SCHEMA,
    Arrays,
    Unreadable,
    read_table,
    set_aside,
    write_table,
)
from repatlas.artifacts.locks import exclusive
from repatlas.artifacts.recipes.grids import experiment_of
from repatlas.artifacts.recipes.pairs import NETWORK_SIMILARITIES, CompareNetworksJob
from repatlas.artifacts.runs import Parameters, run_arrays
from repatlas.artifacts.versions import versions
from repatlas.named import named
from repatlas.pairs.chosen import chosen, has_floor
from repatlas.pairs.floor import floor
from repatlas.pairs.seen import Network, Row, Seen, Settings
from repatlas.record import Refused
from repatlas.stages.job import (
    WORK,
    arrays_of_seed,
    is_made,
    log,
    made_from,
    show,
    stage_parser,
)

OF_GROUP = ("a_seed", "b_seed", "a_step", "items", "by")
Group = tuple[int, int, int, str, str]
"""The rows that are measured together: seeds, step, items and measure."""


class Run(NamedTuple):
    """A network at all its steps."""

    spec: Any
    seed: int
    compared: Any
    """What shows its layers, for all networks of its data and seed"""
    runs: Arrays

    @property
    def about(self) -> dict[str, Any]:
        """What the file of the runs says of it."""
        return self.runs.header["runs"][self.spec.key]

    @property
    def basis(self) -> dict[str, Any]:
        """What its activity depends on."""
        return {name: self.about[name] for name in ("basis", "diverged_step")}

    def at(self, step: int, numbers: list[int] | None) -> Network:
        arrays = run_arrays(self.runs, self.spec.key)
        index = self.about["steps"].index(step)
        parameters = Parameters(self.runs, self.spec.key, arrays, index)
        return Network(self.compared, self.spec, self.seed, parameters, numbers)


class Side(NamedTuple):
    """A spec of the cohort, and a seed."""

    spec: int
    seed: int


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    for name in ("--data", "--runs"):
        help = "of seeds 0, 1, ... of the first spec, and then of the second one, if any"
        parser.add_argument(name, type=Path, nargs="+", required=True, help=help)
    options = parser.parse_args(arguments)
    job = CompareNetworksJob.read(options.job)
    cohort, headers = _cohort(job, options.data, options.runs)
    header = made_from(options, job, headers)
    with exclusive(options.output), threadpool_limits(limits=1):
        if is_made(options.output):
            return show(options)
        basis = job.basis() | {
            "networks": {_name(cohort[side]): cohort[side].basis for side in cohort}
        }
        keys, tables = [spec.key for spec in job.parsed()], {}
        for path in dict.fromkeys([options.output, *versions(options.output)]):
            tables = _stored(path, basis, keys) | tables
        pairs = chosen(job.pairs, job.seeds, len(job.specs) == 2)
        groups = [
            (*pair, step, items, name)
            for pair in pairs
            for step in job.steps
            for items in job.items
            for name in job.similarities
            if getattr(named(NETWORK_SIMILARITIES, name), "ON", items) == items
        ]
        missing = [group for group in groups if group not in tables]
        log(f"{len(pairs)} pairs: {len(groups) - len(missing)} of {len(groups)} kept")
        started = time.perf_counter()
        for group, rows in _measured(job, cohort, missing):
            tables[group] = pa.Table.from_pylist(rows, schema=NETWORK_PAIRS_SCHEMA)
        log(f"{len(missing)} measured in {time.perf_counter() - started:.0f} s")
        log(f"{WORK}{len(missing)}")
        found = [tables[group] for group in groups]
        rows = pa.concat_tables(found) if found else NETWORK_PAIRS_SCHEMA.empty_table()
        write_table(options.output, "pairs", header | {"basis": basis}, rows)
    return show(options)


def _cohort(
    job: CompareNetworksJob, data: list[Path], runs: list[Path]
) -> tuple[dict[Side, Run], dict[Path, dict]]:
    """Return each network, and the headers of all files. A file of several networks is opened
    once."""
    opened: dict[Path, Arrays] = {}
    shown: dict[tuple[Path, int], Any] = {}
    specs = job.parsed()[: len(job.specs)]
    sides = [Side(number, seed) for number in range(len(specs)) for seed in range(job.seeds)]
    cohort = {}
    for side, of_data, of_runs in zip(sides, data, runs, strict=True):
        for path, kind in ((of_data, "data"), (of_runs, "runs")):
            if path not in opened:
                opened[path] = arrays_of_seed(path, kind, side.seed)
        spec = specs[side.spec]
        if spec.key not in opened[of_runs].header["runs"]:
            raise Unreadable(of_runs, f"lacks network {spec.key}")
        if (of_data, side.seed) not in shown:
            room = f"experiments.{experiment_of(job.specs[side.spec])}"
            of_seed = named(room, "compared").Compared(opened[of_data], side.seed)
            shown[of_data, side.seed] = of_seed
        cohort[side] = Run(spec, side.seed, shown[of_data, side.seed], opened[of_runs])
    return cohort, {path: arrays.header for path, arrays in opened.items()}


def _name(run: Run) -> str:
    return f"{run.spec.key}/{run.seed}"


def _sides(job: CompareNetworksJob, group: Group) -> tuple[Side, Side]:
    return Side(0, group[0]), Side(len(job.specs) - 1, group[1])


def _measured(
    job: CompareNetworksJob, cohort: dict[Side, Run], missing: list[Group]
) -> Iterator[tuple[Group, list[dict[str, Any]]]]:
    """Yield the rows of these groups. Groups of one step and set of items are measured layer by
    layer. Each thin SVD is then made once, and memory holds the SVDs of one layer."""
    settings = Settings.model_validate(job.settings)
    for (step, items), together in groupby(sorted(missing, key=_place), _place):
        of_step = list(together)
        needed = sorted({side for group in of_step for side in _sides(job, group)})
        networks = {side: cohort[side].at(step, job.layers) for side in needed}
        lost = {
            side: reason
            for side in needed
            if (reason := _lost(job, cohort[side], networks[side], step, items))
        }
        rows: dict[Group, list[dict[str, Any]]] = {group: [] for group in of_step}
        whole = []
        for group in of_step:
            a, b = _sides(job, group)
            if reason := lost.get(a) or lost.get(b):
                row = Row(group[-1], "diverged", np.nan, reason=reason)
                rows[group].append(_pair_columns(cohort[a], cohort[b], group) | _value_columns(row))
            else:
                whole.append(group)
        for number, variant in _places(networks, items, [s for s in needed if s not in lost]):
            seen: dict[Side, Seen] = {}
            for group in whole:
                sides = _sides(job, group)
                if not all((number, variant) in networks[s].layers(items) for s in sides):
                    continue
                for side in sides:
                    if side not in seen:
                        seen[side] = networks[side].seen(items, number, variant)
                x, y = (seen[side] for side in sides)
                about = _layer_columns(*(cohort[s] for s in sides), group, x, y)
                rows[group] += [about | _value_columns(row) for row in _rows(group, x, y, settings)]
        yield from rows.items()


def _place(group: Group) -> tuple[int, str]:
    return group[2], group[3]


def _rows(group: Group, x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield the values of a measure for a pair, and its noise floor."""
    if len(x.rows) != len(y.rows):
        raise Refused(
            f"compare: found layer {x.number} {x.variant} of {len(x.rows)} rows in one network and"
            f" of {len(y.rows)} in another, allowed: the same items in both"
        )
    measure = named(NETWORK_SIMILARITIES, group[-1])
    yield from measure.rows(x, y, settings)
    if measure.DRAWS and has_floor(group[:2]):
        yield from floor(measure, x, y, settings, seed=group[0])


def _lost(job: CompareNetworksJob, run: Run, network: Network, step: int, items: str) -> str | None:
    """Return why a network cannot be compared; None if it can. Raises Refused for items and layers
    that it does not have."""
    diverged = run.about["diverged_step"]
    if diverged is not None and step >= diverged:
        return f"the network of seed {run.seed} had diverged at step {diverged}"
    try:
        layers = network.layers(items)
    except ValueError as error:
        raise Refused(f"compare: {job.comparison}: {error}") from None
    if not all(np.isfinite(layer.rows).all() for layer in layers.values()):
        return f"the activity of the network of seed {run.seed} is not finite"
    return None


def _places(networks: dict[Side, Network], items: str, sides: list[Side]) -> list[tuple[int, str]]:
    """Return the layers that are compared, by number and reduction, in order of depth."""
    found = dict.fromkeys(place for side in sides for place in networks[side].layers(items))
    return sorted(found, key=lambda place: place[0])


def _pair_columns(a: Run, b: Run, group: Group) -> dict[str, Any]:
    """Return the columns of a pair if one of its networks is lost."""
    common = {"step": group[2], "layer": -1, "name": ""}
    one, other = (common | {"run": run.spec.key, "seed": run.seed} for run in (a, b))
    return (
        {f"a_{name}": value for name, value in one.items()}
        | {f"b_{name}": value for name, value in other.items()}
        | {"items": group[3], "by": group[4], "reduction": ""}
    )


def _layer_columns(a: Run, b: Run, group: Group, x: Seen, y: Seen) -> dict[str, Any]:
    """Return the columns that all rows of a pair and layer share."""
    return _pair_columns(a, b, group) | {
        **{"a_layer": x.number, "a_name": x.name, "b_layer": y.number, "b_name": y.name},
        **{"reduction": x.variant, "m": len(x.rows)},
        **{"h_a": x.rows.shape[1], "h_b": y.rows.shape[1], "rank_a": x.rank, "rank_b": y.rank},
    }


def _value_columns(row: Row) -> dict[str, Any]:
    values = row._asdict()
    kept = values.pop("kept") or (None, None)
    for name in ("value", "sd"):
        values[name] = float(values[name]) if np.isfinite(values[name]) else None
    return values | {"kept_a": kept[0], "kept_b": kept[1]}


def _stored(path: Path, basis: dict[str, Any], keys: list[str]) -> dict[Group, pa.Table]:
    """Return the rows that the file has with the same dependencies."""
    if not path.exists():
        return {}
    try:
        header, table = read_table(path, "pairs", NETWORK_PAIRS_SCHEMA)
    except Unreadable as error:
        log(f"{error}; set aside as {set_aside(path).name}")
        return {}
    stored = header["basis"]
    if stored["layers"] != basis["layers"]:
        return {}
    same = {n for n, of in basis["networks"].items() if stored["networks"].get(n) == of}
    measures = {n for n, of in basis["measures"].items() if stored["measures"].get(n) == of}
    found, start = {}, 0
    names = [*OF_GROUP]
    for group, rows in groupby(zip(*(table[n].to_pylist() for n in names), strict=True)):
        number = sum(1 for _ in rows)
        a, b = f"{keys[0]}/{group[0]}", f"{keys[1]}/{group[1]}"
        if a in same and b in same and group[-1] in measures:
            found[group] = table.slice(start, number)
        start += number
    return found
