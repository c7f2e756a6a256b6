"""What the stage `tabulate` takes, by the number of a table's rows."""

import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
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
SECONDS, MEGABYTES = 3600, 14_000
"""A table that takes more of either is given up."""


def report(smoke: bool = False) -> str:
    """The section on tables, in Markdown."""
    numbers = (1_000,) if smoke else ROWS
    return "\n\n".join(
        [
            "## Tables",
            "The table of Figure 3 from files of metrics, one for each seed: 220 networks of 8 rows"
            " that it has and 8 that no figure draws. The values are random. CPU is that of the"
            " stage, imports included. *Own memory* is the most of the process's own, *mapped* that"
            " of pages of files, which the system takes back at need.",
            markdown(
                ["rows", "networks", "files", "CPU, s", "wall, s", "own memory, MB", "mapped, MB"],
                map(_line, numbers),
            ),
        ]
    )


def _line(rows: int) -> list:
    from repatlas.artifacts.jobs import TabulateJob

    sweep = yaml.safe_load((ROOT / "config/structure.yaml").read_text())["sweeps"]["noise"]
    grid = {name: sweep[name] for name in ("task", "network", "training", "steps")}
    with tempfile.TemporaryDirectory() as folder:
        files, networks = write_metrics(Path(folder), grid, rows)
        sweeps = {"sweep": [grid | {"seeds": files}]}
        job = TabulateJob(study="structure", figure="fig03", draw="fig03", step=2000, sweeps=sweeps)
        (Path(folder) / "job.json").write_text(job.with_code({}).text)
        command = [sys.executable, __file__, folder]
        try:
            found = in_a_process(command, seconds=SECONDS, megabytes=MEGABYTES)
        except (MemoryError, TimeoutError) as error:
            return [f"{rows:,}", f"{networks:,}", f"{files:,}", str(error), "", "", ""]
    memory = [found.anonymous, found.mapped]
    counts = [f"{number:,}" for number in (found.answer, networks, files)]
    return [*counts, found.cpu, found.wall, *memory]


def write_metrics(folder: Path, grid: dict, rows: int) -> tuple[int, int]:
    """Writes files of metrics for a table of about so many rows; returns the number of seeds, each
    of which has one, and that of networks."""
    from repatlas.artifacts.files import METRICS_SCHEMA, write_table
    from repatlas.artifacts.jobs import grid_of

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
    """In a process of its own: makes the table, and prints the number of its rows."""
    import pyarrow.parquet as pq

    from repatlas.stages import tabulate

    metrics = [str(folder / f"metrics/seed-{seed}.parquet") for seed in range(_seeds(folder))]
    output = folder / "table.parquet"
    job = (folder / "job.json").read_text()
    tabulate.main(["--job", job, "--output", str(output), "--metrics", *metrics])
    print(pq.read_metadata(output).num_rows)


def _seeds(folder: Path) -> int:
    return len(list((folder / "metrics").iterdir()))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _tabulate(Path(sys.argv[1]))
    else:
        print(report())
