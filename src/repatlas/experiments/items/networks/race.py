"""The race reduction: modes with fixed directions, whose strengths compete."""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from repatlas.dynamics.logistic import time_constant
from repatlas.dynamics.race import (
    authors_interaction,
    interaction,
    race_step,
)
from repatlas.experiments.items.modes import Fixed, Strengths
from repatlas.experiments.items.network import Member, State
from repatlas.experiments.items.phases import TwoPhases
from repatlas.experiments.items.task import Task
from repatlas.record import Refused


class Race(TwoPhases):
    """Common modes alone; context modes on what the finished common pathway leaves, from epoch 0,
    in competition with one another. Euler steps of one epoch."""

    by_hand: ClassVar[tuple[float, float]] = (3e-9, 6e-5)

    kind: Literal["race"]

    def fit(self, task: Task) -> None:
        super().fit(task)
        if self.constants == "authors":
            pairs = self.pathways in ("all_but_one", "12 13 23")
            if task.number_of_contexts != 3 or not pairs:
                raise Refused(
                    f"network.constants: found 'authors' for {task.number_of_contexts} contexts and"
                    f" pathways {self.pathways!r}, allowed: 3 contexts and their three pairs"
                )

    @classmethod
    def program(cls, members: Sequence[Member], state: State) -> "Competing":
        return Competing(members, state)


class Competing(Strengths):
    """The race of B theories."""

    def __init__(self, members: Sequence[Member], state: State):
        super().__init__(members, state)
        self._s = [np.concatenate([each.s for each in fixed.modes]) for fixed in self._fixed]
        self._slowing = [
            _slowing(member, fixed) for member, fixed in zip(members, self._fixed, strict=True)
        ]
        self._taus = [time_constant(m.training.rate, m.task.items) for m in members]

    def moved(self, number: int, strengths: np.ndarray, epoch: int) -> np.ndarray:
        return race_step(strengths, self._s[number], self._slowing[number], self._taus[number])


def _slowing(member: Member, fixed: Fixed) -> np.ndarray:
    """Return (K, K): common modes and context modes slow their own kind."""
    common, *others = fixed.modes
    number = len(common.s)
    found = np.zeros((len(fixed.initial), len(fixed.initial)))
    found[:number, :number] = np.diag(common.d)
    if member.network.constants == "authors":
        rest = authors_interaction(others, fixed.gates.contexts, member.task.items)
    else:
        rest = interaction(others, fixed.gates.seen(member.items)[1:])
    found[number:, number:] = rest
    return found
