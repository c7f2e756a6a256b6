"""What all tasks share, and what a task is once it is drawn.

A family of tasks is a module of `tasks` with one class, in CamelCase the name of the module: a
frozen record of its parameters, with `draw(seed)`.
"""

from typing import Annotated, NamedTuple

import numpy as np
from pydantic import AfterValidator, Field

from repatlas.grids import ByName, grid_of
from repatlas.named import named, names
from repatlas.record import Record, canonical, number, refuse, short_hash

SMALLEST, LARGEST = 1e-74, 1e76
"""The range of variances, which are squares of the numbers that networks are trained with."""


def _none_or_some(variance: float) -> float:
    if 0 < variance < SMALLEST:
        refuse(f"allowed: 0, or at least {SMALLEST:g}")
    return variance


class Task(Record):
    """The base of the families: noisy inputs around the centres of their clusters."""

    noise_variance: Annotated[
        number(Field(ge=0, le=LARGEST, allow_inf_nan=False)), AfterValidator(_none_or_some)
    ] = 1.0
    """Variance of the training inputs around their centre, in each dimension."""

    @property
    def unit(self) -> float:
        """What standard deviations of the noise are multiples of."""
        return 1.0

    @property
    def rectified(self) -> bool:
        """Whether inputs are cut at 0, noise included."""
        return False

    def inputs_around(self, centres: np.ndarray, noise: np.ndarray, deviation: float) -> np.ndarray:
        """Return (m, N): inputs with these centres and this standard normal noise, (m, N) both."""
        inputs = centres + deviation * self.unit * noise
        return np.maximum(inputs, 0) if self.rectified else inputs


PACKAGE = "experiments.clusters.tasks"


def task_class(kind: str) -> type[Task]:
    """Return the family of tasks of this name."""
    return getattr(named(PACKAGE, kind), kind.title().replace("_", ""))


def kinds() -> tuple[str, ...]:
    """Return the names of all families."""
    return names(PACKAGE)


AnyTask = Annotated[Task, ByName("kind", kinds, task_class)]
"""A task of any family."""
AnyTaskGrid = Annotated[Task, ByName("kind", kinds, lambda kind: grid_of(task_class(kind)))]
"""A grid of tasks of one family."""


def geometry_key(task: Task) -> str:
    """Return the key of a task's centres and labels, which the noise around them doesn't change."""
    return short_hash(canonical(task, exclude={"noise_variance"}))


class TaskArrays(NamedTuple):
    """One draw of a task with P clusters in N dimensions and K binary targets."""

    centres: np.ndarray
    """(P, N): the cluster centres. A sample of cluster p is centres[p] + sigma * normal."""
    labels: np.ndarray
    """(P, K) of 0 and 1: the targets of each cluster."""
    axes: np.ndarray
    """(3, N), orthonormal: the inter-class axis, and an intra-class axis of the positive and of the
    negative class (paper, section 4.1.1). (0, N) for a family where these are not defined: with
    several targets there is no one inter-class axis."""


def first_half_positive(clusters: int) -> np.ndarray:
    """Return (P, 1): clusters 1 .. P/2 have label 1. The paper's text says 0, but its inter-class
    axis x1 + x2 - x3 - x4 and its remarks on neurons with positive readout weight mean 1."""
    return (np.arange(clusters) < clusters // 2).astype(np.float64)[:, None]
