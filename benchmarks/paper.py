"""Every figure of config.yaml from nothing, on all cores: half an hour on four of them."""

import os
import subprocess
import tempfile
import time
from pathlib import Path

import pandas as pd
from measuring import copy_workflow, markdown

from repatlas.operations.costs import fitted

AGAIN = 5
SMOKE = ("results/preview/structure/figures/fig08.png", "--config", "preview=true")
"""A figure of few networks, in its preview."""


def report(smoke: bool = False) -> str:
    """The section on the whole paper, in Markdown. Makes all figures in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_workflow(folder)
        what = SMOKE if smoke else ()
        return section(folder, _snakemake(folder, *what), *what)


def section(folder: Path, seconds: float, *what: str) -> str:
    """The section for a project in which Snakemake made this, by default every figure, in so many
    seconds."""
    results = folder / "results/preview" if what else folder / "results"
    rows, total, starts = [], 0.0, 0.0
    shard_stages = [
        (kind, stage) for kind in ("clusters", "images") for stage in ("train", "measure")
    ]
    for experiment, stage in shard_stages:
        files = sorted((results / "benchmarks" / stage / experiment).rglob("*.tsv"))
        if not files:  # a figure without images
            continue
        jobs = pd.concat(pd.read_csv(file, sep="\t") for file in files)
        rows.append(
            [f"{stage} {experiment}", len(jobs), jobs["s"].sum() / 60, jobs["max_rss"].max()]
        )
        total += jobs["s"].sum()
        starts += fitted([results], experiment, stage).start * len(jobs)
    files = [f for f in results.rglob("*") if f.is_file()]
    size = sum(file.stat().st_size for file in files)
    again = sorted(_snakemake(folder, *what) for _ in range(AGAIN))[AGAIN // 2]
    return "\n\n".join(
        [
            "## The whole paper",
            "Every figure of `config.yaml` from an empty results folder:"
            f" {seconds / 60:.0f} minutes on {os.cpu_count()} cores, {size / 1e9:.1f} GB."
            f" Before its first network or measure a job takes {starts / total:.0%} of these"
            " core-minutes (fitted: imports, reading). The same command again says that there is"
            f" nothing to do in {again:.1f} s (median of {AGAIN}).",
            markdown(["stage", "jobs", "core-minutes", "largest memory, MB"], rows),
        ]
    )


def _snakemake(folder: Path, *what: str) -> float:
    """Seconds of the command."""
    start = time.perf_counter()
    command = ["snakemake", *what, "--quiet", "all"]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    print(report())
