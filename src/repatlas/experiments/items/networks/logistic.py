"""Pathways that do not interact: each mode of each pathway follows its own logistic."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from repatlas.dynamics.correlations import modes
from repatlas.dynamics.logistic import effective_initial
from repatlas.experiments.items.modes import Fixed, Logistics, ModeTheory
from repatlas.experiments.items.network import Member, State
from repatlas.experiments.items.task import Items, Task


class Logistic(ModeTheory):
    """The theory of linear networks. With `pathways: none` it is the theory of a linear network of
    n_h units. Without a common pathway it is the theory of pathways that share no items."""

    kind: Literal["logistic"]

    def fixed(self, task: Task, items: Items) -> Fixed:
        gates = self.gates(task)
        found = [modes(seen, items.targets) for seen in gates.seen(items)]
        starts = effective_initial(self.units, self.sigmas(gates))
        numbers = [len(each.s) for each in found]
        return Fixed(gates, found, np.repeat(starts, numbers))

    @classmethod
    def program(cls, members: Sequence[Member], state: State) -> Logistics:
        return Logistics(members, state)
