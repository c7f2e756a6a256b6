"""Timing side by side, the Markdown of its results, and a workflow to run."""

import shutil
import statistics
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
PARTS = ("Snakefile", "config.yaml", "config", "workflow", "profiles", "src", "envs")


def copy_workflow(folder: Path) -> None:
    """Into an empty folder, to run it there."""
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
        copy(ROOT / part, folder / part)


def separability() -> dict[str, Any]:
    """The sweep of Figure 2, as the config has it."""
    path = ROOT / "config/structure.yaml"
    return yaml.safe_load(path.read_text())["sweeps"]["separability"]


def write_config(folder: Path, sweep: dict[str, Any]) -> None:
    """In a copy of the workflow: this sweep alone, as data, since its figure would want others."""
    values = {"sweeps": {"separability": sweep}}
    (folder / "config.yaml").write_text(yaml.safe_dump(values))


def alternate(sides: dict[str, Callable[[], object]], repeats: int = 5) -> dict[str, list[float]]:
    """Wall seconds of each call of each side: all sides once to warm up (imports, compilation,
    caches), then in turns, so that whatever else the machine does meets all of them."""
    for call in sides.values():
        call()
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(repeats):
        for name, call in sides.items():
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def medians(seconds: dict[str, list[float]]) -> dict[str, float]:
    return {name: statistics.median(times) for name, times in seconds.items()}


def markdown(columns: list[str], rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table; numbers with three significant digits."""
    lines = [columns, ["---"] * len(columns), *([_text(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _text(cell: object) -> str:
    if not isinstance(cell, float):
        return str(cell)
    return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.3g}"
