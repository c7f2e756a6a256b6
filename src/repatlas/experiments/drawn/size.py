"""How large a network with a drawn function is, and what its jobs do, in closed form."""

from __future__ import annotations

from typing import Any

from repatlas.experiments.clusters import size as clusters
from repatlas.experiments.clusters.size import measuring
from repatlas.experiments.drawn.spec import Spec

__all__ = ["MOST_SEEDS", "SECONDS", "measuring"]

MOST_SEEDS = 1
"""Seeds that a job makes at most: a thousand functions of a seed take a core eight minutes."""
SECONDS = clusters.SECONDS


def training(spec: Spec, steps: int, data: dict[str, Any]) -> int:
    """Return the units of work in training a network for this number of steps: products of all
    layers, forward."""
    weights = spec.network.width * (spec.task.inputs + spec.task.targets)
    return steps * weights * spec.training.batch
