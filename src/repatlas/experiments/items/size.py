"""How large a network on a few items is, and what its jobs do: in closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from repatlas.experiments.items.spec import Spec

if TYPE_CHECKING:
    from repatlas.representation import Decoders

MOST_SEEDS = 16
"""Seeds that a job makes at most."""
SECONDS = {"train": (0.5, 7e-11), "measure": (1.5, 2e-4)}
"""Seconds of a job: before its first unit of work, and for each unit. Measured on one core of an
AMD EPYC. An epoch takes 0.25 ms for a ReLU network with 11, 700 and 60 units, and 3 to 5 us for a
network of 100 units on XoR, in a block."""
CALLS = 50_000
"""What the calls of an epoch cost a network in a block, in products."""


def training(spec: Spec, steps: int, data: dict[str, Any]) -> int:
    """Return the units of work in training a network for this number of epochs: multiplications in
    float64. Two multiplications in float32 count as one."""
    network, task = spec.network, spec.task
    products = steps * network.products(task) + network.products_before(task)
    return steps * CALLS + products // (2 if spec.training.precision == "float32" else 1)


def measuring(
    spec: Spec, measures: dict[str, list[int]], decoders: Decoders, data: dict[str, Any]
) -> int:
    """Return units of work in measuring a network: items of all measures and steps.

    measures: the epochs at which each is wanted.
    """
    return sum(len(steps) for steps in measures.values()) * spec.task.items
