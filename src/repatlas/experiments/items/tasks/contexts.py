"""Eight objects in several contexts (Jarvis, Klein, Rosman and Saxe 2025, sections 4 to 6).

The matrices are from the generator of data of the authors. The names of things are ours. Rows of
the tree are living thing; animal, plant; bird, fish, flower, tree; and the objects canary, robin,
salmon, sunfish, rose, daisy, oak, pine.
"""

from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from repatlas.experiments.items.task import Items, Task
from repatlas.record import refuse

OBJECTS = 8
FEATURES = 15
"""Rows of each structure."""


def tree() -> np.ndarray:
    """Return (15, 8): all objects, the two halves, the four pairs, and each object."""
    return np.vstack([np.repeat(np.eye(parts), OBJECTS // parts, axis=1) for parts in (1, 2, 4, 8)])


def ring() -> np.ndarray:
    """Return (15, 8): all objects, and 14 rotations of one bump to the left, by 0, 1, ... 13. The
    last six repeat the first six of them."""
    bump = np.array([0, 0.33, 0.66, 1, 1, 0.66, 0.33, 0])
    rotations = [np.roll(bump, -places) for places in range(FEATURES - 1)]
    return np.vstack([np.ones(OBJECTS), *rotations])


def cross() -> np.ndarray:
    """Return (15, 8): the tree, with other pairs: {0, 2}, {1, 3}, {4, 6}, {5, 7}."""
    found = tree()
    found[3:7] = found[3:7][:, [0, 2, 1, 3, 4, 6, 5, 7]]
    return found


STRUCTURES = {"heterogeneous": (tree, ring, cross)}
"""The structure of each context, where contexts differ."""


class Contexts(Task):
    """n = 8 objects in C contexts. Inputs: the object and the context, both one-hot, (8 + C) x 8 C.

    Targets, 15 (C + 1) x 8 C: rows 0 to 14 are the tree in every context; rows 15 (k + 1) and on
    are the structure of context k in its own columns, and 0 elsewhere.
    """

    kind: Literal["contexts"]
    contexts: int = Field(3, ge=2, le=9)
    """Contexts C."""
    blocks: Literal["homogeneous", "heterogeneous"] = "homogeneous"
    """The structure of each context: a tree in all; or, of three contexts, tree, ring and cross."""

    @model_validator(mode="after")
    def _has_structures(self):
        if self.blocks == "heterogeneous" and self.contexts != 3:
            refuse(f"contexts: found {self.contexts}, allowed: 3 with heterogeneous blocks")
        return self

    @property
    def number_of_contexts(self) -> int:
        return self.contexts

    @property
    def objects(self) -> int:
        return OBJECTS

    @property
    def object_inputs(self) -> int:
        return OBJECTS

    @property
    def inputs(self) -> int:
        return OBJECTS + self.contexts

    @property
    def targets(self) -> int:
        return FEATURES * (self.contexts + 1)

    @property
    def rank(self) -> int:
        return OBJECTS + self.contexts - 1

    def draw(self) -> Items:
        number = self.contexts
        structures = STRUCTURES.get(self.blocks, (tree,) * number)
        of_context = np.zeros((number, FEATURES, number, OBJECTS))
        for context, structure in enumerate(structures):
            of_context[context, :, context] = structure()
        inputs = [np.tile(np.eye(OBJECTS), number), np.repeat(np.eye(number), OBJECTS, axis=1)]
        targets = [np.tile(tree(), number), of_context.reshape(-1, number * OBJECTS)]
        return Items(np.vstack(inputs), np.vstack(targets))
