"""The first paper from nothing, and where its time goes.

python benchmarks/paper.py FOLDER [STUDY ...]     the same of a run of these studies that was made,
                                                  in a clone of the project
"""

import csv
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from measuring import alternate, copy_workflow, in_a_process, markdown
from training import SGEMM, sgemm

from repatlas.stages.job import WORK

STUDY = "structure"
SMOKE = ("results/preview/structure/figures/fig08.png", "--config", "preview=true")
"""A figure of few networks, in its preview."""
AGAIN, IMPORTED, CALLS = 5, 3, 20
STAGES = {"train": "train", "measure": "represent", "compare": "compared"}
"""The stages that take their time, and what each imports of an experiment."""
IMPORTS = "import repatlas.stages.{}, repatlas.experiments.{}.{}; print(0)"


class Spent(NamedTuple):
    """What the jobs of a stage took, by Snakemake's benchmark files and their logs."""

    jobs: int
    cpu: float
    """Seconds of cores"""
    clock: float
    """Seconds, which depend on what else the machine did"""
    memory: float
    """MB of the job that took most"""
    units: float
    """Units of work; of training these are products of all layers, forward"""


def report(smoke: bool = False) -> str:
    """Return the section on the whole paper, in Markdown. Makes all figures in a separate
    folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_workflow(folder)
        what = SMOKE if smoke else (STUDY,)
        return section(folder, _snakemake(folder, *what), *what, smoke=smoke)


def section(folder: Path, seconds: float | None = None, *what: str, smoke: bool = False) -> str:
    """Return the section for a project in which Snakemake made the figures, with the seconds that
    this took if it was a single run."""
    again, imported, calls = (1, 1, 2) if smoke else (AGAIN, IMPORTED, CALLS)
    what = what or (STUDY,)
    results = folder / "results/preview" if "preview=true" in what else folder / "results"
    rate = 2 * SGEMM**3 / on_all_cores(calls)
    rows, cpu, floor = [], 0.0, 0.0
    for stage in STAGES:
        for place in sorted((results / "benchmarks" / stage).glob("*")):
            spent = spent_by(results, place)
            # Two products for each weight and sample, one forward and one back into the weights.
            least = 4 * spent.units / rate if stage == "train" else 0.0
            imports = spent.jobs * _imports(stage, place.name, imported)
            minutes = [spent.cpu / 60, imports / 60, spent.clock / 60, least / 60 if least else ""]
            rows.append([f"{stage} {place.name}", spent.jobs, *minutes, spent.memory])
            cpu, floor = cpu + spent.cpu, floor + least
    studies = " and ".join(f"`{name}`" for name in what if name.isidentifier()) or f"`{STUDY}`"
    files = [each for each in results.rglob("*") if each.is_file() and not each.is_symlink()]
    size = sum(file.stat().st_size for file in files)
    nothing = statistics.median(_snakemake(folder, *what) for _ in range(again))
    with tempfile.TemporaryDirectory() as name:
        Path(name, "Snakefile").write_text('rule all:\n    input: "Snakefile"\n')
        empty = statistics.median(_snakemake(Path(name), "--cores", "1") for _ in range(again))
    took = f" {seconds / 60:.0f} minutes on {os.cpu_count()} cores," if seconds else ""
    return "\n\n".join(
        [
            "## The whole paper",
            f"Every figure of {studies} from an empty results folder:{took}"
            f" {cpu / 60:.1f} core-minutes of jobs that train, measure and compare,"
            f" {size / 1e9:.1f} GB. The floor is the two products of each training step, forward"
            " and back into the weights, at the rate of sgemm on all cores at once,"
            f" {rate / 1e9:.0f} GFLOP/s each; the third"
            f" one of networks with several layers is not in it. All is {cpu / floor:.2f} times the"
            " floor. Imports are what each job does first, before it reads a file. The same command"
            " again says that there is nothing to do in"
            f" {nothing:.1f} s (median of {again}), and Snakemake says so of an empty workflow in"
            f" {empty:.1f} s.",
            markdown(
                ["stage", "jobs", "core-minutes", "imports in them", "minutes by the clock",
                 "floor, core-minutes", "largest memory, MB"],
                rows,
            ),
        ]
    )  # fmt: skip


def spent_by(results: Path, place: Path) -> Spent:
    """Return the CPU time of the last job of each shard. A job of less than a second has no CPU
    time, so its wall-clock time is used."""
    cpu, clock, memory, units = [], [], [0.0], 0.0
    for path in sorted(place.rglob("*.tsv")):
        row = list(csv.DictReader(path.read_text().splitlines(), delimiter="\t"))[-1]
        clock.append(float(row["s"]))
        cpu.append(_number(row["cpu_time"]) or clock[-1])
        memory.append(_number(row["max_rss"]))
        log = (results / "logs" / path.relative_to(results / "benchmarks")).with_suffix(".log")
        lines = log.read_text().splitlines() if log.exists() else []
        units += sum(float(line.removeprefix(WORK)) for line in lines if line.startswith(WORK))
    return Spent(len(clock), sum(cpu), sum(clock), max(memory), units)


def _imports(stage: str, experiment: str, times: int) -> float:
    """Return CPU seconds."""
    command = [sys.executable, "-c", IMPORTS.format(stage, experiment, STAGES[stage])]
    return min(in_a_process(command).cpu for _ in range(times))


def _number(text: str) -> float:
    """Return 0 for what Snakemake did not come to look at."""
    return 0.0 if text in ("-", "NA", "") else float(text)


def on_all_cores(calls: int = CALLS) -> float:
    """Return the seconds of a product while each core computes one, as in a run. Two cores that a
    machine counts may be one real core, which is twice as fast for one of them while the other is
    idle."""
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        return max(pool.map(_product, [calls] * os.cpu_count()))


def _product(calls: int) -> float:
    """Return seconds, the median of several calls."""
    return statistics.median(alternate({"sgemm": sgemm()}, calls)["sgemm"])


def _snakemake(folder: Path, *what: str) -> float:
    """Return seconds of the command."""
    start = time.perf_counter()
    command = ["snakemake", *what, "--quiet", "all"]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    of_run, *studies_of_run = sys.argv[1:]
    print(section(Path(of_run), None, *studies_of_run))
