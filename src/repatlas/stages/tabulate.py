"""tabulate: the rows that one figure needs, with the settings of their networks as columns."""

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import pandas as pd
import pyarrow as pa

from repatlas.artifacts.files import (
    METRICS_SCHEMA,
    NETWORK_PAIRS_SCHEMA,
    PAIRS_SCHEMA,
    read_header,
    read_table,
    write_table,
)
from repatlas.artifacts.pieces import write_pieces
from repatlas.artifacts.recipes.grids import experiment_of, grid_of
from repatlas.artifacts.recipes.study import TabulateJob, seeds_of
from repatlas.named import named
from repatlas.record import Refused
from repatlas.stages.in_order import ExternalSort, typed
from repatlas.stages.job import log, made_from, show, stage_parser

ROWS_AT_A_TIME = 1 << 18
"""Rows of metrics in memory, where networks are read one seed after another"""


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    parser.add_argument("--metrics", type=Path, nargs="*", required=True)
    parser.add_argument("--pairs", type=Path, nargs="*", default=[], help="of comparisons")
    options = parser.parse_args(arguments)
    job = TabulateJob.read(options.job)
    room = f"studies.{job.study}"
    if hasattr(named(f"{room}.figures.{job.draw}", "table"), "per_network"):
        rows = _seed_by_seed(options, job, room)
    else:
        rows = _at_once(options, job, room)
    show(options)
    log(f"{job.figure}: {rows} rows from {len(options.metrics) + len(options.pairs)} files")


def _at_once(options: Namespace, job: TabulateJob, room: str) -> int:
    """Make a table from all rows of its roles together; returns how many rows it has."""
    columns = named(room, "columns")
    files = {path: read_table(path, "metrics", METRICS_SCHEMA) for path in options.metrics}
    of_pairs = {path: _pairs(path) for path in options.pairs}
    inputs = {path: header for path, (header, _) in (files | of_pairs).items()}
    header = made_from(options, job, inputs)
    metrics = [(about, table.to_pandas()) for about, table in files.values()]
    rows = _by_role(room, metrics, job.sweeps)
    for role, comparisons in (job.comparisons or {}).items():
        compared = [_compared(room, list(of_pairs.values()), each) for each in comparisons]
        rows[role] = pd.concat(compared, ignore_index=True)
    schema = columns.table_schema(map(grid_of, job.grids()))
    table = (
        named(f"{room}.figures.{job.draw}", "table")
        .tabulate(rows, job.step)
        .reindex(columns=schema.names)
    )
    table = table.sort_values(_sorted_by(columns, schema), kind="stable", ignore_index=True)
    write_table(options.output, "table", header, typed(table, schema))
    return len(table)


def _seed_by_seed(options: Namespace, job: TabulateJob, room: str) -> int:
    """Make a table of rows of single networks, and of rows over networks. Rows over networks
    follow from the rows of a few kinds at a time. Memory never holds more than some seeds, or some
    kinds."""
    columns, module = named(room, "columns"), named(f"{room}.figures.{job.draw}", "table")
    schema = columns.table_schema(map(grid_of, job.grids()))
    # Check all files first: a file that was not planned is refused before any rows are read.
    inputs: dict[Path, dict] = {}
    paths: dict[int, list[Path]] = {}
    for path in options.metrics:
        about = read_header(path, "metrics")
        inputs[path] = {"identity": about["identity"]}
        paths.setdefault(about["job"]["seed"], []).append(path)
    header = made_from(options, job, inputs)
    wanted = {seed for grids in job.sweeps.values() for each in grids for seed in seeds_of(each)}
    if lost := wanted - paths.keys():
        raise Refused(f"no file of metrics has seed {min(lost)}: start the same command again")
    with TemporaryDirectory(prefix="repatlas-") as folder:
        table = ExternalSort(Path(folder), schema, _sorted_by(columns, schema))
        for seeds, metrics in _some_seeds(paths):
            sweeps = {
                role: [each | {"seeds": sorted(seeds & {*seeds_of(each)})} for each in grids]
                for role, grids in job.sweeps.items()
            }
            table.add(module.per_network(_by_role(room, metrics, sweeps), job.step))
        if hasattr(module, "over_networks"):
            found = [module.over_networks(rows) for rows in table.groups(module.TOGETHER)]
            table.add(pd.concat(found, ignore_index=True))
        write_pieces(options.output, "table", header, table)
        return table.num_rows


def _some_seeds(
    paths: dict[int, list[Path]],
) -> Iterator[tuple[set[int], list[tuple[dict, pd.DataFrame]]]]:
    """Yield the metrics of a few seeds at a time, in ascending order: the seeds, and the header and
    rows of each file.

    paths: the files of each seed.
    """
    seeds, metrics = set(), []
    for seed in sorted(paths):
        for path in paths[seed]:
            about, table = read_table(path, "metrics", METRICS_SCHEMA)
            metrics.append((about, table.to_pandas()))
        seeds.add(seed)
        if sum(len(frame) for _, frame in metrics) >= ROWS_AT_A_TIME:
            yield seeds, metrics
            seeds, metrics = set(), []
    if metrics:
        yield seeds, metrics


def _sorted_by(columns: ModuleType, schema: pa.Schema) -> list[str]:
    more = [name for name in schema.names if name not in columns.TABLE_SCHEMA.names]
    return [*columns.SORTED_BY, *more]


def _by_role(
    room: str, metrics: list[tuple[dict, pd.DataFrame]], sweeps: dict[str, list[dict[str, Any]]]
) -> dict[str, pd.DataFrame]:
    """Return the rows of the sweeps of each role."""
    return {
        role: pd.concat([_rows(room, metrics, sweep) for sweep in own], ignore_index=True)
        for role, own in sweeps.items()
    }


def _pairs(path: Path) -> tuple[dict, pa.Table]:
    """Read a file of pairs: of networks, or of representations in files."""
    of_networks = "specs" in read_header(path, "pairs")["job"]
    return read_table(path, "pairs", NETWORK_PAIRS_SCHEMA if of_networks else PAIRS_SCHEMA)


def _compared(
    room: str, pairs: list[tuple[dict, pa.Table]], comparison: dict[str, Any]
) -> pd.DataFrame:
    """Return the rows of a comparison, each with the settings of its two sides, and its name."""
    name, between = comparison["name"], comparison["between"]
    own = [table.to_pandas() for header, table in pairs if header["job"]["comparison"] == name]
    # A preview may leave no pair of networks.
    nothing = NETWORK_PAIRS_SCHEMA.empty_table().to_pandas()
    rows = pd.concat(own, ignore_index=True) if own else nothing
    module = named(f"{room}.settings", experiment_of(between[0][0]))
    first, second = ([grid_of(grid) for grid in grids] for grids in (between[0], between[-1]))
    return module.pairs_with_settings(rows.assign(comparison=name), first, second)


def _rows(
    room: str, metrics: list[tuple[dict, pd.DataFrame]], sweep: dict[str, Any]
) -> pd.DataFrame:
    """Return the rows of a sweep's networks and steps, each with its network's settings."""
    experiment = experiment_of(sweep)
    of_experiment = [each for each in metrics if each[0]["job"]["experiment"] == experiment]
    module = named(f"{room}.settings", experiment)
    return module.with_settings(of_experiment, grid_of(sweep), seeds_of(sweep))
