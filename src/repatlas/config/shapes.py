"""The shapes of the networks of a grid: what their size, their cost and their family depend on."""

from typing import Any

from repatlas.named import named
from repatlas.record import Record

SHAPE = {"inputs", "clusters", "targets", "width", "depth", "hidden_bias", "readout"}
SHAPE |= {"optimiser", "batch", "samples", "architecture", "epochs"}
SHAPE |= {"contexts", "pathways", "units", "precision"}
"""The axes on which the size of a network, its cost or its family depends."""


def thinned(grid: Any) -> tuple[Any, dict[tuple[str, str], int]]:
    """Return a grid, or a sweep, with the first value alone of each axis that changes no shape.
    Also return how many values these axes had, by part and name. A sweep may have thousands of
    networks of one shape."""
    axes: dict[tuple[str, str], list] = {}
    changes: dict[str, Any] = {}
    for name in named(f"experiments.{grid.experiment}", "spec").Grid.model_fields:
        if name in ("experiment", "steps"):
            continue
        part = getattr(grid, name)
        inner = part if isinstance(part, Record) else [(name, part)]
        own = {axis: v for axis, v in inner if isinstance(v, list) and axis not in SHAPE}
        axes |= {(name, axis): values for axis, values in own.items()}
        first = {axis: values[:1] for axis, values in own.items()}
        changes |= {name: part.model_copy(update=first)} if isinstance(part, Record) else first
    return grid.model_copy(update=changes), {name: len(values) for name, values in axes.items()}
