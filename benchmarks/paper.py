"""The first paper from nothing, and where its time goes.

python benchmarks/paper.py FOLDER     the same of a run that was made, in a clone of the project
"""

import csv
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from measuring import copy_workflow, markdown

STUDY = "structure"
SMOKE = ("structure/fig08", "--config", "preview=true")
"""A figure of few networks, in its preview."""
AGAIN = 5


def report(smoke: bool = False) -> str:
    """Return the section on the whole paper, in Markdown. Makes all figures in a separate
    folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_workflow(folder)
        what = SMOKE if smoke else (STUDY,)
        return section(folder, _snakemake(folder, *what), *what, again=1 if smoke else AGAIN)


def section(folder: Path, seconds: float | None, *what: str, again: int) -> str:
    """Return the section for a project in which Snakemake made these targets, with the seconds that
    this took if it was a single run."""
    results = folder / "results/preview" if "preview=true" in what else folder / "results"
    rows = list(_rows(results / "benchmarks"))
    files = [p for p in (folder / "results").rglob("*") if p.is_file() and not p.is_symlink()]
    size = sum(file.stat().st_size for file in files)
    nothing = statistics.median(_snakemake(folder, *what) for _ in range(again))
    with tempfile.TemporaryDirectory() as name:
        Path(name, "Snakefile").write_text('rule all:\n    input: "Snakefile"\n')
        empty = statistics.median(_snakemake(Path(name), "--cores", "1") for _ in range(again))
    took = f" {seconds / 60:.0f} minutes on {os.cpu_count()} cores," if seconds else ""
    return "\n\n".join(
        [
            "## The whole paper",
            f"`snakemake {' '.join(what)}` from an empty results folder:{took}"
            f" {sum(row[2] for row in rows):.1f} core-minutes of jobs that train, measure and"
            f" compare, {size / 1e9:.1f} GB. The same command again says that there is nothing to"
            f" do in {nothing:.1f} s (median of {again}), and Snakemake says so of an empty"
            f" workflow in {empty:.1f} s.",
            markdown(
                ["stage", "jobs", "core-minutes", "minutes by the clock", "largest memory, MB"],
                rows,
            ),
        ]
    )


def _rows(folder: Path) -> Iterator[tuple[str, int, float, float, float]]:
    """Yield what the jobs of each stage and study took, by Snakemake's benchmark files. A job
    of less than a second has no CPU time there, so its wall-clock time counts."""
    for place in sorted(folder.glob("*/*")):
        found = [
            list(csv.DictReader(path.read_text().splitlines(), delimiter="\t"))[-1]
            for path in sorted(place.rglob("*.tsv"))
        ]
        clock = [float(row["s"]) for row in found]
        cpu = [_number(row["cpu_time"]) or s for row, s in zip(found, clock, strict=True)]
        memory = max(_number(row["max_rss"]) for row in found)
        stage = f"{place.parent.name} {place.name}"
        yield stage, len(found), sum(cpu) / 60, sum(clock) / 60, memory


def _number(text: str) -> float:
    """Return 0 for what Snakemake did not come to look at."""
    return 0.0 if text in ("-", "NA", "") else float(text)


def _snakemake(folder: Path, *what: str) -> float:
    """Return seconds of the command."""
    start = time.perf_counter()
    command = ["snakemake", *what, "--quiet", "all"]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    print(section(Path(sys.argv[1]), None, again=AGAIN))
