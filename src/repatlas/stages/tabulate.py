"""tabulate: the rows that one figure needs, with the settings of their networks as columns."""

import json
from pathlib import Path
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
from repatlas.artifacts.jobs import (
    TabulateJob,
    experiment_of,
    grid_of,
    kind_of_comparison,
    seeds_of,
)
from repatlas.named import named
from repatlas.stages.job import log, made_from, stage_parser


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    parser.add_argument("--metrics", type=Path, nargs="*", required=True)
    parser.add_argument("--pairs", type=Path, nargs="*", default=[], help="of comparisons")
    options = parser.parse_args(arguments)
    job = TabulateJob.read(options.job)
    room = f"studies.{job.study}"
    columns = named(room, "columns")

    files = {path: read_table(path, "metrics", METRICS_SCHEMA) for path in options.metrics}
    of_pairs = {path: _pairs(path) for path in options.pairs}
    inputs = {path: header for path, (header, _) in (files | of_pairs).items()}
    header = made_from(options, job, inputs)
    metrics = [(about, table.to_pandas()) for about, table in files.values()]
    rows = {
        role: pd.concat([_rows(room, metrics, sweep) for sweep in sweeps], ignore_index=True)
        for role, sweeps in job.sweeps.items()
    }
    for role, comparisons in (job.comparisons or {}).items():
        compared = [_compared(room, list(of_pairs.values()), each) for each in comparisons]
        rows[role] = pd.concat(compared, ignore_index=True)
    schema = columns.table_schema(map(grid_of, job.grids()))
    table = named(f"{room}.tables", job.draw).tabulate(rows, job.step).reindex(columns=schema.names)
    more = [name for name in schema.names if name not in columns.TABLE_SCHEMA.names]
    table = table.sort_values([*columns.SORTED_BY, *more], kind="stable", ignore_index=True)

    whole = {name: "Int32" for name in schema.names if schema.field(name).type == "int32"}
    typed = pa.Table.from_pandas(table.astype(whole), schema=schema, preserve_index=False)
    write_table(options.output, "table", header, typed)
    log(f"{job.figure}: {len(table)} rows from {len(inputs)} files")


def _pairs(path: Path) -> tuple[dict, pa.Table]:
    """A file of pairs: of networks, or of representations in files."""
    text = json.dumps(read_header(path, "pairs")["job"])
    of_networks = kind_of_comparison(text) == "networks"
    return read_table(path, "pairs", NETWORK_PAIRS_SCHEMA if of_networks else PAIRS_SCHEMA)


def _compared(
    room: str, pairs: list[tuple[dict, pa.Table]], comparison: dict[str, Any]
) -> pd.DataFrame:
    """The rows of a comparison, each with the settings of its two sides, and its name."""
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
    """The rows of a sweep's networks and steps, each with its network's settings."""
    experiment = experiment_of(sweep)
    of_experiment = [each for each in metrics if each[0]["job"]["experiment"] == experiment]
    module = named(f"{room}.settings", experiment)
    return module.with_settings(of_experiment, grid_of(sweep), seeds_of(sweep))
