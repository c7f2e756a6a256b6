"""The closed form of learning in the contextual task: every mode follows a logistic."""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from repatlas.dynamics.symmetric import effective_decay
from repatlas.experiments.items.modes import Fixed, Logistics
from repatlas.experiments.items.network import Member, State
from repatlas.experiments.items.phases import TwoPhases
from repatlas.experiments.items.task import Task
from repatlas.record import Refused


class ClosedForm(TwoPhases):
    """Common modes have d of their basis. Context modes have the effective D = 1 / (n C):
    competition reduces d to this value if pathways are on in one context, or in all contexts except
    one."""

    by_hand: ClassVar[tuple[float, float]] = (5e-9, 5e-5)

    kind: Literal["closed_form"]

    def fit(self, task: Task) -> None:
        super().fit(task)
        sizes = {len(chosen) for chosen in self.gates(task).contexts}
        if sizes not in ({1}, {task.number_of_contexts - 1}):
            raise Refused(
                f"network.pathways: found {self.pathways!r} for a closed form, allowed: pathways of"
                " one context, or of all but one"
            )

    @classmethod
    def program(cls, members: Sequence[Member], state: State) -> "InCompetition":
        return InCompetition(members, state)


class InCompetition(Logistics):
    """The logistics of B theories."""

    def decays(self, task: Task, fixed: Fixed) -> np.ndarray:
        common, *others = fixed.modes
        effective = effective_decay(task.objects, task.number_of_contexts)
        return np.concatenate([common.d, *(np.full(len(each.s), effective) for each in others)])
