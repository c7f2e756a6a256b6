"""What a sweep costs, before it starts: seconds of a job as a line in its units of work.

Each job logs its units of work. For training these are products of the layers, for measuring the
samples in all fits. For jobs on images they are forward products of the layers; jobs on a GPU log
none. The line is fitted to earlier jobs: their logs state the units, and Snakemake's benchmark
files state the seconds.
"""

import csv
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from repatlas.named import named

SMALL_JOB = 1.5
"""Seconds of a job that draws tasks, reads images, collects rows or draws a figure."""


class Cost(NamedTuple):
    """The model of one stage."""

    start: float
    """Seconds before the first unit of work"""
    per_unit: float
    """Seconds"""
    jobs: int = 0
    """Earlier jobs that it was fitted to; none for the shipped model"""
    error: float | None = None
    """Median over them of |estimate / actual - 1|, each estimated from the others"""

    def seconds(self, units: float) -> float:
        return self.start + self.per_unit * units


def shipped(experiment: str, stage: str) -> Cost:
    """Return the model that comes with an experiment, from another machine."""
    return Cost(*named(f"experiments.{experiment}", "size").SECONDS[stage])


def fitted(results: Iterable[Path], experiment: str, stage: str) -> Cost:
    """Return the model of a stage of an experiment, fitted to the jobs that ran in these results
    folders. It is the shipped one until there are three jobs of different size."""
    jobs = [job for folder in results for job in _past_jobs(folder, experiment, stage)]
    units, seconds = np.array(jobs, dtype=float).reshape(-1, 2).T
    if len(set(units)) < 3:
        return shipped(experiment, stage)
    estimates = [
        _fit(np.delete(units, i), np.delete(seconds, i)).seconds(units[i]) for i in range(len(jobs))
    ]
    error = float(np.median(np.abs(estimates / seconds - 1)))
    return _fit(units, seconds)._replace(jobs=len(jobs), error=error)


class Spent(NamedTuple):
    """What the last job of each shard took in a stage, by the benchmark files."""

    jobs: int
    seconds: float
    longest: float
    """Seconds"""
    memory: float
    """MB of the job that took most"""


def spent(results: Path, stage: str) -> Spent | None:
    """Return what the last job of each shard took in a stage; None if its jobs are not timed."""
    seconds, memory = [], []
    for path in sorted((results / "benchmarks" / stage).rglob("*.tsv")):
        try:
            rows = list(
                csv.DictReader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t")
            )
            seconds += [float(row["s"]) for row in rows]
            # A job that ended before it was looked at has none.
            memory += [float(row["max_rss"]) for row in rows if row["max_rss"] not in ("-", "NA")]
        except (OSError, ValueError, KeyError, TypeError) as error:  # for example, a killed job
            print(f"left out: {path}: {error}", file=sys.stderr)
    if not seconds:
        return None
    return Spent(len(seconds), sum(seconds), max(seconds), max(memory, default=float("nan")))


def _fit(units: np.ndarray, seconds: np.ndarray) -> Cost:
    """Fit by least squares of the relative errors, so that long jobs don't drown the short
    ones."""
    design = np.stack([1 / seconds, units / seconds], axis=1)
    start, per_unit = np.linalg.lstsq(design, np.ones(len(units)), rcond=None)[0]
    return Cost(max(float(start), 0.0), max(float(per_unit), 0.0))


def _past_jobs(results: Path, experiment: str, stage: str) -> list[tuple[float, float]]:
    """Return units of work and seconds of each job with a log and a benchmark file."""
    # Not at the top: sizes are checked at each start, which has no use for what this imports.
    from repatlas.stages.job import WORK

    jobs = []
    for benchmark in sorted((results / "benchmarks" / stage / experiment).rglob("*.tsv")):
        place = benchmark.relative_to(results / "benchmarks").with_suffix(".log")
        log = results / "logs" / place
        try:
            lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
            units = [float(line.removeprefix(WORK)) for line in lines if line.startswith(WORK)]
            rows = benchmark.read_text(encoding="utf-8").splitlines()
            seconds = float(rows[1].split("\t")[0]) if len(rows) > 1 else 0.0
        except (OSError, ValueError) as error:  # for example, a killed job
            print(f"left out: {benchmark} with its log {log}: {error}", file=sys.stderr)
            continue
        # A job of several seeds has a line for each.
        if sum(units) > 0 and seconds > 0:
            jobs.append((sum(units), seconds))
    return jobs
