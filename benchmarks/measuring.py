"""Timing side by side, what a process takes, the Markdown of results, and a workflow to run."""

import contextlib
import importlib
import json
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[1]
THREADS = "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"
QUIET = {"TQDM_DISABLE": "1", "PYTHONWARNINGS": "ignore"}
PARTS = ("Snakefile", "config.yaml", "config", "workflow", "profiles", "src", "envs")


def report_of(section: str, smoke: bool) -> str:
    """Return a section of the results, in Markdown."""
    report: str = importlib.import_module(section).report(smoke)
    return report


def cpu_model() -> str:
    """Return what the processor calls itself."""
    info = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", info.read_text()) if info.exists() else None
    return found[1] if found else platform.processor() or platform.machine()


def copy_workflow(folder: Path) -> None:
    """Copy the workflow into an empty folder, to run it there."""
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
        copy(ROOT / part, folder / part)


def sweep_of(name: str) -> dict[str, Any]:
    """Return a sweep of the study `structure`, with the values of the config."""
    path = ROOT / "config/structure.yaml"
    found: dict[str, Any] = yaml.safe_load(path.read_text())["sweeps"][name]
    return found


def write_config(folder: Path, sweep: dict[str, Any]) -> None:
    """Write the config of a copy of the workflow, with this sweep alone and without its figure,
    which would need other sweeps."""
    (folder / "config.yaml").write_text(yaml.safe_dump({"sweeps": {"sweep": sweep}}))


def alternate(
    sides: dict[str, Callable[[], object]],
    repeats: int = 5,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """Return the seconds of each call of each side, in wall-clock time unless another clock is
    given. All sides run once to warm up (imports, compilation, caches). Then they take turns, so
    that other work on the machine affects all of them."""
    for call in sides.values():
        call()
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(repeats):
        for name, call in sides.items():
            start = clock()
            call()
            seconds[name].append(clock() - start)
    return seconds


def medians(seconds: dict[str, list[float]]) -> dict[str, float]:
    return {name: statistics.median(times) for name, times in seconds.items()}


def markdown(columns: list[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table; numbers with three significant digits."""
    lines = [columns, ["---"] * len(columns), *([_text(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _text(cell: object) -> str:
    if not isinstance(cell, float):
        return str(cell)
    return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.3g}"


class Measured(NamedTuple):
    """What a process took."""

    answer: Any
    """What it printed, as JSON."""
    cpu: float
    """Seconds of all its threads, of the user and of the system."""
    wall: float
    """Seconds from its start to its end; they depend on what else the machine does."""
    load: float
    """Processes that ran or waited for a core, this one included; the mean of the last minute."""
    anonymous: float
    """MB: the largest amount of private memory, for arrays and data of libraries."""
    mapped: float
    """MB: the most of pages of files that it had read, which the system takes back at need."""
    resident: float
    """MB: the most of both together."""


def in_a_process(command: list[str], seconds: float = 600, megabytes: float = 6000) -> Measured:
    """Run a command on one thread of BLAS, and look at its memory ten times a second. It is ended
    where it takes more than this, of CPU time or of memory: TimeoutError or MemoryError, with what
    was seen."""
    import psutil

    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | dict.fromkeys(THREADS, "1") | QUIET
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    seen, most, spent = psutil.Process(process.pid), [0.0, 0.0, 0.0], 0.0
    try:
        while True:
            with contextlib.suppress(psutil.Error):
                memory, times = seen.memory_info(), seen.cpu_times()
                now = [memory.rss - memory.shared, memory.shared, memory.rss]
                most = [max(a, b / 1e6) for a, b in zip(most, now, strict=True)]
                spent = times.user + times.system
            if most[2] > megabytes:
                raise MemoryError(f"more than {most[2]:,.0f} MB")
            if spent > seconds:
                raise TimeoutError(f"more than {seconds:.0f} s CPU")
            with contextlib.suppress(subprocess.TimeoutExpired):
                output, _ = process.communicate(timeout=0.1)
                break
    except (MemoryError, TimeoutError):
        process.kill()
        process.wait()
        raise
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed")
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Measured(json.loads(output), cpu, wall, os.getloadavg()[0], *most)
