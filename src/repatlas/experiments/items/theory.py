"""The base of theories of networks, which have maps and kernels of pathways instead of weights."""

from typing import ClassVar

import numpy as np

from repatlas.experiments.items.network import Seen, State
from repatlas.experiments.items.pathways import Pathways
from repatlas.experiments.items.task import Items, Task
from repatlas.experiments.items.training import ItemTraining


class Theory(Pathways):
    """The base of theories. Nothing of them is random.

    Parameters: maps, (P, n_out, n_in), W_2 W_1 of each pathway, and kernels, (P, n_in, n_in),
    W_1^T W_1.
    """

    has_units: ClassVar[bool] = False

    def start(self, task: Task, items: Items, training: ItemTraining, seed: int) -> State:
        raise NotImplementedError

    def seen(self, task: Task, items: Items, parameters: State) -> Seen:
        """Return what measures see of a theory. The hidden layer has the kernel of the theory: a
        root of this kernel replaces the activity."""
        reached = self.gates(task).seen(items)
        values, vectors = np.linalg.eigh(parameters["kernels"])
        roots = np.sqrt(np.maximum(values, 0))[:, :, None] * vectors.swapaxes(1, 2)
        hidden = (roots @ reached).reshape(-1, task.items)
        return Seen([hidden.T], (parameters["maps"] @ reached).sum(axis=0).T)

    def maps(self, task: Task, parameters: State) -> dict[str, np.ndarray]:
        return dict(zip(self.gates(task).names, parameters["maps"], strict=True))

    def stored(self, task: Task) -> int:
        return len(self.gates(task).names) * (task.targets + task.inputs) * task.inputs
