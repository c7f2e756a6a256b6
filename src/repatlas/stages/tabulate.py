"""tabulate: the rows that one figure needs, with the settings of their networks as columns."""

import importlib
from pathlib import Path

import pandas as pd
import pyarrow as pa

from repatlas.artifacts.files import METRICS_SCHEMA, read_table, write_table
from repatlas.artifacts.provenance import figure_module
from repatlas.experiments.clusters.grid import Grid
from repatlas.refusals import Refused
from repatlas.stages.job import log, made_from, read_job, stage_parser
from repatlas.studies.structure.columns import SETTINGS, TABLE_SCHEMA, settings_of
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
DTYPES = {
    name: {"double": "float64", "int32": "Int32"}[str(kind)]
    for name, kind in SETTINGS.items()
    if str(kind) in ("double", "int32")
}
"""Of settings that some networks may lack: numbers all the same."""


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    parser.add_argument("--metrics", type=Path, nargs="*", required=True)
    parser.add_argument("--image-metrics", type=Path, nargs="*", default=[])
    options = parser.parse_args(arguments)
    job = read_job(options.job, "tabulate")

    paths = [*options.metrics, *options.image_metrics]
    files = {path: read_table(path, "metrics", METRICS_SCHEMA) for path in paths}
    header = made_from(options, "tabulate", {path: header for path, (header, _) in files.items()})
    tables = [files[path][1] for path in options.metrics] or [METRICS_SCHEMA.empty_table()]
    metrics = pa.concat_tables(tables).to_pandas()
    rows = {
        role: pd.concat([_sweep_rows(metrics, sweep) for sweep in sweeps], ignore_index=True)
        for role, sweeps in job["sweeps"].items()
    }
    if "images" in job:
        images = [files[path] for path in options.image_metrics]
        of_images = [(found, table.to_pandas()) for found, table in images]
        rows["images"] = image_rows(of_images, job["images"])
    figure = importlib.import_module(figure_module("tabulate", job["figure"]))
    table = figure.tabulate(rows, job["step"]).reindex(columns=TABLE_SCHEMA.names)
    table = table.sort_values(SORTED_BY, kind="stable", ignore_index=True)

    whole = {
        name: "Int32" for name in TABLE_SCHEMA.names if TABLE_SCHEMA.field(name).type == "int32"
    }
    typed = pa.Table.from_pandas(table.astype(whole), schema=TABLE_SCHEMA, preserve_index=False)
    write_table(options.output, "table", header, typed)
    log(f"{job['figure']}: {len(table)} rows from {len(files)} files")


def _sweep_rows(metrics: pd.DataFrame, sweep: dict) -> pd.DataFrame:
    """The rows of a sweep's networks and steps, each with its network's settings."""
    grid = Grid.model_validate({name: v for name, v in sweep.items() if name != "seeds"})
    networks = [{"run": spec.key} | settings_of(spec) for spec in grid.specs()]
    settings = pd.DataFrame(networks).astype(DTYPES)
    chosen = (metrics["seed"] < sweep["seeds"]) & metrics["step"].isin(grid.steps)
    rows = ending_at(metrics[chosen], max(grid.steps)).merge(settings, on="run")
    # Of each network, at each step at which any is measured.
    seeds = rows.groupby(["run", "step"])["seed"].nunique().unstack(fill_value=0)
    found = seeds.min(axis="columns").reindex(settings["run"], fill_value=0)
    if (found < sweep["seeds"]).any():
        missing = found[found < sweep["seeds"]].index[0]
        raise Refused(f"the metrics lack network {missing}: {found[missing]} of its seeds")
    # Of the inputs: a task with a chosen alignment is the same for every seed.
    inputs = rows[rows["measure"] == "input_participation_ratio"].drop_duplicates("run")
    ratios = inputs.set_index("run")["value"]
    aligned = rows["alignment"].notna()
    rows["participation_ratio"] = rows["run"].map(ratios).where(aligned)
    return rows
