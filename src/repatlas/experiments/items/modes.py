"""Theories with fixed modes: only their strengths change."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from repatlas.dynamics.correlations import Modes
from repatlas.dynamics.logistic import logistic, time_constant
from repatlas.dynamics.mode_loss import ModeLoss
from repatlas.dynamics.race import patterns
from repatlas.experiments.items.network import Member, State
from repatlas.experiments.items.pathways import Gates
from repatlas.experiments.items.task import Items, Task
from repatlas.experiments.items.theory import Theory
from repatlas.experiments.items.training import ItemTraining


class Fixed(NamedTuple):
    """The modes of a theory on a task, one pathway after another."""

    gates: Gates
    modes: list[Modes]
    """The number of modes of each pathway"""
    initial: np.ndarray
    """(K,): their strengths before training"""


class ModeTheory(Theory):
    """The base of theories whose modes keep their directions."""

    def fixed(self, task: Task, items: Items) -> Fixed:
        """Return the modes of the theory on a task."""
        raise NotImplementedError

    def start(self, task: Task, items: Items, training: ItemTraining, seed: int) -> State:
        return {"strengths": self.fixed(task, items).initial}

    def products(self, task: Task) -> int:
        modes = len(self.gates(task).names) * min(task.items, task.inputs)
        return 2 * modes**2


class Strengths:
    """The strengths of the modes of B theories, which `moved` carries on from epoch to epoch."""

    def __init__(self, members: Sequence[Member], state: State):
        self._fixed = [member.network.fixed(member.task, member.items) for member in members]
        self._losses = [
            ModeLoss(_patterns(fixed, member.items), member.items.targets)
            for fixed, member in zip(self._fixed, members, strict=True)
        ]
        self.state = state

    def losses(self) -> np.ndarray:
        strengths = self.state["strengths"]
        return np.array([of(each) for of, each in zip(self._losses, strengths, strict=True)])

    def descend(self, epoch: int) -> None:
        self.state = {
            "strengths": np.stack(
                [
                    self.moved(number, strengths, epoch)
                    for number, strengths in enumerate(self.state["strengths"])
                ]
            )
        }

    def moved(self, number: int, strengths: np.ndarray, epoch: int) -> np.ndarray:
        """Return the strengths of a member at epoch + 1, from its strengths at epoch."""
        raise NotImplementedError

    def checkpoint(self) -> State:
        kernels = [
            self._summed(fixed, strengths, [each.right for each in fixed.modes])
            for fixed, strengths in zip(self._fixed, self.state["strengths"], strict=True)
        ]
        return {"maps": self.maps(), "kernels": np.stack(kernels)}

    def maps(self) -> np.ndarray:
        return np.stack(
            [
                self._summed(fixed, strengths, [each.left for each in fixed.modes])
                for fixed, strengths in zip(self._fixed, self.state["strengths"], strict=True)
            ]
        )

    def _summed(self, fixed: Fixed, strengths: np.ndarray, left: list[np.ndarray]) -> np.ndarray:
        """Return (P, ., n_in): sum_a pi_a l_a v_a^T of each pathway."""
        ends = np.cumsum([len(each.s) for each in fixed.modes])[:-1]
        parts = np.split(strengths, ends)
        return np.stack(
            [
                (directions.T * own) @ each.right
                for directions, own, each in zip(left, parts, fixed.modes, strict=True)
            ]
        )


class Logistics(Strengths):
    """Strengths that each follow a separate logistic."""

    def __init__(self, members: Sequence[Member], state: State):
        super().__init__(members, state)
        self._curves = [
            (
                np.concatenate([each.s for each in fixed.modes]),
                self.decays(member.task, fixed),
                fixed.initial,
                time_constant(member.training.rate, member.task.items),
            )
            for member, fixed in zip(members, self._fixed, strict=True)
        ]

    def decays(self, task: Task, fixed: Fixed) -> np.ndarray:
        """Return (K,): d of each mode, from the pathway of the mode."""
        return np.concatenate([each.d for each in fixed.modes])

    def moved(self, number: int, strengths: np.ndarray, epoch: int) -> np.ndarray:
        return logistic(epoch + 1, *self._curves[number])


def _patterns(fixed: Fixed, items: Items) -> np.ndarray:
    """Return (K, n_out, N)"""
    pairs = zip(fixed.modes, fixed.gates.seen(items), strict=True)
    return np.concatenate([patterns(modes, seen) for modes, seen in pairs])
