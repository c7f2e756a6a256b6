"""What all tasks of a few items share, and what a task is as arrays.

A family of tasks is a module of `tasks` with one class, in CamelCase the name of the module: a
frozen record of its parameters, with `draw()`. Nothing is random: the items are the whole task.
"""

from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from repatlas.grids import ByName, grid_of
from repatlas.named import named, names
from repatlas.record import Record, canonical, short_hash


class Items(NamedTuple):
    """N items, one in each column."""

    inputs: np.ndarray
    """X, (n_in, N)"""
    targets: np.ndarray
    """Y, (n_out, N), real numbers"""


class Task(Record):
    """The base of the families. Items are in the order of contexts, n objects in each."""

    thinned_from: ClassVar[int | None] = None
    """From which epoch on only every twentieth loss is stored; None to store them all."""

    @property
    def number_of_contexts(self) -> int:
        """C."""
        raise NotImplementedError

    @property
    def objects(self) -> int:
        """n, the objects of each context."""
        raise NotImplementedError

    @property
    def object_inputs(self) -> int:
        """How many of the inputs, the first ones, say something of the object."""
        raise NotImplementedError

    @property
    def inputs(self) -> int:
        """n_in."""
        raise NotImplementedError

    @property
    def targets(self) -> int:
        """n_out."""
        raise NotImplementedError

    @property
    def rank(self) -> int:
        """Rank of the correlation of inputs and targets, at most: units that a linear network
        needs."""
        raise NotImplementedError

    @property
    def items(self) -> int:
        """N = n C."""
        return self.number_of_contexts * self.objects

    def draw(self) -> Items:
        """Return the items of the task."""
        raise NotImplementedError


PACKAGE = "experiments.items.tasks"


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


def task_key(task: Task) -> str:
    """Return the key of a task's arrays."""
    return short_hash(canonical(task))
