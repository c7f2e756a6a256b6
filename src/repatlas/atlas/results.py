"""Everything that was measured, as one table on disk."""

from pathlib import Path

import pyarrow.dataset as ds

from repatlas.artifacts.files import ESTIMATES_SCHEMA


def results(folder: str | Path = "results") -> ds.Dataset:
    """Return all metrics of a folder of results as one pyarrow dataset.

    The dataset has a row for each network, step, measure and layer. `networks` has the same columns
    run, seed and step, so that the two can be joined. Rows stay on disk until they are asked for:
    `results().to_table(filter=...)` reads the rows that fit. polars opens the dataset with
    `pl.scan_pyarrow_dataset(results())`, and DuckDB by the name of a variable:
    `found = results(); duckdb.sql("select * from found")`.

    folder: the results of a config, as for `networks`. Raises FileNotFoundError where nothing was
    measured.
    """
    files = sorted(str(path) for path in Path(folder, "metrics").rglob("*.parquet"))
    if not files:
        raise FileNotFoundError(
            f"{folder}: found no metrics, expected {folder}/metrics/**/*.parquet;"
            " start `make figures` or `make preview` first"
        )
    return ds.dataset(files, schema=ESTIMATES_SCHEMA, format="parquet")
