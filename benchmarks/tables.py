"""What the stages `tabulate` and `judge` take, by the number of a table's rows."""

import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from measuring import ROOT, in_a_process, markdown

ROWS = (100_000, 1_000_000, 10_000_000)
DRAWN = {
    "target_alignment": "centres",
    "input_alignment": "centres",
    "parallelism": "centres",
    "ccgp": "centres",
    "decoding_trained": "test",
    "decoding_untrained": "test",
    "accuracy": "test",
    "input_output_alignment": "centres",
}
"""The rows of a network in the table of Figure 3: measure and variant."""
TABLE = "table.parquet"
MEMORY = ("own memory, MB", "mapped, MB")
SECONDS, MEGABYTES = 7200, 14_000
"""A table that takes more of either is given up."""


def report(smoke: bool = False) -> str:
    """Return the section on tables, in Markdown."""
    return section("Tables", (1_000,) if smoke else ROWS)


def section(title: str, numbers: Iterable[int]) -> str:
    """Return the section for tables of about this number of rows."""
    return "\n\n".join(
        [
            f"## {title}",
            "The table of Figure 3 from files of metrics, one for each seed: 220 networks of 8 rows"
            " that it has and 8 that no figure draws; then the claims that rest on it. The values"
            " are random. CPU is that of the stage, imports included. *Own memory* is the most of"
            " the process's own, *mapped* that of pages of files, which the system takes back at"
            " need.",
            markdown(
                ["rows", "networks", "files", "stage", "CPU, s", "wall, s", *MEMORY],
                (line for number in numbers for line in _lines(number)),
            ),
        ]
    )


def _lines(rows: int) -> Iterator[list]:
    """Yield the lines of both stages, on one table that it writes and removes."""
    from repatlas.artifacts.recipes.study import TabulateJob

    sweep = yaml.safe_load((ROOT / "config/structure.yaml").read_text())["sweeps"]["noise"]
    grid = {name: sweep[name] for name in ("task", "network", "training", "steps")}
    with tempfile.TemporaryDirectory() as folder:
        files, networks = write_metrics(Path(folder), grid, rows)
        sweeps = {"sweep": [grid | {"seeds": files}]}
        job = TabulateJob(study="structure", figure="fig03", draw="fig03", step=2000, sweeps=sweeps)
        (Path(folder) / "job.json").write_text(job.with_code({}).text)
        for stage in STAGES:
            command = [sys.executable, __file__, stage, folder]
            try:
                found = in_a_process(command, seconds=SECONDS, megabytes=MEGABYTES)
            except (MemoryError, TimeoutError) as error:
                yield [f"{rows:,}", f"{networks:,}", f"{files:,}", stage, str(error), "", "", ""]
                return
            counts = [f"{number:,}" for number in (found.answer, networks, files)]
            yield [*counts, stage, found.cpu, found.wall, found.anonymous, found.mapped]


def write_metrics(folder: Path, grid: dict, rows: int) -> tuple[int, int]:
    """Write files of metrics for a table of about this number of rows, one for each seed. Return
    the number of seeds and the number of networks."""
    from repatlas.artifacts.files import METRICS_SCHEMA, write_table
    from repatlas.artifacts.recipes.grids import grid_of

    keys = [spec.key for spec in grid_of(grid).specs()]
    variants = [*DRAWN.values(), *["not drawn"] * len(DRAWN)]
    lines = pd.DataFrame({"measure": [*DRAWN] * 2, "variant": variants}).assign(by="alignment")
    networks = pd.DataFrame({"run": keys}).assign(step=grid["steps"][-1])
    frame = networks.merge(lines, how="cross").reindex(columns=METRICS_SCHEMA.names)
    seeds = max(1, round(rows / (len(keys) * len(DRAWN))))
    for seed in range(seeds):
        values = np.random.default_rng(seed).normal(size=len(frame))
        own = frame.assign(seed=np.int32(seed), value=values)
        table = pa.Table.from_pandas(own, schema=METRICS_SCHEMA, preserve_index=False)
        header = {"job": {"experiment": "clusters", "seed": seed}, "identity": f"{seed:016x}"}
        write_table(folder / f"metrics/seed-{seed}.parquet", "metrics", header, table)
    return seeds, seeds * len(keys)


def _tabulate(folder: Path) -> None:
    """Make the table, in a separate process."""
    from repatlas.stages import tabulate

    metrics = [str(folder / f"metrics/seed-{seed}.parquet") for seed in range(_seeds(folder))]
    job = (folder / "job.json").read_text()
    tabulate.main(["--job", job, "--output", str(folder / TABLE), "--metrics", *metrics])


def _judge(folder: Path) -> None:
    """Judge the claims that depend on the table, in a separate process, and write nothing."""
    from repatlas.claims.ledger import read_ledger
    from repatlas.stages.judge import Tables, claims_table
    from repatlas.studies.structure.columns import TABLE_SCHEMA

    ledger = read_ledger("structure")
    tables = Tables({"fig03": folder / TABLE}, TABLE_SCHEMA)
    claims_table(ledger, tables, preview=False)


def _seeds(folder: Path) -> int:
    return len(list((folder / "metrics").iterdir()))


STAGES = {"tabulate": _tabulate, "judge": _judge}


if __name__ == "__main__":
    stage, made_in = sys.argv[1], Path(sys.argv[2])
    STAGES[stage](made_in)
    print(pq.read_metadata(made_in / TABLE).num_rows)
