"""The two phases of the theory of the contextual task: the common pathway, then the residual.

Modes of the common pathway are the modes of its correlation with the targets. Modes of the context
pathways are the modes of the residual after the common pathway is learned.
"""

from typing import ClassVar, Literal

import numpy as np

from repatlas.dynamics.correlations import Modes, linear_residual, modes
from repatlas.dynamics.head_start import context_initial
from repatlas.dynamics.logistic import effective_initial
from repatlas.dynamics.symmetric import late_strength
from repatlas.experiments.items.modes import Fixed, ModeTheory
from repatlas.experiments.items.pathways import Gates
from repatlas.experiments.items.task import Items, Task
from repatlas.record import Refused

TREE = np.sqrt([7, 3, 3, 1, 1, 1, 1])
"""Singular values of the tree of 8 objects, without the constant one."""


class TwoPhases(ModeTheory):
    """The base of theories of the contextual task."""

    constants: Literal["derived", "authors"] = "derived"
    """"derived": initial strengths, and overlaps of pathways, from the data and the initial
    weights. "authors": those that the authors set by hand."""

    by_hand: ClassVar[tuple[float, float]]
    """Initial strengths of common and of context modes in the authors' script."""

    def fit(self, task: Task) -> None:
        if task.kind != "contexts" or not self.common:
            raise Refused(
                f"network.kind: found {self.kind!r} for the task {task.kind!r}, with common:"
                f" {str(self.common).lower()}, allowed: contexts, with a common pathway"
            )
        super().fit(task)

    def fixed(self, task: Task, items: Items) -> Fixed:
        gates = self.gates(task)
        common, *others = gates.seen(items)
        residual = linear_residual(items.inputs, items.targets)
        found = [modes(common, items.targets), *(modes(seen, residual) for seen in others)]
        if self.constants == "authors":
            common_start, context_start = self.by_hand
            starts = [common_start, *(context_start for _ in others)]
            initial = np.repeat(starts, [len(each.s) for each in found])
        else:
            initial = derived_initial(self, task, gates, found)
        return Fixed(gates, found, initial)


def derived_initial(network: TwoPhases, task: Task, gates: Gates, found: list[Modes]) -> np.ndarray:
    """Return (K,): where each mode starts, without fitted numbers.

    Common modes start at n_h sigma^2 / 2. Context modes have a head start, which depends on the
    singular values of the structure of the contexts. S of the mode gives this value if the
    structure is the same in all contexts. Otherwise all modes start at the geometric mean over the
    modes of the tree.
    """
    number, n, sigmas = (
        task.number_of_contexts,
        network.units,
        (network.sigma, network.context_sigma),
    )
    starts = [np.full(len(found[0].s), effective_initial(n, network.sigma))]
    for chosen, each in zip(gates.contexts, found[1:], strict=True):
        size = len(chosen)
        if task.blocks == "homogeneous":
            structure = each.s / late_strength(1.0, task.objects, number, size)
            starts.append(context_initial(structure, task.objects, number, size, n, *sigmas))
        else:
            of_tree = context_initial(TREE, task.objects, number, size, n, *sigmas)
            starts.append(np.full(len(each.s), np.exp(np.log(of_tree).mean())))
    return np.concatenate(starts)
