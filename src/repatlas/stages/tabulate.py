"""tabulate: the rows that one figure needs, with the settings of their networks as columns."""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from repatlas.artifacts.files import METRICS_SCHEMA, read_table, write_table
from repatlas.artifacts.jobs import TabulateJob, experiment_of, grid_of
from repatlas.named import named
from repatlas.record import Refused
from repatlas.stages.job import log, made_from, stage_parser
from repatlas.studies.structure.columns import (
    SETTINGS,
    TABLE_SCHEMA,
    setting_columns,
    settings_of,
    table_schema,
)
from repatlas.studies.structure.rows.images import image_rows
from repatlas.studies.structure.rows.panels import ending_at

SORTED_BY = [
    "measure",
    "variant",
    "contrast",
    *(name for name in TABLE_SCHEMA.names if name in SETTINGS.keys() | {"participation_ratio"}),
    "dataset",
    "architecture",
    "pairing",
    "step",
    "seed",
    "layer",
    "neuron",
    "cluster",
]
SORTED_BY += ["inter", "intra", "y", "x"]
DTYPES = {"double": "float64", "int32": "Int32"}
"""In pandas, of settings that some networks may lack: numbers all the same."""


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    parser.add_argument("--metrics", type=Path, nargs="*", required=True)
    options = parser.parse_args(arguments)
    job = TabulateJob.read(options.job)

    files = {path: read_table(path, "metrics", METRICS_SCHEMA) for path in options.metrics}
    header = made_from(options, job, {path: header for path, (header, _) in files.items()})
    found: dict[str, list[tuple[dict, pd.DataFrame]]] = {"clusters": [], "images": []}
    for about, table in files.values():
        found[about["job"]["experiment"]].append((about, table.to_pandas()))
    rows = {
        role: pd.concat([_sweep_rows(found, sweep) for sweep in sweeps], ignore_index=True)
        for role, sweeps in job.sweeps.items()
    }
    kinds = {s["task"]["kind"] for sweeps in job.sweeps.values() for s in sweeps if "task" in s}
    schema = table_schema(kinds)
    figure = named("studies.structure.tables", job.figure)
    table = figure.tabulate(rows, job.step).reindex(columns=schema.names)
    more = [name for name in schema.names if name not in TABLE_SCHEMA.names]
    table = table.sort_values([*SORTED_BY, *more], kind="stable", ignore_index=True)

    whole = {name: "Int32" for name in schema.names if schema.field(name).type == "int32"}
    typed = pa.Table.from_pandas(table.astype(whole), schema=schema, preserve_index=False)
    write_table(options.output, "table", header, typed)
    log(f"{job.figure}: {len(table)} rows from {len(files)} files")


def _sweep_rows(
    found: dict[str, list[tuple[dict, pd.DataFrame]]], sweep: dict[str, Any]
) -> pd.DataFrame:
    """The rows of a sweep's networks and steps, each with its network's settings."""
    grid, seeds, files = grid_of(sweep), sweep["seeds"], found[experiment_of(sweep)]
    if experiment_of(sweep) == "images":
        return image_rows(files, grid, seeds)
    return _cluster_rows([frame for _, frame in files], grid, seeds)


def _cluster_rows(frames: list[pd.DataFrame], grid: Any, wanted: int) -> pd.DataFrame:
    metrics = pd.concat(frames, ignore_index=True)
    networks = [{"run": spec.key} | settings_of(spec) for spec in grid.specs()]
    kinds = SETTINGS | setting_columns((type(grid.specs()[0].task),))
    dtypes = {name: DTYPES[str(kind)] for name, kind in kinds.items() if str(kind) in DTYPES}
    settings = pd.DataFrame(networks).astype(dtypes)
    chosen = (metrics["seed"] < wanted) & metrics["step"].isin(grid.steps)
    rows = ending_at(metrics[chosen], max(grid.steps)).merge(settings, on="run")
    # Of each network, at each step at which any is measured.
    seeds = rows.groupby(["run", "step"])["seed"].nunique().unstack(fill_value=0)
    found = seeds.min(axis="columns").reindex(settings["run"], fill_value=0)
    if (found < wanted).any():
        missing = found[found < wanted].index[0]
        raise Refused(f"the metrics lack network {missing}: {found[missing]} of its seeds")
    # Of the inputs: a task with a chosen alignment is the same for every seed.
    inputs = rows[rows["measure"] == "input_participation_ratio"].drop_duplicates("run")
    ratios = inputs.set_index("run")["value"]
    aligned = rows["alignment"].notna()
    rows["participation_ratio"] = rows["run"].map(ratios).where(aligned)
    return rows.drop(columns="by")
