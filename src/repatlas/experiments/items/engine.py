"""Trains the members of a program side by side, and records what becomes of each.

At an epoch t stands the network after t updates: its loss, its singular values and its checkpoint
are those before update t.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from repatlas.experiments.items.network import Member, Program, State
from repatlas.runs import Curve

LEVELS = (0.5, 0.25, 0.1, 0.05, 0.01)
"""Parts of |Y|^2 / 2 at which weights are stored, too, the first time that the loss is below, for
comparisons at matched loss."""
THINNED = 20
"""The interval, in epochs, at which losses are kept if a task has its losses thinned."""
SINGULAR_EVERY = 20
"""Epochs between singular values."""


class Trained(NamedTuple):
    """What became of one member."""

    checkpoints: State
    """(T, ...) for the T steps, in float32"""
    state: State
    """The state that training continues from at the last step"""
    curves: dict[str, Curve]
    """loss; singular_values, (t, P, k); level, and level/NAME of each array of a checkpoint"""
    diverged: int | None
    """The first epoch at which the loss was not a number"""


def train(
    members: Sequence[Member],
    program: Program,
    start: int,
    steps: list[int],
    below: Sequence[int],
    goes_on: bool = False,
) -> list[Trained]:
    """Train on from epoch `start` to the last of `steps`.

    steps: in ascending order, start or later; below: of each member, how many of the levels it had
    reached at start; goes_on: whether curves have the epoch `start` already.
    """
    number = len(members)
    recorders = [_Recorder(member, level) for member, level in zip(members, below, strict=True)]
    next_level = np.array([recorder.next_level for recorder in recorders])
    thinned = members[0].task.thinned_from
    checkpoints: list[State] = []
    losses: list[np.ndarray] = []
    loss_epochs: list[int] = []
    singular: list[np.ndarray] = []
    singular_epochs: list[int] = []
    diverged: list[int | None] = [None] * number
    finite = np.ones(number, bool)
    with np.errstate(over="ignore", invalid="ignore"):
        for epoch in range(start, steps[-1] + 1):
            found = program.losses()
            if epoch > start or not goes_on:
                if thinned is None or epoch < thinned or epoch % THINNED == 0:
                    losses.append(found)
                    loss_epochs.append(epoch)
                if epoch % SINGULAR_EVERY == 0 and (maps := program.maps()) is not None:
                    singular.append(_singular_values(maps))
                    singular_epochs.append(epoch)
                for member in np.flatnonzero(found < next_level):
                    now = {n: v[member] for n, v in program.checkpoint().items()}
                    recorders[member].reached(epoch, found[member], now)
                    next_level[member] = recorders[member].next_level
                for member in np.flatnonzero(finite & ~np.isfinite(found)):
                    diverged[member], finite[member] = epoch, False
            if epoch in steps:
                checkpoints.append({n: as_stored(v) for n, v in program.checkpoint().items()})
            if epoch < steps[-1]:
                program.descend(epoch)
    state = program.state
    # Stacked once for all members: a stack of thousands of numbers for each takes longer than the
    # training of small networks.
    of_loss = np.stack(losses) if losses else np.empty((0, number))
    of_singular = np.stack(singular) if singular else np.empty((0, number))
    return [
        Trained(
            {n: np.stack([each[n][member] for each in checkpoints]) for n in checkpoints[0]},
            {name: values[member].copy() for name, values in state.items()},
            recorders[member].curves()
            | _curve("loss", loss_epochs, of_loss[:, member])
            | _curve("singular_values", singular_epochs, of_singular[:, member]),
            diverged[member],
        )
        for member in range(number)
    ]


class _Recorder:
    """The checkpoints of one member at levels of its loss."""

    def __init__(self, member: Member, reached: int):
        self._levels = list(LEVELS[reached:])
        self._scale = float(np.sum(member.items.targets**2)) / 2
        self._epochs: list[int] = []
        self._found: list[float] = []
        self._checkpoints: list[State] = []

    @property
    def next_level(self) -> float:
        """The loss below which the next checkpoint is due; -inf after the last."""
        return self._levels[0] * self._scale if self._levels else -np.inf

    def reached(self, epoch: int, loss: float, checkpoint: State) -> None:
        now = {name: as_stored(values) for name, values in checkpoint.items()}
        while loss < self.next_level:
            self._epochs.append(epoch)
            self._found.append(self._levels.pop(0))
            self._checkpoints.append(now)

    def curves(self) -> dict[str, Curve]:
        found = _curve("level", self._epochs, np.array(self._found))
        for name in self._checkpoints[0] if self._checkpoints else ():
            values = np.stack([each[name] for each in self._checkpoints])
            found |= _curve(f"level/{name}", self._epochs, values)
        return found


def as_stored(values: np.ndarray) -> np.ndarray:
    """Return a copy, in float32 if it is of real numbers."""
    return values.astype(np.float32 if values.dtype.kind == "f" else values.dtype)


def _singular_values(maps: np.ndarray) -> np.ndarray:
    """Return (B, P, k) float32; nan where a map is not finite."""
    finite = np.isfinite(maps).all(axis=(2, 3))
    values = np.linalg.svd(np.where(finite[..., None, None], maps, 0.0), compute_uv=False)
    return np.where(finite[..., None], values, np.nan).astype(np.float32)


def _curve(name: str, epochs: list[int], values: np.ndarray) -> dict[str, Curve]:
    """Return a curve with its name, or nothing without epochs. values: (T, ...), at T epochs."""
    return {name: Curve(np.array(epochs, np.int32), values.copy())} if epochs else {}
