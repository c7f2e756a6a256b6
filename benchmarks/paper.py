"""What the last run of every figure took, from the records of its jobs, and what a rerun takes."""

import subprocess
import time
from pathlib import Path

import pandas as pd
from measuring import markdown, medians

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"


def report() -> str:
    """The section on the whole paper, in Markdown."""
    records = {
        stage: pd.concat(pd.read_csv(file, sep="\t") for file in files)
        for stage in ("train", "measure")
        if (files := sorted((RESULTS / "benchmarks" / stage).rglob("*.tsv")))
    }
    if not (RESULTS / "figures").exists() or not records:
        return "## The whole paper\n\nNot here: `make figures` has not been run to its end."
    rows = [
        [stage, len(jobs), jobs["s"].sum() / 60, jobs["cpu_time"].sum() / 60, jobs["max_rss"].max()]
        for stage, jobs in records.items()
    ]
    logs = [file.stat().st_mtime for file in (RESULTS / "logs").rglob("*.log")]
    figures = [file.stat().st_mtime for file in (RESULTS / "figures").iterdir()]
    wall = (max(figures) - min(logs)) / 60
    disk = sum(f.stat().st_size for f in RESULTS.rglob("*") if f.is_file() and
               "preview" not in f.parts) / 1e9  # fmt: skip
    return "\n\n".join(
        [
            "## The whole paper",
            f"Every figure of `config.yaml`, from an empty results folder, as the records of the"
            f" last `make figures` tell: {wall:.0f} minutes from the end of the first job to the"
            f" last figure, {disk:.2f} GB. The same command again says that there is nothing to do"
            f" in {_again():.1f} s (median of 5).",
            markdown(["stage", "jobs", "minutes", "core-minutes", "largest memory, MB"], rows),
        ]
    )


def _again() -> float:
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(["snakemake", "--quiet", "all"], check=True, cwd=ROOT, capture_output=True)
        seconds.append(time.perf_counter() - start)
    return medians({"": seconds})[""]


if __name__ == "__main__":
    print(report())
