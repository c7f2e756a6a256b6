"""Whether a run has the networks that a claim is about."""

from collections.abc import Iterable

from repatlas.named import grid_of
from repatlas.record import Record

SHOWN = 3
"""Differences that a sentence names."""


def grids_of(job: dict) -> list[Record]:
    """Return the grids behind a figure's table, from the job that made it. Each grid ends at the
    step that the figure shows."""
    sweeps = [sweep for of_role in job["sweeps"].values() for sweep in of_role]
    return [grid_of(_shown(sweep, job.get("step"))) for sweep in sweeps]


def other_settings(wanted: Iterable[Record], found: list[Record]) -> list[str]:
    """Return the settings in which the grids found differ from the wanted grids, each compared with
    the most similar grid; an empty list if all are there."""
    differences: dict[str, None] = {}
    for grid in wanted:
        closest = min((_differences(grid, other) for other in found), key=len, default=None)
        differences |= dict.fromkeys(["no such networks"] if closest is None else closest)
    return list(differences)


def sentence(differences: list[str]) -> str:
    more = len(differences) - SHOWN
    return "; ".join(differences[:SHOWN]) + (f"; and {more} more" if more > 0 else "")


def _shown(sweep: dict, step: int | None) -> dict:
    """Return a sweep without the steps after the one that a figure shows, if the figure shows one
    step."""
    if "steps" not in sweep or step is None:
        return sweep
    return sweep | {"steps": [stored for stored in sweep["steps"] if stored <= step]}


def _differences(wanted: Record, found: Record) -> list[str]:
    """Return each setting in which two grids differ, as a text with both values. More activations
    than wanted are no difference, because statistics name the activations that they need. Neither
    are more steps, up to the same last step."""
    one, other = _leaves(wanted), _leaves(found)
    return [
        f"{key}: {_text(other.get(key))} instead of {_text(values)}"
        for key, values in one.items()
        if not _serves(key, values, other.get(key, []))
    ]


def _serves(key: str, wanted: list, found: list) -> bool:
    if key == "network.activation":
        return set(wanted) <= set(found)
    if key in ("steps", "epochs"):
        return set(wanted) <= set(found) and max(wanted) == max(found)
    return wanted == found


def _leaves(grid: Record) -> dict[str, list]:
    """Return every setting by its name in a config."""
    leaves = {}
    for name, value in grid:
        if name == "experiment":
            continue
        parts = value if isinstance(value, Record) else None
        for part, inner in parts or [(None, value)]:
            values = inner if isinstance(inner, list) else [inner]
            leaves[f"{name}.{part}" if part else name] = values
    return leaves


def _text(values: list | None) -> str:
    if not values:
        return "none"
    if len(values) > SHOWN:
        return f"{len(values)} values"
    return " | ".join("null" if value is None else str(value) for value in values)
