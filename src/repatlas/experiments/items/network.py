"""What all kinds of networks on a few items share, and how they are trained together.

A kind is a module of `networks` with one class, which has the name of the module in CamelCase. The
class is a frozen record of settings. Its method `program` returns the joint training of several
networks. A theory is a network whose training is a formula.
"""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from repatlas.experiments.items.task import Items, Task
from repatlas.experiments.items.training import ItemTraining
from repatlas.grids import ByName, grid_of
from repatlas.named import named, names
from repatlas.record import Record, Refused, canonical, short_hash

State = dict[str, np.ndarray]
"""Arrays by name. In a program they have a first axis for its B members."""


class Member(NamedTuple):
    """A network among others that are trained together."""

    network: Any
    task: Task
    training: ItemTraining
    items: Items


class Program(Protocol):
    """The training of B networks of one shape.

    A member has the same bits whatever other members are in the program: arrays are stacked, and
    numpy hands stacked matrices to BLAS one at a time.
    """

    state: State
    """The state that training continues from, (B, ...) each"""

    def losses(self) -> np.ndarray:
        """Return (B,) float64: the current loss of each member."""

    def descend(self, epoch: int) -> None:
        """Train for the epoch of this number, with the errors that `losses` has found."""

    def checkpoint(self) -> State:
        """Return the stored arrays of all members in their current state, (B, ...)."""

    def maps(self) -> np.ndarray | None:
        """Return (B, P, n_out, n_in), the linear map of each pathway; None if there are no
        pathways."""


class Seen(NamedTuple):
    """What a network makes of the items of its task."""

    layers: list[np.ndarray]
    """(N, units) each"""
    outputs: np.ndarray
    """(N, n_out)"""


class Network(Record):
    """The base of all kinds."""

    has_units: ClassVar[bool] = True
    """Whether the network has units with weights; a theory has none."""

    @property
    def label(self) -> str:
        """What the names of families say of its size."""
        raise NotImplementedError

    @property
    def shape(self) -> str:
        """A hash of the settings that all members of a program share. Networks with one shape may
        be trained by one program."""
        return short_hash(canonical(self))

    def fit(self, task: Task) -> None:
        """Refuse, with Refused, a task that such a network can't have."""

    def products_before(self, task: Task) -> int:
        """Return multiplications before the first epoch, of a network that is made from another
        one."""
        return 0

    def start(self, task: Task, items: Items, training: ItemTraining, seed: int) -> State:
        """Return the state before training."""
        raise NotImplementedError

    @classmethod
    def program(cls, members: Sequence[Member], state: State) -> Program:
        """Return the training of members of one shape."""
        raise NotImplementedError

    def seen(self, task: Task, items: Items, parameters: State) -> Seen:
        """Return the activity of the network for the items, with the parameters of a checkpoint."""
        raise NotImplementedError

    def maps(self, task: Task, parameters: State) -> dict[str, np.ndarray]:
        """Return (n_out, n_in) for each pathway, by its name; none for a network without
        pathways."""
        return {}

    def reached(self, task: Task, items: Items) -> list[np.ndarray]:
        """Return (n_in, N) for each pathway: the inputs that reach it."""
        return []

    def products(self, task: Task) -> int:
        """Return the number of multiplications of an epoch."""
        raise NotImplementedError

    def stored(self, task: Task) -> int:
        """Return the number of values of a checkpoint."""
        raise NotImplementedError


def stacked(members: Sequence[Member]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return x, (B, n_in, N), Y, (B, n_out, N), and step sizes, (B, 1, 1), in the members'
    precision."""
    dtype = members[0].training.dtype
    inputs = np.stack([member.items.inputs for member in members]).astype(dtype)
    targets = np.stack([member.items.targets for member in members]).astype(dtype)
    rates = np.array([member.training.rate for member in members], dtype)[:, None, None]
    return inputs, targets, rates


def enough(name: str, units: int, needed: int) -> None:
    """Refuse fewer units than a task needs: `name` is the setting that says how many."""
    if units < needed:
        raise Refused(
            f"network.{name}: found {units}, allowed: {needed} or more, the rank of what is learned"
        )


def half_squares(errors: np.ndarray) -> np.ndarray:
    """Return (B,) float64: half the sum of squares of errors, (B, n_out, N)."""
    return np.sum(np.square(errors, dtype=np.float64).reshape(len(errors), -1), axis=1) / 2


PACKAGE = "experiments.items.networks"


def network_class(kind: str) -> type[Network]:
    """Return the kind of network of this name."""
    return getattr(named(PACKAGE, kind), kind.title().replace("_", ""))


def kinds() -> tuple[str, ...]:
    """Return the names of all kinds."""
    return names(PACKAGE)


AnyNetwork = Annotated[Network, ByName("kind", kinds, network_class)]
"""A network of any kind."""
AnyNetworkGrid = Annotated[
    Network, ByName("kind", kinds, lambda kind: grid_of(network_class(kind)))
]
"""A grid of networks of one kind."""
