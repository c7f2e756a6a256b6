"""The pathways of a network, as a config writes them, and as gates and masks over a task."""

import re
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import AfterValidator, Field

from repatlas.dynamics.pathways import Contexts, context_gate, context_sets, gated_inputs
from repatlas.experiments.items.network import Network, enough
from repatlas.experiments.items.task import Items, Task
from repatlas.record import Positive, Refused, refuse

COMMON = "common"
"""The name of the pathway that sees all items and all inputs."""
SETS = ("all_but_one", "single", "subsets", "none")


def _as_sets(text: str) -> str:
    if text not in SETS and not re.fullmatch(r"[1-9]+( [1-9]+)*", text):
        refuse(
            f"found {text!r}, allowed: {', '.join(SETS)}, or the contexts of each pathway, such as"
            " '12 23 13'"
        )
    if text in SETS:
        return text
    sets = sorted("".join(sorted(set(each))) for each in text.split())
    if len(set(sets)) < len(sets):
        refuse(f"found {text!r}, allowed: each pathway once")
    return " ".join(sorted(sets, key=lambda each: (len(each), each)))


class Gates(NamedTuple):
    """The P pathways of a network on a task, the common one first."""

    names: list[str]
    """"common", and the contexts of each of the others, counted from 1, such as "12" """
    contexts: list[Contexts]
    """The contexts of each context pathway, counted from 0"""
    gates: np.ndarray
    """(P, N) of 0 and 1: the items that a pathway is on for"""
    masks: np.ndarray
    """(P, n_in) of 0 and 1: the inputs that it sees"""

    def seen(self, items: Items) -> np.ndarray:
        """Return (P, n_in, N): the inputs that reach each pathway."""
        return gated_inputs(items.inputs, self.gates, self.masks)


class Pathways(Network):
    """The base of networks with pathways, and of theories of them. There is a common linear pathway
    for all items and inputs, and there are pathways that are on only in some contexts."""

    pathways: Annotated[str, AfterValidator(_as_sets)] = "all_but_one"
    """The contexts of each context pathway: "all_but_one", "single", "subsets" (every proper one),
    "none"; or a text such as "12 23 13", contexts counted from 1."""
    common: bool = True
    """Whether there is a common pathway."""
    context_inputs: Literal["objects", "all"] = "objects"
    """The inputs of context pathways. Once the common pathway has learned the linear part, what is
    left is uncorrelated with the inputs of contexts (paper, Lemma 4.1)."""
    units: int = Field(100, ge=1, le=100_000)
    """Hidden units n_h of each pathway."""
    sigma: Positive = 0.005 / 700
    """Standard deviation of the initial weights of the common pathway."""
    context_sigma: Positive = 0.01 / 700
    """The standard deviation of the initial weights of context pathways."""

    @property
    def label(self) -> str:
        return f"h{self.units}"

    def fit(self, task: Task) -> None:
        self.gates(task)
        enough("units", self.units, task.rank)

    def gates(self, task: Task) -> Gates:
        """Return the pathways on a task. Refuses contexts that the task lacks."""
        number = task.number_of_contexts
        sizes = {"all_but_one": [number - 1], "single": [1], "subsets": range(1, number)}
        if self.pathways in sizes:
            sets = context_sets(number, sizes[self.pathways])
        else:
            texts = [] if self.pathways == "none" else self.pathways.split()
            sets = [tuple(int(context) - 1 for context in text) for text in texts]
        if any(chosen[-1] >= number for chosen in sets):
            raise Refused(
                f"network.pathways: found {self.pathways!r} for {number} contexts, allowed: those"
            )
        gates = [context_gate(chosen, number, task.objects) for chosen in sets]
        seen = task.object_inputs if self.context_inputs == "objects" else task.inputs
        masks = [np.arange(task.inputs) < seen] * len(sets)
        names = ["".join(str(context + 1) for context in chosen) for chosen in sets]
        if self.common:
            gates = [np.ones(task.items), *gates]
            masks = [np.ones(task.inputs), *masks]
            names = [COMMON, *names]
        if not names:
            raise Refused("network.pathways: found 'none', and no common one, allowed: one or more")
        return Gates(names, sets, np.stack(gates), np.stack(masks).astype(float))

    def reached(self, task: Task, items: Items) -> list[np.ndarray]:
        return list(self.gates(task).seen(items))

    def sigmas(self, gates: Gates) -> np.ndarray:
        """Return (P,): the standard deviation of the initial weights of each pathway."""
        return np.array([self.sigma if n == COMMON else self.context_sigma for n in gates.names])
