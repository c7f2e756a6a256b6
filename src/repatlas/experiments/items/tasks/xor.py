"""XoR with a third input that makes it separable, to a degree (Jarvis, Klein, Rosman and Saxe 2025,
section 3, where it is changed gradually; the parametrisation is ours)."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from repatlas.experiments.items.task import Items, Task
from repatlas.record import Number


class Xor(Task):
    """x = (x1, x2, delta x1 x2), y = x1 x2, x1 and x2 = +-1. Each of the four items is a separate
    context here, with one object: 0 and 3 are of the positive class, 1 and 2 of the negative."""

    thinned_from: ClassVar[int | None] = 4000

    kind: Literal["xor"]
    delta: Number = Field(1.0, ge=0, le=100)
    """How far a third input, delta x1 x2, tells the classes apart: 0 is XoR."""

    @property
    def number_of_contexts(self) -> int:
        return 4

    @property
    def objects(self) -> int:
        return 1

    @property
    def object_inputs(self) -> int:
        return 3

    @property
    def inputs(self) -> int:
        return 3

    @property
    def targets(self) -> int:
        return 1

    @property
    def rank(self) -> int:
        return 1

    def draw(self) -> Items:
        signs = np.array([[1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0]])
        product = signs.prod(axis=0)
        return Items(np.vstack([signs, self.delta * product]), product[None])
