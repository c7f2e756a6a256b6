"""A linear network, without biases."""

from typing import ClassVar, Literal

import numpy as np

from repatlas.experiments.items.layered import Activate, Layered
from repatlas.experiments.items.network import State
from repatlas.experiments.items.pathways import COMMON
from repatlas.experiments.items.task import Items, Task


def identity(u: np.ndarray, slope: np.ndarray) -> None:
    """Return u, whose slope is 1 everywhere."""


class Linear(Layered):
    """A linear network: f(u) = u."""

    kind: Literal["linear"]
    activate: ClassVar[Activate] = staticmethod(identity)

    def maps(self, task: Task, parameters: State) -> dict[str, np.ndarray]:
        product = parameters["weights1"]
        for number in range(2, self.depth + 2):
            product = parameters[f"weights{number}"] @ product
        return {COMMON: product}

    def reached(self, task: Task, items: Items) -> list[np.ndarray]:
        return [items.inputs]
